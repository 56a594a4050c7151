// SPDX-License-Identifier: Apache-2.0
// SQL of a small nsys export with rows in every table that the loader reads.
#ifndef TESTS_PROFILE_ROWS_H
#define TESTS_PROFILE_ROWS_H

const char *profile_rows_sql(void); // including the tables

#endif
