// SPDX-License-Identifier: Apache-2.0
// Writes the rows of a DLProf database with SQLite, in one transaction. The rollback journal is in
// memory, so that no other file appears beside it; the caller removes the file after a failure.
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/export/export_dldb.h"

struct dldb_file {
    sqlite3 *handle;
    sqlite3_stmt *inserts[DLDB_TABLES];
    const struct arena *arena; // writing stops with it
    uint32_t rows;
    bool has_failed;
    char why[400];
};

static void file_fail(struct dldb_file *file)
{
    if (file->has_failed)
        return;
    // Prefers the system's reason to SQLite's, which only says that there was an I/O error.
    int reason = errno, code = sqlite3_errcode(file->handle) & 0xff;
    bool is_system = (code == SQLITE_IOERR || code == SQLITE_CANTOPEN) && reason != 0;
    snprintf(file->why, sizeof file->why, "%s",
             is_system ? strerror(reason) : sqlite3_errmsg(file->handle));
    file->has_failed = true;
}

static bool file_run(struct dldb_file *file, const char *sql)
{
    if (!file->has_failed && sqlite3_exec(file->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
        file_fail(file);
    return !file->has_failed;
}

struct dldb_file *dldb_file_open(const char *path, const struct arena *arena, char *why,
                                 size_t size)
{
    errno = 0;
    struct dldb_file *file = calloc(1, sizeof *file);
    if (!file || sqlite3_open_v2(path, &file->handle, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
        snprintf(why, size, "%s",
                 file && file->handle ? sqlite3_errmsg(file->handle) : "out of memory");
        if (file)
            sqlite3_close(file->handle);
        free(file);
        return NULL;
    }
    file->arena = arena;
    file_run(file, "PRAGMA journal_mode = MEMORY");
    file_run(file, "PRAGMA synchronous = OFF"); // the caller syncs once, before it renames the file
    file_run(file, "PRAGMA locking_mode = EXCLUSIVE");
    file_run(file, "PRAGMA cache_size = -65536");
    file_run(file, "BEGIN");
    return file;
}

bool dldb_file_begin(struct dldb_file *file, struct arena *arena)
{
    for (enum dldb_table_id table = 0; table < DLDB_TABLES; table++)
        file_run(file, dldb_create_table(table, arena));
    for (enum dldb_table_id table = 0; table < DLDB_TABLES && !file->has_failed; table++)
        if (sqlite3_prepare_v2(file->handle, dldb_insert(table, arena), -1, &file->inserts[table],
                               NULL) != SQLITE_OK)
            file_fail(file);
    return !file->has_failed;
}

static void bind(sqlite3_stmt *insert, int at, struct value value)
{
    if (value.kind == VALUE_TEXT)
        sqlite3_bind_text(insert, at, value.text, -1, SQLITE_STATIC);
    else if (value.kind == VALUE_REAL)
        sqlite3_bind_double(insert, at, value.real);
    else if (value.kind == VALUE_NONE)
        sqlite3_bind_null(insert, at);
    else
        sqlite3_bind_int64(insert, at, value.integer);
}

void dldb_file_row(struct dldb_file *file, enum dldb_table_id table, int64_t id,
                   const struct value *values, size_t count)
{
    enum { ROWS_PER_STOP_CHECK = 1024 };
    sqlite3_stmt *insert = file->inserts[table];
    if (++file->rows % ROWS_PER_STOP_CHECK == 0 && arena_is_stopped(file->arena))
        file->has_failed = true;
    if (file->has_failed)
        return;
    sqlite3_bind_int64(insert, 1, id);
    for (size_t i = 0; i < count; i++)
        bind(insert, (int)i + 2, values[i]);
    if (sqlite3_step(insert) != SQLITE_DONE)
        file_fail(file);
    sqlite3_reset(insert);
}

// Falls back to an index that is not unique if rows are equal in its columns, such as graph nodes
// that began at the same time.
static void create_indexes(struct dldb_file *file, struct arena *arena)
{
    for (enum dldb_table_id table = 0; table < DLDB_TABLES && !file->has_failed; table++) {
        const char *sql = dldb_create_index(table, true, arena);
        int status = sql ? sqlite3_exec(file->handle, sql, NULL, NULL, NULL) : SQLITE_OK;
        if (status == SQLITE_CONSTRAINT)
            file_run(file, dldb_create_index(table, false, arena));
        else if (status != SQLITE_OK)
            file_fail(file);
    }
}

bool dldb_file_finish(struct dldb_file *file, struct arena *arena)
{
    create_indexes(file, arena);
    for (size_t view = 0; view < dldb_view_count() && !file->has_failed; view++)
        file_run(file, dldb_create_view(view, arena));
    return file_run(file, "COMMIT");
}

void dldb_file_close(struct dldb_file *file, char *why, size_t size)
{
    for (enum dldb_table_id table = 0; table < DLDB_TABLES; table++)
        sqlite3_finalize(file->inserts[table]);
    sqlite3_close(file->handle);
    snprintf(why, size, "%s", file->why);
    free(file);
}
