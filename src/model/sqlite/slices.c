// SPDX-License-Identifier: Apache-2.0
// Reads tables in slices (spans of their rows), by several threads, and merges the slices, as
// sqlite_file.h explains.
#include <string.h>

#include "base/parallel.h"
#include "model/sqlite/sqlite_file.h"

enum {
    SLICE_ROWS = 32768, // a slice has at least this many rows ...
    MAX_SLICES = 64,    // ... and a table at most this many slices
    PROGRESS_ROWS = 4096,
    TEXT_PIECE = 1 << 20, // bytes between two checks of the remaining text budget
};

// ---- division into slices ----------------------------------------------------------------------

// Divides one span of rows into slices, which are copies of `slice` except for their rows.
static void span_cut(struct table_slices *slices, const struct slice_span *span,
                     struct table_slice *slice)
{
    struct nsys *nsys = slice->nsys;
    uint32_t left = span->rows;
    if (left > UINT32_MAX - 1 - slices->rows)
        left = UINT32_MAX - 1 - slices->rows;
    uint32_t step = left / MAX_SLICES + 1;
    if (step < SLICE_ROWS)
        step = SLICE_ROWS;
    if (!slice->table->has_rowid)
        step = left;
    atomic_fetch_add(&nsys->progress->rows_total, left);
    slice->first_row = span->first_row;
    slice->where = span->where;
    while (left) {
        uint32_t rows = left < step ? left : step;
        slice->last_row = (int64_t)((uint64_t)slice->first_row + rows - 1);
        slice->base = slices->rows;
        slice->capacity = rows;
        ARENA_PUSH(nsys->arena, slices->items, slices->count, slices->capacity) = *slice;
        slices->rows += rows;
        // It may wrap after the last slice.
        slice->first_row = (int64_t)((uint64_t)slice->first_row + rows);
        left -= rows;
    }
}

void nsys_slices_add(struct nsys *nsys, struct table_slices *slices,
                     const struct table_reader *reader, const struct sqlite_table *table,
                     void *target)
{
    if (!table || table->capacity == 0)
        return;
    struct table_slice slice = {.nsys = nsys, .reader = reader, .table = table, .target = target};
    struct slice_span spans[NSYS_SPANS];
    size_t count = nsys->dialect->spans(nsys, reader, table, spans, &slice);
    for (size_t i = 0; i < count; i++)
        span_cut(slices, &spans[i], &slice);
}

// ---- reading -----------------------------------------------------------------------------------

static sqlite3 *pool_take(struct nsys *nsys, struct error *error)
{
    sqlite3 *db = NULL;
    pthread_mutex_lock(&nsys->lock);
    if (nsys->pool_count)
        db = nsys->pool[--nsys->pool_count];
    pthread_mutex_unlock(&nsys->lock);
    return db ? db : nsys_connect(nsys, error);
}

static void pool_give(struct nsys *nsys, sqlite3 *db)
{
    pthread_mutex_lock(&nsys->lock);
    bool kept = nsys->pool_count < NSYS_POOL;
    if (kept)
        nsys->pool[nsys->pool_count++] = db;
    pthread_mutex_unlock(&nsys->lock);
    if (!kept)
        sqlite3_close(db);
}

static bool is_stopped(const struct table_slice *slice)
{
    return atomic_load_explicit(&slice->nsys->progress->cancel, memory_order_relaxed) ||
           atomic_load_explicit(&slice->nsys->is_over, memory_order_relaxed);
}

// Returns whether the rows have more text than the file can contain. In a forged file a default
// value, or pages that several rows share, can multiply one text without limit.
static bool is_too_much_text(struct table_slice *slice)
{
    if (slice->text_bytes < TEXT_PIECE)
        return false;
    int64_t left = atomic_fetch_sub(&slice->nsys->text_left, slice->text_bytes);
    slice->text_bytes = 0;
    return left <= 0;
}

static bool row_body(void *context, struct error *error)
{
    struct table_slice *slice = context;
    (void)error;
    slice->reader->row(slice, slice->cells);
    return true;
}

// Implements NSYS_ROW_FUNCTION, called by SQLite for each row. On failure it returns an error code,
// which ends the query: an arena's jump out of SQLite's functions would leave them inconsistent.
static void take_row(sqlite3_context *call, int count, sqlite3_value **cells)
{
    struct table_slice *slice = sqlite3_user_data(call);
    (void)count;
    if (++slice->rows % PROGRESS_ROWS == 0) {
        atomic_fetch_add(&slice->nsys->progress->rows_done, PROGRESS_ROWS);
        slice->reported += PROGRESS_ROWS;
        if (is_stopped(slice)) {
            sqlite3_result_error_code(call, SQLITE_INTERRUPT);
            return;
        }
    }
    slice->cells = cells;
    slice->is_endless = slice->rows > slice->capacity || // pages form a cycle
                        is_too_much_text(slice);
    if (slice->is_endless)
        sqlite3_result_error_code(call, SQLITE_CORRUPT);
    else if (!arena_run(slice->arena, row_body, slice, &slice->error))
        sqlite3_result_error_nomem(call);
}

static void take_end(sqlite3_context *call)
{
    sqlite3_result_null(call);
}

static bool slice_prepare(struct table_slice *slice)
{
    int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
    int status = sqlite3_create_function_v2(slice->db, NSYS_ROW_FUNCTION, -1, flags, slice, NULL,
                                            take_row, take_end, NULL);
    nsys_record_error(slice->nsys, status);
    if (status != SQLITE_OK)
        return false;
    slice->statement = nsys_select_each(slice->nsys, slice->db, slice->arena, slice->table,
                                        slice->reader->columns, slice->where);
    if (slice->statement && slice->table->has_rowid) {
        sqlite3_bind_int64(slice->statement, 1, slice->first_row);
        sqlite3_bind_int64(slice->statement, 2, slice->last_row);
    }
    if (slice->statement && slice->where) {
        sqlite3_bind_int64(slice->statement, NSYS_BIND_MIN, slice->least);
        sqlite3_bind_int64(slice->statement, NSYS_BIND_MAX, slice->most);
    }
    return slice->statement != NULL;
}

static bool slice_body(void *context, struct error *error)
{
    struct table_slice *slice = context;
    if (is_stopped(slice))
        return error_set(error, ERROR_CANCELLED, "cancelled");
    slice->strings = strings_new(slice->arena);
    tuples_open(&slice->text_ids, slice->arena, 1);
    if (slice->reader->begin)
        slice->reader->begin(slice);
    if (!slice_prepare(slice))
        return error_set(error, ERROR_DATA, "%s: table %s: %s", slice->nsys->request->path,
                         slice->table->name, sqlite3_errmsg(slice->db));
    int status = sqlite3_step(slice->statement) & 0xFF; // one row, the result of the aggregate
    if (is_stopped(slice))
        return error_set(error, ERROR_CANCELLED, "cancelled");
    if (status == SQLITE_NOMEM || status == SQLITE_IOERR) {
        nsys_record_error(slice->nsys, status);
        return nsys_is_readable(slice->nsys, error);
    }
    if (slice->is_endless)
        snprintf(slice->damage, sizeof slice->damage, "it has more rows or text than it can hold");
    else if (status != SQLITE_ROW)
        snprintf(slice->damage, sizeof slice->damage, "%s", sqlite3_errmsg(slice->db));
    if (slice->capacity > slice->reported)
        atomic_fetch_add(&slice->nsys->progress->rows_done,
                         (uint64_t)(slice->capacity - slice->reported));
    return true;
}

static void slice_job(void *context, size_t i)
{
    struct table_slice *slice = &((struct table_slices *)context)->items[i];
    slice->error = (struct error){ERROR_MEMORY, "out of memory"};
    slice->arena = arena_new(0);
    slice->db = slice->arena ? pool_take(slice->nsys, &slice->error) : NULL;
    if (slice->db)
        slice->done = arena_run(slice->arena, slice_body, slice, &slice->error);
    sqlite3_finalize(slice->statement);
    sqlite3_finalize(slice->text_statement);
    slice->statement = slice->text_statement = NULL;
    if (slice->db)
        pool_give(slice->nsys, slice->db);
    slice->db = NULL;
}

void nsys_slices_read_ahead(struct nsys *nsys, struct table_slices *slices)
{
    slices->is_begun = true;
    nsys->ahead = slices;
    parallel_begin(&slices->run, nsys->threads, slices->count, slice_job, slices);
}

bool nsys_slices_read(struct nsys *nsys, struct table_slices *slices, const char *doing,
                      struct error *error)
{
    atomic_store(&nsys->progress->doing, doing);
    nsys->open = slices;
    if (slices->is_begun) {
        parallel_end(&slices->run);
        nsys->ahead = NULL;
    } else {
        parallel_run(nsys->threads, slices->count, slice_job, slices);
    }
    for (size_t i = 0; i < slices->count; i++) {
        if (!slices->items[i].done) {
            if (error)
                *error = slices->items[i].error;
            return false;
        }
    }
    return true;
}

static void slices_free(struct table_slices *slices)
{
    for (size_t i = 0; i < slices->count; i++) {
        arena_free(slices->items[i].arena);
        slices->items[i].arena = NULL;
    }
}

void nsys_slices_close(struct nsys *nsys, struct table_slices *slices)
{
    slices_free(slices);
    nsys->open = NULL;
}

void nsys_slices_abandon(struct nsys *nsys)
{
    atomic_store(&nsys->is_over, true);
    if (nsys->ahead) {
        parallel_end(&nsys->ahead->run);
        slices_free(nsys->ahead);
    }
    if (nsys->open)
        slices_free(nsys->open);
}

// ---- merging -----------------------------------------------------------------------------------

static const char *skip_reasons(struct nsys *nsys, const int64_t skipped[SKIP_COUNT])
{
    static const char *const words[SKIP_COUNT] = {
        [SKIP_TIME] = "without a start or an end",
        [SKIP_BACKWARDS] = "that end before they start",
        [SKIP_IMPLAUSIBLE] = "with an impossible time",
        [SKIP_EXCESS] = "more than the table can hold",
        [SKIP_THREAD] = "of no thread",
    };
    const char *text = "";
    for (int i = 0; i < SKIP_COUNT; i++)
        if (skipped[i])
            text = arena_format(nsys->arena, "%s%s%lld %s", text, *text ? ", " : "",
                                (long long)skipped[i], words[i]);
    return text;
}

static void count_table(struct nsys *nsys, const struct table_slices *slices, size_t first,
                        size_t end)
{
    struct table_count count = {.table = slices->items[first].table->name};
    int64_t skipped[SKIP_COUNT] = {0};
    const char *damage = "";
    for (size_t i = first; i < end; i++) {
        const struct table_slice *slice = &slices->items[i];
        count.rows += slice->rows;
        for (int why = 0; why < SKIP_COUNT; why++) {
            skipped[why] += slice->skipped[why];
            count.skipped += slice->skipped[why];
        }
        if (*slice->damage)
            damage = slice->damage;
    }
    count.why = skip_reasons(nsys, skipped);
    size_t table_count = nsys->profile->table_count;
    ARENA_PUSH(nsys->arena, nsys->profile->tables, table_count, nsys->table_capacity) = count;
    nsys->profile->table_count = table_count;
    if (count.skipped)
        profile_note(nsys->profile, NOTE_WARNING, "rows_skipped", count.skipped, NULL,
                     "rows of %s not usable: %s", count.table, count.why ? count.why : "");
    if (*damage)
        profile_note(nsys->profile, NOTE_WARNING, "table_damaged", count.rows, NULL,
                     "%s cannot be read to its end (%s): %lld rows were read", count.table, damage,
                     (long long)count.rows);
}

void nsys_slices_merge(struct nsys *nsys, struct table_slices *slices)
{
    struct strings *strings = nsys->profile->strings;
    for (size_t i = 0, first = 0; i < slices->count; i++) {
        struct table_slice *slice = &slices->items[i];
        uint32_t count = strings_count(slice->strings);
        slice->names = ARENA_ARRAY(nsys->scratch, string_id, count);
        for (uint32_t id = 1; id < count; id++)
            slice->names[id] = strings_intern(strings, strings_text(slice->strings, id),
                                              strings_length(slice->strings, id));
        if (i + 1 == slices->count || slices->items[i + 1].table != slice->table) {
            count_table(nsys, slices, first, i + 1);
            first = i + 1;
        }
    }
}

struct pack_context {
    const struct table_slices *slices;
    struct raw_column *columns;
};

static void column_pack(void *context, size_t column)
{
    const struct pack_context *pack = context;
    const struct table_slices *slices = pack->slices;
    struct raw_column *raw = &pack->columns[column];
    if (raw->of != slices)
        return;
    char *to = raw->data;
    for (size_t i = 0; i < slices->count; i++) {
        const struct table_slice *slice = &slices->items[i];
        const char *from = (const char *)raw->data + slice->base * raw->size;
        if (from != to && slice->count)
            memmove(to, from, slice->count * raw->size);
        to += slice->count * raw->size;
    }
    raw->of = NULL;
}

uint32_t nsys_slices_compact(struct nsys *nsys, const struct table_slices *slices)
{
    uint32_t rows = 0;
    for (size_t i = 0; i < slices->count; i++)
        rows += slices->items[i].count;
    struct pack_context pack = {slices, nsys->raw};
    parallel_run(parallel_parts(rows) > 1 ? nsys->threads : 1, NSYS_RAW, column_pack, &pack);
    return rows;
}

// ---- rows --------------------------------------------------------------------------------------

bool slice_times(struct table_slice *slice, sqlite3_value **row, int start_column, int64_t *start,
                 int64_t *end)
{
    enum skip_reason why;
    if (!cell_integer(row, start_column, start) || !cell_integer(row, start_column + 1, end))
        why = SKIP_TIME;
    else if (!nsys_is_plausible_time(slice->nsys, *start) ||
             !nsys_is_plausible_time(slice->nsys, *end) || *end - *start > DURATION_LIMIT)
        why = SKIP_IMPLAUSIBLE;
    else if (*end < *start)
        why = SKIP_BACKWARDS;
    else
        return true;
    slice->skipped[why]++;
    return false;
}

bool slice_room(struct table_slice *slice, uint32_t *at)
{
    if (slice->count == slice->capacity) {
        slice->skipped[SKIP_EXCESS]++;
        return false;
    }
    *at = slice->base + slice->count++;
    return true;
}

const char *slice_cell(struct table_slice *slice, sqlite3_value **row, int column, size_t *length)
{
    const char *text = (const char *)sqlite3_value_text(row[column]);
    *length = text ? (size_t)sqlite3_value_bytes(row[column]) : 0;
    slice->text_bytes += (int64_t)*length;
    return text;
}

string_id slice_text(struct table_slice *slice, sqlite3_value **row, int column)
{
    size_t length;
    const char *text = slice_cell(slice, row, column, &length);
    return text ? strings_intern(slice->strings, text, length) : STRING_NONE;
}

static string_id text_look_up(struct table_slice *slice, int64_t id)
{
    struct nsys *nsys = slice->nsys;
    if (id < 0 && nsys->dialect->text)
        return strings_intern_text(slice->strings, nsys->dialect->text(id, slice->arena));
    if (!nsys->strings)
        return STRING_NONE;
    if (!nsys->strings->key) {
        uint32_t index = tuples_find(&nsys->loaded_ids, &id);
        return index == UINT32_MAX ? STRING_NONE
                                   : strings_intern_text(slice->strings, nsys->loaded_texts[index]);
    }
    if (!slice->text_statement) {
        const char *sql = arena_format(slice->arena, "SELECT \"%s\" FROM \"%s\" WHERE \"%s\" = ?1",
                                       nsys->text_column, nsys->strings->name, nsys->strings->key);
        slice->text_statement = nsys_prepare(nsys, slice->db, sql);
        if (!slice->text_statement)
            return STRING_NONE;
    }
    sqlite3_bind_int64(slice->text_statement, 1, id);
    string_id text = STRING_NONE;
    if (nsys_step(nsys, slice->text_statement) == SQLITE_ROW) {
        sqlite3_value *cell = sqlite3_column_value(slice->text_statement, 0);
        text = slice_text(slice, &cell, 0);
    }
    sqlite3_reset(slice->text_statement);
    return text;
}

string_id slice_text_by_id(struct table_slice *slice, sqlite3_value **row, int column)
{
    int64_t id;
    if (!cell_integer(row, column, &id))
        return STRING_NONE;
    uint32_t known = slice->text_ids.count;
    uint32_t index = tuples_put(&slice->text_ids, &id);
    if (index == known) {
        size_t count = known;
        string_id text = text_look_up(slice, id);
        ARENA_PUSH(slice->arena, slice->text_of, count, slice->text_capacity) = text;
    }
    return slice->text_of[index];
}
