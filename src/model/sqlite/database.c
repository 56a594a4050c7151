// SPDX-License-Identifier: Apache-2.0
// Opens the database read-only and immutable, without trusting its contents; finds tables and
// columns, and prepares statements.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/sqlite/sqlite_file.h"

enum {
    MAX_OBJECTS = 4096,
    MAX_TEXT = 64 << 20,       // SQLite refuses longer texts ...
    MIN_TEXT_LIMIT = 64 << 10, // ... and texts longer than the file, if that is larger than this
    CANCEL_STEPS = 4000,       // steps of SQLite's virtual machine between two checks of `cancel`
    ROW_BYTES = 4,             // minimum size of a row
};

// ---- opening -----------------------------------------------------------------------------------

// Called by SQLite at intervals: returns nonzero to end a query if the load was cancelled or the
// query needs too many steps. In a damaged file pages can form a cycle, so that it would never end.
static int check_steps(void *context)
{
    struct nsys *nsys = context;
    return atomic_load_explicit(&nsys->progress->cancel, memory_order_relaxed) ||
           atomic_fetch_sub_explicit(&nsys->steps_left, CANCEL_STEPS, memory_order_relaxed) <= 0;
}

static int text_limit(int64_t bytes)
{
    return bytes > MAX_TEXT ? MAX_TEXT : bytes < MIN_TEXT_LIMIT ? MIN_TEXT_LIMIT : (int)bytes;
}

// Sets SQLite's limits far above what nsys writes and the loader needs, but so low that no file can
// make a query slow.
static void set_limits(const struct nsys *nsys, sqlite3 *db)
{
    static const struct sqlite_limit {
        int id, value;
    } limits[] = {
        {SQLITE_LIMIT_SQL_LENGTH, 1 << 20}, // also of a table's definition
        {SQLITE_LIMIT_COLUMN, 1000},        {SQLITE_LIMIT_EXPR_DEPTH, 50},
        {SQLITE_LIMIT_COMPOUND_SELECT, 2},  {SQLITE_LIMIT_VDBE_OP, 100000},
        {SQLITE_LIMIT_ATTACHED, 0},         {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100},
        {SQLITE_LIMIT_VARIABLE_NUMBER, 10}, {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(db, limits[i].id, limits[i].value);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, text_limit(nsys->bytes));
}

// Allows only what the loader itself queries, whatever a definition in the file refers to: columns
// of tables, without views and triggers, and no functions but those listed.
static int authorize(void *context, int action, const char *object, const char *detail,
                     const char *database, const char *on_behalf_of)
{
    static const char *const functions[] = {NSYS_ROW_FUNCTION, "min", "max", "count"};
    (void)context, (void)database;
    if (on_behalf_of)
        return SQLITE_DENY;
    if (action == SQLITE_SELECT || action == SQLITE_READ)
        return SQLITE_OK;
    if (action == SQLITE_PRAGMA)
        return strcmp(object, "table_info") == 0 ? SQLITE_OK : SQLITE_DENY;
    for (size_t i = 0; action == SQLITE_FUNCTION && i < sizeof functions / sizeof *functions; i++)
        if (strcmp(detail, functions[i]) == 0)
            return SQLITE_OK;
    return SQLITE_DENY;
}

// Disables everything in the file that could be executed: views, triggers, virtual tables,
// extensions.
static void restrict_connection(struct nsys *nsys, sqlite3 *db)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_drop_modules(db, NULL);
    sqlite3_exec(db, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;", NULL, NULL, NULL);
    set_limits(nsys, db);
    sqlite3_set_authorizer(db, authorize, NULL);
    sqlite3_progress_handler(db, CANCEL_STEPS, check_steps, nsys);
}

sqlite3 *nsys_connect(struct nsys *nsys, struct error *error)
{
    const char *uri = nsys->uri;
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    int status = sqlite3_open_v2(uri, &db, flags, NULL);
    if (status != SQLITE_OK) {
        if (status == SQLITE_NOMEM)
            error_set(error, ERROR_MEMORY, "out of memory");
        else
            error_set(error, ERROR_IO, "%s cannot be opened: %s", nsys->request->path,
                      sqlite3_errmsg(db));
        sqlite3_close(db);
        return NULL;
    }
    restrict_connection(nsys, db);
    return db;
}

// ---- schema ------------------------------------------------------------------------------------

// Returns whether the definition has the form in which SQLite itself writes a table. A forged
// definition may have any type and name.
static bool is_plain_table(const char *type, const char *sql)
{
    static const char head[] = "CREATE TABLE ";
    return type && sql && strcmp(type, "table") == 0 &&
           strncasecmp(sql, head, sizeof head - 1) == 0;
}

bool nsys_schema(struct nsys *nsys, struct error *error)
{
    sqlite3_stmt *row = NULL;
    int status = sqlite3_prepare_v2(
        nsys->db, "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')", -1,
        &row, NULL);
    while (status == SQLITE_OK && (status = sqlite3_step(row)) == SQLITE_ROW) {
        sqlite3_value *name = sqlite3_column_value(row, 0);
        const char *type = (const char *)sqlite3_column_text(row, 1);
        const char *sql = (const char *)sqlite3_column_text(row, 2);
        struct sqlite_object object = {
            .name = cell_copy(&name, 0, 200, nsys->arena),
            .is_table = is_plain_table(type, sql),
        };
        if (nsys->object_count < MAX_OBJECTS)
            ARENA_PUSH(nsys->arena, nsys->objects, nsys->object_count, nsys->object_capacity) =
                object;
        status = SQLITE_OK;
    }
    bool done = status == SQLITE_DONE;
    nsys_record_error(nsys, status);
    if (!done)
        error_set(error, ERROR_DATA, "%s: %s", nsys->request->path, sqlite3_errmsg(nsys->db));
    sqlite3_finalize(row);
    return done;
}

// Returns 0 for another table, 1 for the base name itself, n + 1 for base_Vn.
static int table_version(const char *name, const char *base)
{
    size_t length = strlen(base);
    if (strncasecmp(name, base, length) != 0)
        return 0;
    name += length;
    if (!*name)
        return 1;
    if (strncasecmp(name, "_V", 2) != 0 || !isdigit((unsigned char)name[2]))
        return 0;
    char *end;
    long version = strtol(name + 2, &end, 10);
    return *end || version > 1000 ? 0 : (int)version + 1;
}

static const char *table_alias(const struct nsys_dialect *dialect, const char *base)
{
    for (const struct nsys_alias *alias = dialect->aliases; alias && alias->is; alias++)
        if (!alias->column && strcasecmp(alias->table, base) == 0)
            return alias->is;
    return base;
}

static bool read_columns(struct nsys *nsys, struct sqlite_table *table)
{
    char *sql = sqlite3_mprintf("PRAGMA table_info(\"%w\")", table->name);
    sqlite3_stmt *row = nsys_prepare(nsys, nsys->db, sql);
    sqlite3_free(sql);
    int keys = 0;
    size_t capacity = 0;
    table->has_rowid = true;
    while (row && nsys_step(nsys, row) == SQLITE_ROW) {
        sqlite3_value *cell = sqlite3_column_value(row, 1);
        const char *name = cell_copy(&cell, 0, 200, nsys->arena);
        const char *type = (const char *)sqlite3_column_text(row, 2);
        ARENA_PUSH(nsys->arena, table->columns, table->column_count, capacity) = name;
        if (sqlite3_column_int(row, 5) > 0 && keys++ == 0)
            table->key = type && strcasecmp(type, "INTEGER") == 0 ? name : NULL;
        if (strcasecmp(name, "rowid") == 0)
            table->has_rowid = false; // a column of that name hides the real one
    }
    if (keys != 1)
        table->key = NULL;
    sqlite3_finalize(row);
    return table->column_count > 0;
}

static int64_t query_integer(struct nsys *nsys, const char *format, const char *name,
                             int64_t fallback)
{
    char *sql = sqlite3_mprintf(format, name, (long long)(nsys->bytes / ROW_BYTES));
    sqlite3_stmt *row = nsys_prepare(nsys, nsys->db, sql);
    int64_t value = fallback;
    if (row && nsys_step(nsys, row) == SQLITE_ROW) {
        sqlite3_value *cell = sqlite3_column_value(row, 0);
        value = cell_integer_or(&cell, 0, fallback);
    }
    sqlite3_finalize(row);
    sqlite3_free(sql);
    return value;
}

static bool has_rowids(struct nsys *nsys, const struct sqlite_table *table)
{
    char *sql = sqlite3_mprintf("SELECT rowid FROM \"%w\"", table->name);
    sqlite3_stmt *row = NULL;
    int status = sql ? sqlite3_prepare_v2(nsys->db, sql, -1, &row, NULL) : SQLITE_NOMEM;
    sqlite3_finalize(row);
    sqlite3_free(sql);
    if (status != SQLITE_ERROR) // "no such column": the table is WITHOUT ROWID
        nsys_record_error(nsys, status);
    return status == SQLITE_OK;
}

// Sets an upper bound of the number of rows. The span of rowids is free to read; if it is larger
// than the file can hold, the rows are counted.
static void measure_rows(struct nsys *nsys, struct sqlite_table *table)
{
    static const char first[] = "SELECT min(rowid) FROM \"%w\"";
    static const char last[] = "SELECT max(rowid) FROM \"%w\"";
    // Counts row by row, unlike a plain count(*), so that check_steps() can stop it.
    static const char count[] = "SELECT count(*) FROM (SELECT 1 FROM \"%w\" LIMIT %lld)";
    table->has_rowid = table->has_rowid && has_rowids(nsys, table);
    if (table->has_rowid) {
        table->first_row = query_integer(nsys, first, table->name, 0);
        table->last_row = query_integer(nsys, last, table->name, -1);
        uint64_t span = (uint64_t)table->last_row - (uint64_t)table->first_row;
        bool has_span = table->last_row >= table->first_row; // else the table is empty
        if (has_span && span < (uint64_t)nsys->bytes / 8 && span < UINT32_MAX - 1) {
            table->capacity = (uint32_t)span + 1;
            return;
        }
        table->has_rowid = false;
    }
    int64_t rows = query_integer(nsys, count, table->name, 0);
    table->capacity = rows < UINT32_MAX - 1 ? (uint32_t)rows : UINT32_MAX - 1;
}

const struct sqlite_table *sqlite_table(struct nsys *nsys, const char *base)
{
    struct sqlite_table *best = NULL;
    int best_version = 0;
    const char *own = table_alias(nsys->dialect, base);
    for (size_t i = 0; i < nsys->object_count; i++) {
        const struct sqlite_object *object = &nsys->objects[i];
        int version = table_version(object->name, own);
        if (version && !object->is_table)
            atomic_store(&nsys->disguised, object->name);
        if (!version || !object->is_table)
            continue;
        struct sqlite_table *table = ARENA_NEW(nsys->arena, struct sqlite_table);
        table->name = object->name;
        table->base = base;
        table->dialect = nsys->dialect;
        if (!read_columns(nsys, table))
            continue;
        measure_rows(nsys, table);
        bool is_better = !best || (table->capacity > 0) > (best->capacity > 0) ||
                         ((table->capacity > 0) == (best->capacity > 0) && version > best_version);
        if (is_better) {
            best = table;
            best_version = version;
        }
    }
    return best;
}

static const char *column_find(const struct sqlite_table *table, const char *name, size_t length)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (strlen(table->columns[i]) == length &&
            strncasecmp(table->columns[i], name, length) == 0)
            return table->columns[i];
    return NULL;
}

static bool has_all(const struct sqlite_table *table, const char *columns)
{
    for (size_t length; columns && *columns; columns += length + (columns[length] == ' ')) {
        length = strcspn(columns, " ");
        if (!column_find(table, columns, length))
            return false;
    }
    return true;
}

// Returns the dialect's expression for a column, or NULL.
static const char *column_alias(const struct sqlite_table *table, const char *name, size_t length)
{
    for (const struct nsys_alias *alias = table->dialect->aliases; alias && alias->is; alias++)
        if (alias->column && strlen(alias->column) == length &&
            strncasecmp(alias->column, name, length) == 0 &&
            (!alias->table || strcasecmp(alias->table, table->base) == 0) &&
            has_all(table, alias->needs))
            return alias->is;
    return NULL;
}

bool nsys_has_column(const struct sqlite_table *table, const char *column)
{
    size_t length = strlen(column);
    return table && (column_alias(table, column, length) || column_find(table, column, length));
}

bool nsys_has_rows(struct nsys *nsys, const struct sqlite_table *table, const char *where)
{
    if (!table || table->capacity == 0)
        return false;
    char *sql = sqlite3_mprintf("SELECT 1 FROM \"%w\" %s LIMIT 1", table->name, where);
    sqlite3_stmt *row = nsys_prepare(nsys, nsys->db, sql);
    bool has_rows = row && nsys_step(nsys, row) == SQLITE_ROW;
    sqlite3_finalize(row);
    sqlite3_free(sql);
    return has_rows;
}

// ---- statements --------------------------------------------------------------------------------

static const char *column_of(struct arena *arena, const struct sqlite_table *table,
                             const char *alternatives)
{
    for (;;) {
        size_t length = strcspn(alternatives, "|");
        const char *alias = column_alias(table, alternatives, length);
        const char *found = alias ? NULL : column_find(table, alternatives, length);
        if (alias || found)
            return alias ? alias : arena_format(arena, "\"%s\"", found);
        if (!alternatives[length])
            return "NULL";
        alternatives += length + 1;
    }
}

// Returns the list of columns, with "NULL" for those that the table lacks.
static const char *column_list(struct arena *arena, const struct sqlite_table *table,
                               const char *const *columns)
{
    const char *list = "";
    for (size_t i = 0; columns[i]; i++)
        list =
            arena_format(arena, "%s%s%s", list, i ? ", " : "", column_of(arena, table, columns[i]));
    return list;
}

sqlite3_stmt *nsys_select(struct nsys *nsys, const struct sqlite_table *table,
                          const char *const *columns)
{
    const char *list = column_list(nsys->scratch, table, columns);
    return nsys_prepare(nsys, nsys->db,
                        arena_format(nsys->scratch, "SELECT %s FROM \"%s\"", list, table->name));
}

// Reads in rowid order, without any index: the file's indexes are not trusted.
#define ROWS "NOT INDEXED WHERE rowid BETWEEN ?1 AND ?2"

sqlite3_stmt *nsys_select_rows(struct nsys *nsys, const struct sqlite_table *table,
                               const char *const *columns, const char *where)
{
    const char *list = column_list(nsys->scratch, table, columns);
    return nsys_prepare(nsys, nsys->db,
                        arena_format(nsys->scratch, "SELECT %s FROM \"%s\" %s AND %s", list,
                                     table->name, table->has_rowid ? ROWS : "WHERE ?1 <= ?2",
                                     *where ? where : "1"));
}

sqlite3_stmt *nsys_select_each(struct nsys *nsys, sqlite3 *db, struct arena *arena,
                               const struct sqlite_table *table, const char *const *columns,
                               const char *where)
{
    const char *list = column_list(arena, table, columns);
    const char *rows = table->has_rowid ? ROWS : where ? "WHERE" : "";
    const char *both = table->has_rowid && where ? " AND " : " ";
    return nsys_prepare(nsys, db,
                        arena_format(arena, "SELECT " NSYS_ROW_FUNCTION "(%s) FROM \"%s\" %s%s%s",
                                     list, table->name, rows, both, where ? where : ""));
}

static int64_t text_bytes(sqlite3_stmt *row, int columns)
{
    int64_t bytes = 0;
    for (int i = 0; i < columns; i++)
        if (sqlite3_column_type(row, i) == SQLITE_TEXT)
            bytes += sqlite3_column_bytes(row, i);
    return bytes;
}

bool nsys_each_row(struct nsys *nsys, const char *base, const char *const *columns,
                   void (*row)(struct nsys *nsys, sqlite3_value **row, void *context),
                   void *context)
{
    enum { MAX_CELLS = 64 };
    sqlite3_value *cells[MAX_CELLS];
    const struct sqlite_table *table = sqlite_table(nsys, base);
    if (!table)
        return false;
    sqlite3_stmt *statement = nsys_select(nsys, table, columns);
    int count = statement ? sqlite3_column_count(statement) : 0;
    while (statement && nsys_step(nsys, statement) == SQLITE_ROW) {
        for (int i = 0; i < count && i < MAX_CELLS; i++)
            cells[i] = sqlite3_column_value(statement, i);
        if (atomic_fetch_sub(&nsys->text_left, text_bytes(statement, count)) <= 0) {
            // Rows share texts: one default value, or the same pages.
            nsys_record_error(nsys, SQLITE_CORRUPT);
            break;
        }
        row(nsys, cells, context);
    }
    sqlite3_finalize(statement);
    return true;
}

// ---- cells -------------------------------------------------------------------------------------

bool cell_number(sqlite3_value *cell, int64_t *value)
{
    switch (sqlite3_value_type(cell)) {
    case SQLITE_INTEGER:
        *value = sqlite3_value_int64(cell);
        return true;
    case SQLITE_FLOAT: {
        double real = sqlite3_value_double(cell);
        if (!(real > -9.2e18 && real < 9.2e18))
            return false;
        *value = (int64_t)real;
        return true;
    }
    case SQLITE_TEXT: {
        const char *text = (const char *)sqlite3_value_text(cell);
        char *end;
        errno = 0;
        *value = text ? strtoll(text, &end, 10) : 0;
        return text && *text && !*end && errno == 0;
    }
    default:
        return false;
    }
}

static int64_t little_endian(const unsigned char *at)
{
    return (int64_t)((uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0]);
}

bool cell_thread(const struct nsys *nsys, sqlite3_value *cell, int64_t *thread)
{
    if (sqlite3_value_type(cell) != SQLITE_BLOB)
        return cell_number(cell, thread);
    const unsigned char *bytes = sqlite3_value_blob(cell);
    if (nsys->dialect->tid_bits != 32 || !bytes || sqlite3_value_bytes(cell) < 8)
        return false;
    *thread = (int64_t)((uint64_t)little_endian(bytes) << 32 | (uint64_t)little_endian(bytes + 4));
    return true;
}

const char *cell_copy(sqlite3_value **row, int column, size_t limit, struct arena *arena)
{
    const char *text = (const char *)sqlite3_value_text(row[column]);
    return text ? arena_copy(arena, text, strnlen(text, limit)) : "";
}
