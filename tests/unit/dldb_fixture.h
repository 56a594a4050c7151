// SPDX-License-Identifier: Apache-2.0
// The DLProf database of tests/golden/dldb, made at test time.
#ifndef TESTS_DLDB_FIXTURE_H
#define TESTS_DLDB_FIXTURE_H

// A fresh file with the rows of profile.sql, on which `sql` is run then. nsys_remove() removes it.
const char *dldb_file(const char *sql);

#endif
