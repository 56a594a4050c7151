// SPDX-License-Identifier: Apache-2.0
// The floor: the least time in which SQLite can read the large tables of a profile.
#include "bench.h"

#include <sqlite3.h>
#include <stdio.h>

static const char kernel_query[] =
    "SELECT start, end, deviceId, contextId, streamId, correlationId, globalPid, shortName,"
    " demangledName, gridX, gridY, gridZ, blockX, blockY, blockZ FROM CUPTI_ACTIVITY_KIND_KERNEL";
static const char call_query[] =
    "SELECT start, end, globalTid, correlationId, nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME";
static const char range_query[] =
    "SELECT start, end, eventType, globalTid, domainId, text, textId FROM NVTX_EVENTS";

static volatile int64_t sink; // keeps the compiler from dropping the reads

static int64_t table_step(sqlite3 *db, const char *query)
{
    sqlite3_stmt *row = NULL;
    int64_t rows = 0, sum = 0;
    if (sqlite3_prepare_v2(db, query, -1, &row, NULL) != SQLITE_OK)
        die(sqlite3_errmsg(db));
    int columns = sqlite3_column_count(row);
    for (; sqlite3_step(row) == SQLITE_ROW; rows++)
        for (int c = 0; c < columns; c++) {
            const unsigned char *text;
            if (sqlite3_column_type(row, c) != SQLITE_TEXT)
                sum ^= sqlite3_column_int64(row, c);
            else if ((text = sqlite3_column_text(row, c)))
                sum ^= text[0] + sqlite3_column_bytes(row, c);
        }
    sqlite3_finalize(row);
    sink = sum;
    return rows;
}

double floor_seconds(const char *path, int64_t *rows)
{
    sqlite3 *db = NULL;
    char uri[4200];
    double start = now();
    snprintf(uri, sizeof uri, "file:%s?immutable=1", path);
    if (sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) != SQLITE_OK)
        die("the floor cannot open it");
    *rows = table_step(db, kernel_query);
    *rows += table_step(db, call_query);
    *rows += table_step(db, range_query);
    sqlite3_close(db);
    return now() - start;
}
