// SPDX-License-Identifier: Apache-2.0
// How the file is opened: read-only, immutable, nothing in it trusted.
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/load_nsys.h"

enum {
    MAX_OBJECTS = 4096,
    MAX_TEXT = 64 << 20,    // a longer text is refused by SQLite ...
    LEAST_TEXT = 64 << 10,  // ... and one longer than the file, when that is larger than this
    CANCEL_STEPS = 200000,  // of SQLite's machine between two looks at `cancel`
    STEPS_PER_BYTE = 16,    // sane files take less than one
    STEPS_LEAST = 40000000, // for those of a few pages
    ROW_BYTES = 4,          // the least that a row takes
};

#define HOW_TO_EXPORT_AGAIN "nsys export --type=sqlite --force-overwrite=true REPORT.nsys-rep"

// ---- opening -----------------------------------------------------------------------------------

char *nsys_uri(const char *path)
{
    char *real = realpath(path, NULL);
    if (!real)
        return NULL;
    static const char tail[] = "?immutable=1";
    char *uri = malloc(5 + 3 * strlen(real) + sizeof tail);
    if (uri) {
        char *out = uri;
        memcpy(out, "file:", 5);
        out += 5;
        for (const unsigned char *at = (const unsigned char *)real; *at; at++) {
            if (isalnum(*at) || strchr("/._-~", *at))
                *out++ = (char)*at;
            else
                out += snprintf(out, 4, "%%%02X", *at);
        }
        memcpy(out, tail, sizeof tail);
    }
    free(real);
    return uri;
}

// In a damaged file pages can lead back to themselves, so that a query never ends.
static int check_steps(void *context)
{
    struct nsys *nsys = context;
    return atomic_load_explicit(&nsys->progress->cancel, memory_order_relaxed) ||
           atomic_fetch_sub_explicit(&nsys->steps_left, CANCEL_STEPS, memory_order_relaxed) <= 0;
}

static int most_text(int64_t bytes)
{
    return bytes > MAX_TEXT ? MAX_TEXT : bytes < LEAST_TEXT ? LEAST_TEXT : (int)bytes;
}

sqlite3 *nsys_connect(struct nsys *nsys, struct error *error)
{
    const char *uri = nsys->uri;
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(uri, &db, flags, NULL) != SQLITE_OK) {
        error_set(error, ERROR_IO, "%s cannot be opened: %s", nsys->request->path,
                  db ? sqlite3_errmsg(db) : "out of memory");
        sqlite3_close(db);
        return NULL;
    }
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, most_text(nsys->bytes));
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_exec(db, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;", NULL, NULL, NULL);
    sqlite3_progress_handler(db, CANCEL_STEPS, check_steps, nsys);
    return db;
}

static bool refuse_journal(const char *path, const char *real, const char *suffix,
                           struct error *error)
{
    char journal[PATH_MAX + 16];
    struct stat status;
    snprintf(journal, sizeof journal, "%s%s", real, suffix);
    if (stat(journal, &status) != 0 || status.st_size == 0)
        return true;
    return error_set(error, ERROR_DATA,
                     "%s is not whole: %s (%lld bytes) lies beside it and holds rows that are not "
                     "in the file yet, or changes to take back.\n"
                     "Wait until the program that writes it is done, export the report again "
                     "(" HOW_TO_EXPORT_AGAIN "),\n"
                     "or open what the file itself holds with --ignore-journal.",
                     path, journal, (long long)status.st_size);
}

static uint32_t big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// SQLite finds out that pages are missing only where it meets them; say it at once.
static bool check_pages(struct nsys *nsys, const unsigned char head[100], struct error *error)
{
    int64_t page = (int64_t)head[16] << 8 | head[17];
    if (page == 1)
        page = 65536;
    int64_t pages = big_endian(head + 28);
    bool is_count_valid = big_endian(head + 24) == big_endian(head + 92);
    long long whole = page * pages, there = nsys->bytes;
    if (!is_count_valid || pages == 0 || whole <= there)
        return true;
    if (nsys->request->ignore_journal) {
        profile_note(nsys->profile, NOTE_WARNING, "file_cut", whole - there, NULL,
                     "the file is cut short: %lld of %lld bytes are there", there, whole);
        return true;
    }
    return error_set(error, ERROR_DATA,
                     "%s is cut short: it has %lld bytes and its header says %lld. Copy or export "
                     "it again\n(" HOW_TO_EXPORT_AGAIN "), or open what is there with "
                     "--ignore-journal.",
                     nsys->request->path, there, whole);
}

bool nsys_check_file(struct nsys *nsys, struct error *error)
{
    const char *path = nsys->request->path;
    char real[PATH_MAX];
    struct stat status;
    unsigned char head[100];
    if (!realpath(path, real) || stat(real, &status) != 0)
        return error_set(error, ERROR_IO, "%s: %s", path, strerror(errno));
    FILE *file = fopen(real, "rbe");
    if (!file)
        return error_set(error, ERROR_IO, "%s: %s", path, strerror(errno));
    bool has_head = fread(head, 1, sizeof head, file) == sizeof head;
    fclose(file);
    if (!has_head)
        return error_set(error, ERROR_DATA,
                         "%s: %lld bytes are no SQLite database: its header alone has 100. "
                         "Copy or export it again.",
                         path, (long long)status.st_size);
    nsys->bytes = status.st_size;
    atomic_store(&nsys->steps_left, nsys->bytes * STEPS_PER_BYTE + STEPS_LEAST);
    if (!nsys->request->ignore_journal)
        return refuse_journal(path, real, "-wal", error) &&
               refuse_journal(path, real, "-journal", error) && check_pages(nsys, head, error);
    struct error journal;
    if (!refuse_journal(path, real, "-wal", &journal) ||
        !refuse_journal(path, real, "-journal", &journal))
        profile_note(nsys->profile, NOTE_WARNING, "journal_ignored", 1, NULL,
                     "a -wal or -journal beside the file was ignored: rows may be missing");
    return check_pages(nsys, head, error);
}

// ---- what the file holds -----------------------------------------------------------------------

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
        struct nsys_object object = {
            .name = cell_copy(&name, 0, 200, nsys->arena),
            .is_table = type && strcmp(type, "table") == 0 &&
                        (!sql || strncasecmp(sql, "CREATE VIRTUAL", 14) != 0),
        };
        if (nsys->object_count < MAX_OBJECTS)
            ARENA_PUSH(nsys->arena, nsys->objects, nsys->object_count, nsys->object_capacity) =
                object;
        status = SQLITE_OK;
    }
    bool done = status == SQLITE_DONE;
    nsys_heed(nsys, status);
    if (!done)
        error_set(error, ERROR_DATA, "%s: %s", nsys->request->path, sqlite3_errmsg(nsys->db));
    sqlite3_finalize(row);
    return done;
}

// 0: another table; 1: the base name itself; n: base_Vn.
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

static bool read_columns(struct nsys *nsys, struct nsys_table *table)
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

// How many rows there can be: the span of rowids is free to know. Where it says more than the file
// could hold, the rows are counted.
static void measure(struct nsys *nsys, struct nsys_table *table)
{
    static const char first[] = "SELECT min(rowid) FROM \"%w\"";
    static const char last[] = "SELECT max(rowid) FROM \"%w\"";
    // In steps that can be counted, unlike those of a plain count(*).
    static const char count[] = "SELECT count(*) FROM (SELECT 1 FROM \"%w\" LIMIT %lld)";
    if (table->has_rowid) {
        table->first_row = query_integer(nsys, first, table->name, 0);
        table->last_row = query_integer(nsys, last, table->name, -1);
        uint64_t span = (uint64_t)table->last_row - (uint64_t)table->first_row;
        bool has_span = table->last_row >= table->first_row; // else empty, or WITHOUT ROWID
        if (has_span && span < (uint64_t)nsys->bytes / 8 && span < UINT32_MAX - 1) {
            table->capacity = (uint32_t)span + 1;
            return;
        }
        table->has_rowid = false;
    }
    int64_t rows = query_integer(nsys, count, table->name, 0);
    table->capacity = rows < UINT32_MAX - 1 ? (uint32_t)rows : UINT32_MAX - 1;
}

const struct nsys_table *nsys_table(struct nsys *nsys, const char *base)
{
    struct nsys_table *best = NULL;
    int best_version = 0;
    for (size_t i = 0; i < nsys->object_count; i++) {
        const struct nsys_object *object = &nsys->objects[i];
        int version = object->is_table ? table_version(object->name, base) : 0;
        if (!version)
            continue;
        struct nsys_table *table = ARENA_NEW(nsys->arena, struct nsys_table);
        table->name = object->name;
        if (!read_columns(nsys, table))
            continue;
        measure(nsys, table);
        bool is_better = !best || (table->capacity > 0) > (best->capacity > 0) ||
                         ((table->capacity > 0) == (best->capacity > 0) && version > best_version);
        if (is_better) {
            best = table;
            best_version = version;
        }
    }
    return best;
}

static const char *column_find(const struct nsys_table *table, const char *name, size_t length)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (strlen(table->columns[i]) == length &&
            strncasecmp(table->columns[i], name, length) == 0)
            return table->columns[i];
    return NULL;
}

bool nsys_has_column(const struct nsys_table *table, const char *column)
{
    return table && column_find(table, column, strlen(column));
}

bool nsys_has_rows(struct nsys *nsys, const struct nsys_table *table, const char *where)
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

static const char *column_of(const struct nsys_table *table, const char *alternatives)
{
    for (;;) {
        size_t length = strcspn(alternatives, "|");
        const char *found = column_find(table, alternatives, length);
        if (found || !alternatives[length])
            return found;
        alternatives += length + 1;
    }
}

// The columns asked for, "NULL" for those that the table lacks.
static const char *column_list(struct arena *arena, const struct nsys_table *table,
                               const char *const *columns)
{
    const char *list = "";
    for (size_t i = 0; columns[i]; i++) {
        const char *column = column_of(table, columns[i]);
        list = column ? arena_format(arena, "%s%s\"%s\"", list, i ? ", " : "", column)
                      : arena_format(arena, "%s%sNULL", list, i ? ", " : "");
    }
    return list;
}

sqlite3_stmt *nsys_select(struct nsys *nsys, const struct nsys_table *table,
                          const char *const *columns)
{
    const char *list = column_list(nsys->scratch, table, columns);
    return nsys_prepare(nsys, nsys->db,
                        arena_format(nsys->scratch, "SELECT %s FROM \"%s\"", list, table->name));
}

sqlite3_stmt *nsys_pass(struct nsys *nsys, sqlite3 *db, struct arena *arena,
                        const struct nsys_table *table, const char *const *columns)
{
    const char *list = column_list(arena, table, columns);
    // In the order of rowids: no index of the file's is taken for it, whatever it says of itself.
    const char *rows = table->has_rowid ? " NOT INDEXED WHERE rowid BETWEEN ?1 AND ?2" : "";
    return nsys_prepare(
        nsys, db,
        arena_format(arena, "SELECT " NSYS_TAKE "(%s) FROM \"%s\"%s", list, table->name, rows));
}

bool nsys_each(struct nsys *nsys, const char *base, const char *const *columns,
               void (*row)(struct nsys *nsys, sqlite3_value **row, void *context), void *context)
{
    enum { MOST = 64 };
    sqlite3_value *cells[MOST];
    const struct nsys_table *table = nsys_table(nsys, base);
    if (!table)
        return false;
    sqlite3_stmt *statement = nsys_select(nsys, table, columns);
    int count = statement ? sqlite3_column_count(statement) : 0;
    while (statement && nsys_step(nsys, statement) == SQLITE_ROW) {
        for (int i = 0; i < count && i < MOST; i++)
            cells[i] = sqlite3_column_value(statement, i);
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

const char *cell_copy(sqlite3_value **row, int column, size_t limit, struct arena *arena)
{
    const char *text = (const char *)sqlite3_value_text(row[column]);
    return text ? arena_copy(arena, text, strnlen(text, limit)) : "";
}
