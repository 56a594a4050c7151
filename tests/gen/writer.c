// SPDX-License-Identifier: Apache-2.0
//
// Rows wait in memory by table, in the order in which they were added. writer_flush() sorts them by
// start and writes those that start before a given time. A table of the file is created with its
// first row. Texts in StringIds are kept in a hash table, so that each is written once.
#define _POSIX_C_SOURCE 200809L
#include "writer.h"

#include "fail.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH_ROWS 8192 // smaller batches cost more time than they save memory

typedef struct {
    int64_t start;
    size_t index;
} SortKey;

typedef struct {
    bool is_created, dropped;
    sqlite3_stmt *insert;
    const SchemaColumn *bound[64];
    int bound_count;
    int64_t *rows;
    size_t count, capacity;
    SortKey *keys;
    char *text;
    size_t text_size, text_capacity;
    uint64_t written;
} Table;

typedef struct {
    char *text;
    uint64_t hash;
    int64_t id;
} InternSlot;

struct Writer {
    sqlite3 *db;
    SchemaVersion version;
    Table tables[TABLE_COUNT];
    sqlite3_stmt *insert_string;
    InternSlot *slots;
    size_t slot_count, slot_used;
    int64_t stop_ns, host_from_ns;
    WriterWatch watch;
    void *watch_context;
};

static void check(Writer *writer, int code, const char *what)
{
    if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW)
        fail("%s: %s", what, sqlite3_errmsg(writer->db));
}

void writer_sql(Writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *sql = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    if (!sql)
        fail("out of memory");
    check(writer, sqlite3_exec(writer->db, sql, NULL, NULL, NULL), sql);
    sqlite3_free(sql);
}

Writer *writer_open(const char *path, SchemaVersion version, bool force)
{
    if (access(path, F_OK) == 0) {
        if (!force)
            fail("%s exists; --force overwrites it", path);
        if (unlink(path) != 0)
            fail("cannot remove %s", path);
    }
    Writer *writer = memory_grow(NULL, sizeof *writer);
    memset(writer, 0, sizeof *writer);
    writer->version = version;
    writer->stop_ns = INT64_MAX;
    writer->host_from_ns = INT64_MIN;
    if (sqlite3_open(path, &writer->db) != SQLITE_OK)
        fail("cannot create %s: %s", path, sqlite3_errmsg(writer->db));
    writer_sql(writer,
               "PRAGMA page_size=4096; PRAGMA encoding='UTF-8'; PRAGMA journal_mode=OFF;"
               "PRAGMA synchronous=OFF; PRAGMA cache_size=-65536; PRAGMA locking_mode=EXCLUSIVE;"
               "BEGIN;"
               "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);");
    check(writer,
          sqlite3_prepare_v2(writer->db, "INSERT INTO StringIds VALUES(?,?)", -1,
                             &writer->insert_string, NULL),
          "StringIds");
    writer->slot_count = 1024;
    writer->slots = memory_grow(NULL, writer->slot_count * sizeof *writer->slots);
    memset(writer->slots, 0, writer->slot_count * sizeof *writer->slots);
    writer_intern(writer, "[Unknown]");
    return writer;
}

void writer_watch(Writer *writer, WriterWatch watch, void *context)
{
    writer->watch = watch;
    writer->watch_context = context;
}

SchemaVersion writer_version(const Writer *writer)
{
    return writer->version;
}
void writer_stop_at(Writer *writer, int64_t stop_ns)
{
    writer->stop_ns = stop_ns;
}
void writer_cut_host_before(Writer *writer, int64_t start_ns)
{
    writer->host_from_ns = start_ns;
}
void writer_drop_table(Writer *writer, TableId table)
{
    writer->tables[table].dropped = true;
}
int64_t writer_stop(const Writer *writer)
{
    return writer->stop_ns;
}
uint64_t writer_rows(const Writer *writer, TableId table)
{
    return writer->tables[table].written;
}

static uint64_t text_hash(const char *text)
{
    uint64_t hash = 1469598103934665603u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash | 1;
}

static InternSlot *slot_find(InternSlot *slots, size_t count, uint64_t hash, const char *text)
{
    size_t at = (size_t)hash & (count - 1);
    while (slots[at].hash && !(slots[at].hash == hash && strcmp(slots[at].text, text) == 0))
        at = (at + 1) & (count - 1);
    return &slots[at];
}

static void slots_double(Writer *writer)
{
    size_t count = writer->slot_count * 2;
    InternSlot *slots = memory_grow(NULL, count * sizeof *slots);
    memset(slots, 0, count * sizeof *slots);
    for (size_t i = 0; i < writer->slot_count; i++)
        if (writer->slots[i].hash)
            *slot_find(slots, count, writer->slots[i].hash, writer->slots[i].text) =
                writer->slots[i];
    free(writer->slots);
    writer->slots = slots;
    writer->slot_count = count;
}

int64_t writer_intern(Writer *writer, const char *text)
{
    uint64_t hash = text_hash(text);
    InternSlot *slot = slot_find(writer->slots, writer->slot_count, hash, text);
    if (slot->hash)
        return slot->id;
    size_t size = strlen(text) + 1;
    slot->text = memory_grow(NULL, size);
    memcpy(slot->text, text, size);
    slot->hash = hash;
    slot->id = (int64_t)writer->slot_used++;
    int64_t id = slot->id;
    sqlite3_bind_int64(writer->insert_string, 1, id);
    sqlite3_bind_text(writer->insert_string, 2, slot->text, -1, SQLITE_STATIC);
    check(writer, sqlite3_step(writer->insert_string), "StringIds");
    sqlite3_reset(writer->insert_string);
    if (writer->slot_used * 2 > writer->slot_count)
        slots_double(writer);
    return id;
}

int64_t *writer_add(Writer *writer, TableId id, int64_t start_ns, int64_t end_ns, const char *text)
{
    Table *table = &writer->tables[id];
    if (table->count == table->capacity) {
        table->capacity = table->capacity ? table->capacity * 2 : 1024;
        table->rows = memory_grow(table->rows, table->capacity * ROW_WIDTH * sizeof(int64_t));
        table->keys = memory_grow(table->keys, table->capacity * sizeof(SortKey));
    }
    int64_t *row = table->rows + table->count++ * ROW_WIDTH;
    for (int i = 0; i < ROW_WIDTH; i++)
        row[i] = ROW_NULL;
    row[ROW_START] = start_ns;
    row[ROW_END] = end_ns;
    if (text) {
        size_t size = strlen(text) + 1;
        if (table->text_size + size > table->text_capacity) {
            table->text_capacity = (table->text_size + size) * 2;
            table->text = memory_grow(table->text, table->text_capacity);
        }
        memcpy(table->text + table->text_size, text, size);
        row[ROW_TEXT] = (int64_t)table->text_size;
        table->text_size += size;
    }
    return row;
}

static bool column_in(const SchemaColumn *column, SchemaVersion version)
{
    return column->from <= version && version <= column->until;
}

// Tables without rows are missing in real exports, so a table is created with its first row.
static void table_make(Writer *writer, TableId id)
{
    const SchemaTable *schema = &schema_tables[id];
    Table *table = &writer->tables[id];
    const char *name =
        schema->old_name && writer->version < schema->renamed_in ? schema->old_name : schema->name;
    sqlite3_str *create = sqlite3_str_new(writer->db);
    sqlite3_str *columns = sqlite3_str_new(writer->db);
    sqlite3_str *values = sqlite3_str_new(writer->db);
    sqlite3_str_appendf(create, "CREATE TABLE %s (", name);
    const char *create_comma = "", *comma = "";
    for (size_t i = 0; i < schema->count; i++) {
        const SchemaColumn *column = &schema->columns[i];
        if (!column_in(column, writer->version))
            continue;
        sqlite3_str_appendf(create, "%s\"%s\" %s", create_comma, column->name, column->type);
        create_comma = ", ";
        if (column->kind == COLUMN_NULL)
            continue;
        sqlite3_str_appendf(columns, "%s\"%s\"", comma, column->name);
        sqlite3_str_appendf(values, "%s%s", comma,
                            column->kind == COLUMN_CONSTANT ? column->constant : "?");
        comma = ",";
        if (column->kind != COLUMN_CONSTANT)
            table->bound[table->bound_count++] = column;
    }
    sqlite3_str_appendall(create, ")");
    char *create_sql = sqlite3_str_finish(create), *column_list = sqlite3_str_finish(columns),
         *value_list = sqlite3_str_finish(values);
    char *insert_sql =
        sqlite3_mprintf("INSERT INTO %s (%s) VALUES (%s)", name, column_list, value_list);
    check(writer, sqlite3_exec(writer->db, create_sql, NULL, NULL, NULL), name);
    check(writer,
          sqlite3_prepare_v3(writer->db, insert_sql, -1, SQLITE_PREPARE_PERSISTENT, &table->insert,
                             NULL),
          name);
    sqlite3_free(create_sql);
    sqlite3_free(column_list);
    sqlite3_free(value_list);
    sqlite3_free(insert_sql);
    table->is_created = true;
}

static bool row_wanted(const Writer *writer, TableId id, const int64_t *row)
{
    bool gpu =
        id == TABLE_KERNEL || id == TABLE_MEMCPY || id == TABLE_MEMSET || id == TABLE_GRAPH_TRACE;
    if (writer->tables[id].dropped || row[ROW_START] >= writer->stop_ns)
        return false;
    // Work still running when the capture stops is not recorded; ranges are cut.
    if (id != TABLE_NVTX && row[ROW_END] > writer->stop_ns)
        return false;
    return gpu || row[ROW_START] >= writer->host_from_ns;
}

static void row_write(Writer *writer, TableId id, int64_t *row)
{
    Table *table = &writer->tables[id];
    if (!row_wanted(writer, id, row))
        return;
    if (!table->is_created)
        table_make(writer, id);
    if (id == TABLE_NVTX && row[ROW_END] != ROW_NULL && row[ROW_END] > writer->stop_ns)
        row[ROW_END] = writer->stop_ns;
    if (writer->watch)
        writer->watch(writer->watch_context, id, row);
    for (int i = 0; i < table->bound_count; i++) {
        int64_t value = row[table->bound[i]->member];
        if (value == ROW_NULL)
            sqlite3_bind_null(table->insert, i + 1);
        else if (table->bound[i]->kind == COLUMN_TEXT)
            sqlite3_bind_text(table->insert, i + 1, table->text + value, -1, SQLITE_STATIC);
        else
            sqlite3_bind_int64(table->insert, i + 1, value);
    }
    int code = sqlite3_step(table->insert);
    if (code != SQLITE_DONE)
        check(writer, code == SQLITE_ROW ? SQLITE_ERROR : code, schema_tables[id].name);
    sqlite3_reset(table->insert);
    table->written++;
}

static int key_compare(const void *left, const void *right)
{
    const SortKey *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

// Removes the first `from` rows by start, which are written; the others and their texts move to the
// front.
static void table_drop_written(Table *table, size_t from)
{
    size_t remaining = table->count - from, text_size = 0;
    if (remaining) {
        int64_t *rows = memory_grow(NULL, table->capacity * ROW_WIDTH * sizeof(int64_t));
        char *text = table->text_capacity ? memory_grow(NULL, table->text_capacity) : NULL;
        for (size_t i = 0; i < remaining; i++) {
            int64_t *row = rows + i * ROW_WIDTH;
            memcpy(row, table->rows + table->keys[from + i].index * ROW_WIDTH,
                   ROW_WIDTH * sizeof(int64_t));
            if (text && row[ROW_TEXT] != ROW_NULL) {
                size_t size = strlen(table->text + row[ROW_TEXT]) + 1;
                memcpy(text + text_size, table->text + row[ROW_TEXT], size);
                row[ROW_TEXT] = (int64_t)text_size;
                text_size += size;
            }
        }
        free(table->rows);
        free(table->text);
        table->rows = rows;
        table->text = text;
    }
    table->count = remaining;
    table->text_size = text_size;
}

void writer_flush(Writer *writer, TableId id, int64_t before_ns)
{
    Table *table = &writer->tables[id];
    if (table->count == 0 || (table->count < BATCH_ROWS && before_ns != INT64_MAX))
        return;
    bool sorted = true;
    for (size_t i = 0; i < table->count; i++) {
        table->keys[i] = (SortKey){table->rows[i * ROW_WIDTH + ROW_START], i};
        sorted = sorted && (i == 0 || table->keys[i - 1].start <= table->keys[i].start);
    }
    if (!sorted)
        qsort(table->keys, table->count, sizeof *table->keys, key_compare);
    size_t at = 0;
    for (; at < table->count && table->keys[at].start < before_ns; at++)
        row_write(writer, id, table->rows + table->keys[at].index * ROW_WIDTH);
    if (at)
        table_drop_written(table, at);
}

void writer_close(Writer *writer)
{
    for (int id = 0; id < TABLE_COUNT; id++) {
        Table *table = &writer->tables[id];
        writer_flush(writer, (TableId)id, INT64_MAX);
        sqlite3_finalize(table->insert);
        free(table->rows);
        free(table->keys);
        free(table->text);
    }
    sqlite3_finalize(writer->insert_string);
    for (size_t i = 0; i < writer->slot_count; i++)
        free(writer->slots[i].text);
    free(writer->slots);
    check(writer, sqlite3_exec(writer->db, "COMMIT", NULL, NULL, NULL), "commit");
    check(writer, sqlite3_close(writer->db), "close");
    free(writer);
}
