// SPDX-License-Identifier: Apache-2.0
// Builds the DLProf database of tests/golden/dldb at test time.
#ifndef TESTS_DLDB_FIXTURE_H
#define TESTS_DLDB_FIXTURE_H

// Creates a new file with the rows of profile.sql and then runs `sql` on it. nsys_remove() removes
// it.
const char *dldb_file(const char *sql);

#endif
