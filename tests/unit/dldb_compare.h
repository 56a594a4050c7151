// SPDX-License-Identifier: Apache-2.0
// Two DLProf databases, value by value. Ids are followed to what they mean, by the foreign keys of the
// first, so that it does not matter which number a text or a metric has.
#ifndef TESTS_DLDB_COMPARE_H
#define TESTS_DLDB_COMPARE_H

#include <stddef.h>

enum dldb_part { DLDB_MEASURED = 1, DLDB_AGGREGATED = 2, DLDB_VIEWS = 4, DLDB_ALL = 7 };

// Fails the test where rows or values differ, but for columns whose path ends so ("event_id"; NULL
// behind the last). Returns how many values were equal.
size_t dldb_compare(const char *expected, const char *found, unsigned parts,
                    const char *const *but);
// Fails the test where SQLite finds something wrong in the file.
void dldb_check(const char *path);
// The only value of a query, as text; the caller frees it.
char *dldb_ask(const char *path, const char *sql);

#endif
