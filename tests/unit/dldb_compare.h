// SPDX-License-Identifier: Apache-2.0
// Compares two DLProf databases value by value. Ids are resolved through the foreign keys of the
// first database, so that the number given to a text or a metric does not matter.
#ifndef TESTS_DLDB_COMPARE_H
#define TESTS_DLDB_COMPARE_H

#include <stddef.h>

enum dldb_part { DLDB_MEASURED = 1, DLDB_AGGREGATED = 2, DLDB_VIEWS = 4, DLDB_ALL = 7 };

// Fails the test if rows or values differ. Columns whose path ends with an entry of `but`
// ("event_id"; the list ends with NULL) are left out. Returns the number of equal values.
size_t dldb_compare(const char *expected, const char *found, unsigned parts,
                    const char *const *left_out);
// Fails the test if SQLite's integrity check finds a fault in the file.
void dldb_check(const char *path);
// Returns the single value of a query as text; the caller frees it.
char *dldb_ask(const char *path, const char *sql);

#endif
