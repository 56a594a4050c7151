// SPDX-License-Identifier: Apache-2.0
//
// Copies each table of the export into a file per rank with one INSERT ... SELECT. The expressions
// for the columns convert times to the clock of the rank's machine, and the condition selects the
// rows of its processes.
#include "ranks.h"

#include "fail.h"
#include "rng.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS       1000000LL
#define CHILDREN 20 // so many pids after a rank's own pid belong to its data loaders

enum { PURPOSE_HOST = 0x10c4000, PURPOSE_RANK = 0x10c8000 };

typedef struct {
    sqlite3 *db;                   // the whole export; the file of a rank is attached as "own"
    int rank, pid, host, per_host; // per_host: ranks of one machine
    int64_t begin_ns;              // start of the rank's capture, on the clock of the whole export
    int64_t ahead_ns;              // how much the wall clock of its machine is ahead
    int64_t drift_ppb; // how much faster its machine's oscillator is, in parts per billion
} Split;

static void sql(Split *split, char *text)
{
    if (!text || sqlite3_exec(split->db, text, NULL, NULL, NULL) != SQLITE_OK)
        fail("%s: %s", text ? text : "out of memory", sqlite3_errmsg(split->db));
    sqlite3_free(text);
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

// Builds the expression that copies a column, and the condition that selects the rank's rows.
static void column_append(const Split *split, const char *table, const char *name,
                          sqlite3_str *values, sqlite3_str *where)
{
    static const char *const times[] = {"start", "end", "timestamp", NULL};
    static const char *const global[] = {"globalTid", "globalPid", NULL};
    static const char *const pids[] = {"pid", "processId", NULL};
    const char *comma = sqlite3_str_length(values) ? ", " : "";
    if (is_one_of(name, times))
        sqlite3_str_appendf(values, "%s(\"%w\" - %lld) + (\"%w\" - %lld) * %lld / 1000000000",
                            comma, name, split->begin_ns, name, split->begin_ns, split->drift_ppb);
    else if (strcmp(name, "utcEpochNs") == 0)
        sqlite3_str_appendf(values, "%sutcEpochNs + %lld", comma,
                            split->begin_ns + split->ahead_ns);
    else if (strcmp(table, "TARGET_INFO_SYSTEM_ENV") == 0 && strcmp(name, "value") == 0)
        sqlite3_str_appendf(values, "%sCASE name WHEN 'Hostname' THEN 'gpu-node-%d' ELSE value END",
                            comma, split->host);
    else
        sqlite3_str_appendf(values, "%s\"%w\"", comma, name);
    if (is_one_of(name, global))
        sqlite3_str_appendf(where, " AND (\"%w\" >> 24 & 16777215) BETWEEN %d AND %d", name,
                            split->pid, split->pid + CHILDREN);
    else if (is_one_of(name, pids))
        sqlite3_str_appendf(where, " AND \"%w\" BETWEEN %d AND %d", name, split->pid,
                            split->pid + CHILDREN);
    else if (strcmp(table, "TARGET_INFO_GPU") == 0 && strcmp(name, "id") == 0)
        sqlite3_str_appendf(where, " AND id / %d = %d", split->per_host, split->host);
}

static void table_copy(Split *split, const char *table, const char *create)
{
    sql(split, sqlite3_mprintf("CREATE TABLE own.%s", create + strlen("CREATE TABLE ")));
    sqlite3_str *values = sqlite3_str_new(split->db), *where = sqlite3_str_new(split->db);
    sqlite3_stmt *columns;
    char *list = sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q)", table);
    if (sqlite3_prepare_v2(split->db, list, -1, &columns, NULL) != SQLITE_OK)
        fail("%s: %s", table, sqlite3_errmsg(split->db));
    while (sqlite3_step(columns) == SQLITE_ROW)
        column_append(split, table, (const char *)sqlite3_column_text(columns, 0), values, where);
    sqlite3_finalize(columns);
    sqlite3_free(list);
    char *expressions = sqlite3_str_finish(values), *condition = sqlite3_str_finish(where);
    sql(split, sqlite3_mprintf("INSERT INTO own.\"%w\" SELECT %s FROM main.\"%w\" WHERE 1%s", table,
                               expressions, table, condition ? condition : ""));
    sqlite3_free(expressions);
    sqlite3_free(condition);
}

static void rank_write(Split *split, const char *path)
{
    int length = (int)strlen(path) - (int)strlen(".sqlite");
    if (length < 0 || strcmp(path + length, ".sqlite") != 0)
        fail("--split needs a name that ends in .sqlite");
    char *file = sqlite3_mprintf("%.*s.rank%d.sqlite", length, path, split->rank);
    unlink(file);
    sql(split, sqlite3_mprintf("ATTACH %Q AS own", file));
    sqlite3_free(file);
    sql(split, sqlite3_mprintf("PRAGMA own.journal_mode=OFF; PRAGMA own.synchronous=OFF; BEGIN"));
    sqlite3_stmt *tables;
    if (sqlite3_prepare_v2(split->db, "SELECT name, sql FROM main.sqlite_master WHERE type='table'",
                           -1, &tables, NULL) != SQLITE_OK)
        fail("%s: %s", path, sqlite3_errmsg(split->db));
    while (sqlite3_step(tables) == SQLITE_ROW)
        table_copy(split, (const char *)sqlite3_column_text(tables, 0),
                   (const char *)sqlite3_column_text(tables, 1));
    sqlite3_finalize(tables);
    // Tables without rows are missing, as in real exports.
    sql(split, sqlite3_mprintf("COMMIT; DETACH own"));
}

void ranks_split(const char *path, const int *pids, int rank_count, int hosts, uint64_t seed)
{
    Split split = {.per_host = (rank_count + hosts - 1) / hosts};
    if (sqlite3_open(path, &split.db) != SQLITE_OK)
        fail("%s: %s", path, sqlite3_errmsg(split.db));
    int64_t first_ahead = 0;
    for (split.rank = 0; split.rank < rank_count; split.rank++) {
        split.pid = pids[split.rank];
        split.host = split.rank / split.per_host;
        Rng of_host = rng_seeded(seed, PURPOSE_HOST, (uint64_t)split.host);
        split.ahead_ns = (int64_t)((rng_unit(&of_host) - 0.5) * 50 * MS);
        split.drift_ppb = (int64_t)((rng_unit(&of_host) - 0.5) * 8000);
        Rng of_rank = rng_seeded(seed, PURPOSE_RANK, (uint64_t)split.rank);
        split.begin_ns = (int64_t)(rng_unit(&of_rank) * 40 * MS);
        if (split.rank == 0)
            first_ahead = split.ahead_ns;
        rank_write(&split, path);
        printf("clock\t%d\t%lld\n", split.rank, (long long)(split.ahead_ns - first_ahead));
    }
    sqlite3_close(split.db);
}
