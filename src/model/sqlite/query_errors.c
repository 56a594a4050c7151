// SPDX-License-Identifier: Apache-2.0
// Queries that record their failures: unreadable data must not look like absent data.
#include "model/sqlite/sqlite_file.h"

static bool is_failure(int status)
{
    return status != SQLITE_OK && status != SQLITE_ROW && status != SQLITE_DONE;
}

// Returns whether a second try may succeed, unlike with a damaged file.
static bool is_transient(int status)
{
    return status == SQLITE_IOERR || status == SQLITE_CANTOPEN || status == SQLITE_NOMEM;
}

void nsys_record_error(struct nsys *nsys, int status)
{
    int none = SQLITE_OK;
    status &= 0xFF; // the primary result code
    if (is_transient(status))
        atomic_store(&nsys->failure, status);
    else if (is_failure(status))
        atomic_compare_exchange_strong(&nsys->failure, &none, status);
}

sqlite3_stmt *nsys_prepare(struct nsys *nsys, sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    nsys_record_error(nsys, sql ? sqlite3_prepare_v2(db, sql, -1, &statement, NULL) : SQLITE_NOMEM);
    int constants = statement ? sqlite3_bind_parameter_count(statement) : 0;
    if (constants >= NSYS_BIND_EPOCH)
        sqlite3_bind_int64(statement, NSYS_BIND_EPOCH, nsys->epoch);
    if (constants >= NSYS_BIND_PID)
        sqlite3_bind_int64(statement, NSYS_BIND_PID, nsys->pid);
    return statement;
}

int nsys_step(struct nsys *nsys, sqlite3_stmt *statement)
{
    int status = sqlite3_step(statement);
    nsys_record_error(nsys, status);
    return status;
}

bool nsys_is_readable(struct nsys *nsys, struct error *error)
{
    if (!atomic_load(&nsys->progress->cancel) && !nsys_is_unchanged(nsys, error))
        return false;
    const char *disguised = atomic_load(&nsys->disguised);
    if (disguised)
        return error_set(error, ERROR_DATA,
                         "%s: %s is a view or a virtual table where %s writes "
                         "a table; such a file is not read.\n%s",
                         nsys->request->path, disguised, nsys->dialect->tool, nsys->dialect->again);
    int failure = atomic_load(&nsys->failure);
    if (!is_transient(failure))
        return true;
    if (failure == SQLITE_NOMEM)
        return error_set(error, ERROR_MEMORY, "out of memory");
    return error_set(error, ERROR_IO, "%s cannot be read: %s", nsys->request->path,
                     sqlite3_errstr(failure));
}

void nsys_note_damage(struct nsys *nsys)
{
    int failure = atomic_load(&nsys->failure);
    if (failure)
        profile_note(nsys->profile, NOTE_WARNING, "file_damaged", 1, NULL,
                     "parts of the file cannot be read (%s): rows, names or facts of the machine "
                     "may be missing",
                     sqlite3_errstr(failure));
}
