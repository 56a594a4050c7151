// SPDX-License-Identifier: Apache-2.0
// Ids as nsys packs them, in the SQL of tests and fuzzers: pid(5) is a process, tid(5, 6) its
// thread.
#ifndef TESTS_NSYS_IDS_H
#define TESTS_NSYS_IDS_H

#include <stdint.h>

#include <sqlite3.h>

static inline void nsys_id(sqlite3_context *context, int count, sqlite3_value **values)
{
    sqlite3_int64 process = sqlite3_value_int64(values[0]) << 24;
    sqlite3_int64 thread = count > 1 ? sqlite3_value_int64(values[1]) : 0;
    sqlite3_result_int64(context, (INT64_C(1) << 48) + process + thread);
}

static inline void nsys_ids(sqlite3 *db)
{
    sqlite3_create_function(db, "pid", 1, SQLITE_UTF8, NULL, nsys_id, NULL, NULL);
    sqlite3_create_function(db, "tid", 2, SQLITE_UTF8, NULL, nsys_id, NULL, NULL);
}

#endif
