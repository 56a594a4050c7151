// SPDX-License-Identifier: Apache-2.0
// Selects the rows of each table that are read for a window [from, to) of the file, and decides
// which of those rows belong to it.
//
// A row that overlaps [from, to) belongs to the window. A launch precedes its kernel by up to
// seconds. So work that begins after `to` belongs to the window if its call does, and a call before
// `from` belongs to it if its work does:
//
//         launches_from      from                       to        work_until
//   calls     |  early ------|--------- all calls ------|   apart    |
//   ranges    |  enclosing --|--------- all ranges -----|            |
//   GPU work  |              |--------- all work -------|-- launched before `to`
//
// The times [launches_from, from) and [to, work_until) are the margins. "Early" are the calls of
// the first margin whose work is in the window; "apart" are all calls of the margins that do not
// overlap the window.
//
// The ends of the margins are found by searching the calls before `from` and the work after `to`
// until SILENT_ROWS rows have no counterpart in the window. Rows are in order of their start. A row
// that overlaps the window may thus be anywhere before `from`; only its end has to be tested there.
#include "base/text/format.h"
#include "model/nsys/nsys_tables.h"

#include <stdlib.h>

// Longest delay from a launch to its kernel that is searched.
#define MAX_LAG_NS INT64_C(10000000000)

enum {
    EDGE_ROWS = 4096,     // rows of work before and after `from` whose launches are searched
    LAUNCH_ROWS = 65536,  // calls before `to` whose work is searched
    SILENT_ROWS = 32768,  // a search ends after this many rows without a match
    BLOCK_ROWS = 8192,    // rows of a block when searching backwards
    RANGES_HEAD = 1 << 18 // first ranges of the file, always read: domain names, outermost ranges
};

// Number of rows before the window whose end is tested. A limit suffices, since few rows are long.
static const int64_t rows_back[] = {
    [EXTENT_WORK] = 1 << 18,  [EXTENT_CALLS] = 1 << 18, [EXTENT_RANGES] = 1 << 21,
    [EXTENT_SPANS] = 1 << 20, [EXTENT_SAMPLES] = 0,     [EXTENT_BEFORE] = 0,
};

static const char *const work_columns[] = {"start", "end", "globalPid", "correlationId", NULL};
static const char *const call_columns[] = {"start", "end", "globalTid", "correlationId", NULL};

struct timed_row { // a row of work or an API call
    int64_t start, end;
    int64_t key[2]; // process, correlation
};

// Returns false to stop the iteration.
typedef bool take_event(void *context, const struct timed_row *event);

static bool event_of(const struct nsys *nsys, sqlite3_stmt *row, struct timed_row *event)
{
    enum { START, END, OWNER, CORRELATION, CELLS };
    sqlite3_value *cells[CELLS];
    int64_t id;
    for (int i = 0; i < CELLS; i++)
        cells[i] = sqlite3_column_value(row, i);
    if (!cell_integer(cells, START, &event->start) || !cell_integer(cells, OWNER, &id))
        return false;
    event->end = cell_integer_or(cells, END, INT64_MAX);
    event->key[0] = nsys_pid(nsys, id);
    event->key[1] = cell_integer_or(cells, CORRELATION, 0);
    return event->key[1] > 0;
}

// Calls `take` for the rows `rows` of `table` that begin in [least, most), in table order, until it
// returns false.
static void events_each(struct nsys *nsys, const struct sqlite_table *table, bool is_call,
                        const int64_t rows[2], int64_t least, int64_t most, take_event *take,
                        void *context)
{
    sqlite3_stmt *row = nsys_select_rows(nsys, table, is_call ? call_columns : work_columns,
                                         "\"start\" >= ?5 AND \"start\" < ?6");
    bool goes_on = row != NULL;
    sqlite3_bind_int64(row, 1, rows[0]);
    sqlite3_bind_int64(row, 2, rows[1]);
    sqlite3_bind_int64(row, NSYS_BIND_MIN, least);
    sqlite3_bind_int64(row, NSYS_BIND_MAX, most);
    while (goes_on && nsys_step(nsys, row) == SQLITE_ROW) {
        struct timed_row event;
        if (event_of(nsys, row, &event))
            goes_on = take(context, &event);
    }
    sqlite3_finalize(row);
}

// Sets `rows` to the first and the last of `before` rows before `row` and `after` rows from `row`
// on, as far as the table has them.
static void rows_around(const struct sqlite_table *table, int64_t row, int64_t before,
                        int64_t after, int64_t rows[2])
{
    rows[0] = row - table->first_row > before ? row - before : table->first_row;
    rows[1] = table->last_row - row > after ? row + after - 1 : table->last_row;
}

// ---- distance between launches and the work they launch -----------------------------------------

struct margin_search {
    struct nsys *nsys;
    struct tuples keys; // of the rows whose counterparts are searched
    uint32_t rows_since_match;
    int64_t found; // farthest time of a match
    bool is_backward;
};

static bool collect_key(void *context, const struct timed_row *event)
{
    struct margin_search *margin = context;
    tuples_put(&margin->keys, event->key);
    return true;
}

// Collects the keys of work that runs at `from` or begins soon after.
static bool collect_edge(void *context, const struct timed_row *event)
{
    struct margin_search *margin = context;
    if (event->end > margin->found)
        tuples_put(&margin->keys, event->key);
    return true;
}

static bool find_key(void *context, const struct timed_row *event)
{
    struct margin_search *margin = context;
    margin->rows_since_match++;
    if (tuples_find(&margin->keys, event->key) == UINT32_MAX)
        return margin->is_backward || margin->rows_since_match < SILENT_ROWS;
    margin->rows_since_match = 0;
    if (margin->is_backward ? event->start < margin->found : event->start >= margin->found)
        margin->found = event->start + !margin->is_backward;
    return true;
}

// Searches the calls before `from` backwards, a block at a time.
static void search_backward(struct margin_search *margin, const struct nsys_seek *calls,
                            int64_t from)
{
    int64_t end = nsys_seek_row(calls, from), time = from, rows[2];
    margin->rows_since_match = 0;
    while (end > calls->table->first_row && margin->rows_since_match < SILENT_ROWS &&
           nsys_seek_time(calls, end - 1, &time) && time >= from - MAX_LAG_NS) {
        rows_around(calls->table, end, BLOCK_ROWS, 0, rows);
        events_each(margin->nsys, calls->table, true, rows, from - MAX_LAG_NS, from, find_key,
                    margin);
        end = rows[0];
    }
}

struct event_tables { // the tables of work and of calls that have rows
    struct nsys_seek work[NSYS_WORK_TABLES], calls[NSYS_CALL_TABLES];
    size_t work_count, call_count;
    bool is_sorted; // all of these tables are in order of time
};

static void event_tables_open(struct nsys *nsys, struct event_tables *tables)
{
    *tables = (struct event_tables){.is_sorted = true};
    for (size_t i = 0; nsys_work_table(i); i++)
        if (nsys_seek_open(nsys, nsys_work_table(i), "start", &tables->work[tables->work_count]))
            tables->is_sorted &= tables->work[tables->work_count++].is_sorted;
    for (size_t i = 0; nsys_call_table(i); i++)
        if (nsys_seek_open(nsys, nsys_call_table(i), "start", &tables->calls[tables->call_count]))
            tables->is_sorted &= tables->calls[tables->call_count++].is_sorted;
}

static void event_tables_close(struct event_tables *tables)
{
    for (size_t i = 0; i < tables->work_count; i++)
        nsys_seek_close(&tables->work[i]);
    for (size_t i = 0; i < tables->call_count; i++)
        nsys_seek_close(&tables->calls[i]);
}

static int64_t find_launches_from(struct nsys *nsys, const struct event_tables *tables,
                                  int64_t from)
{
    struct margin_search margin = {.nsys = nsys, .found = from, .is_backward = true};
    int64_t rows[2];
    tuples_open(&margin.keys, nsys->scratch, 2);
    for (size_t i = 0; i < tables->work_count; i++) {
        const struct nsys_seek *work = &tables->work[i];
        rows_around(work->table, nsys_seek_row(work, from), EDGE_ROWS, EDGE_ROWS, rows);
        events_each(nsys, work->table, false, rows, INT64_MIN, INT64_MAX, collect_edge, &margin);
    }
    for (size_t i = 0; margin.keys.count && i < tables->call_count; i++)
        search_backward(&margin, &tables->calls[i], from);
    return margin.found;
}

static int64_t find_work_until(struct nsys *nsys, const struct event_tables *tables, int64_t to)
{
    struct margin_search margin = {.nsys = nsys, .found = to};
    int64_t rows[2];
    tuples_open(&margin.keys, nsys->scratch, 2);
    for (size_t i = 0; i < tables->call_count; i++) {
        const struct nsys_seek *calls = &tables->calls[i];
        rows_around(calls->table, nsys_seek_row(calls, to), LAUNCH_ROWS, 0, rows);
        events_each(nsys, calls->table, true, rows, to - MAX_LAG_NS, to, collect_key, &margin);
    }
    for (size_t i = 0; margin.keys.count && i < tables->work_count; i++) {
        const struct nsys_seek *work = &tables->work[i];
        margin.rows_since_match = 0;
        rows_around(work->table, nsys_seek_row(work, to), 0, INT64_MAX, rows);
        events_each(nsys, work->table, false, rows, to, to + MAX_LAG_NS, find_key, &margin);
    }
    return margin.found;
}

// Sets launches_from and work_until. If a table is not in order of time, the longest possible
// margins are used, since it is read completely anyway.
static void find_margins(struct nsys *nsys)
{
    struct nsys_excerpt *file_window = &nsys->file_window;
    int64_t from = file_window->of.from, to = file_window->of.to;
    struct event_tables tables;
    file_window->launches_from = from;
    file_window->work_until = to;
    event_tables_open(nsys, &tables);
    bool has_both = tables.work_count && tables.call_count;
    if (has_both && from > INT64_MIN)
        file_window->launches_from =
            tables.is_sorted ? find_launches_from(nsys, &tables, from) : from - MAX_LAG_NS;
    if (has_both && to < INT64_MAX)
        file_window->work_until =
            tables.is_sorted ? find_work_until(nsys, &tables, to) : to + MAX_LAG_NS;
    event_tables_close(&tables);
}

// ---- calls within the margins -------------------------------------------------------------------

static bool add_apart(void *context, const struct timed_row *event)
{
    struct nsys_excerpt *file_window = context;
    if (!file_window_overlaps(&file_window->of, event->start, event->end))
        tuples_put(&file_window->apart, event->key);
    return true;
}

static void find_apart(struct nsys *nsys)
{
    struct nsys_excerpt *file_window = &nsys->file_window;
    const int64_t margins[2][2] = {{file_window->launches_from, file_window->of.from},
                                   {file_window->of.to, file_window->work_until}};
    tuples_open(&file_window->apart, nsys->arena, 2);
    for (size_t i = 0; nsys_call_table(i); i++) {
        struct nsys_seek seek;
        if (!nsys_seek_open(nsys, nsys_call_table(i), "start", &seek))
            continue;
        for (size_t m = 0; m < 2; m++) {
            int64_t rows[2] = {seek.table->first_row, seek.table->last_row};
            if (margins[m][0] >= margins[m][1])
                continue;
            if (seek.is_sorted) {
                rows[0] = nsys_seek_row(&seek, margins[m][0]);
                rows[1] = nsys_seek_row(&seek, margins[m][1]) - 1;
            }
            events_each(nsys, seek.table, true, rows, margins[m][0], margins[m][1], add_apart,
                        file_window);
        }
        nsys_seek_close(&seek);
    }
    file_window->is_wanted = ARENA_ARRAY(nsys->arena, bool, (size_t)file_window->apart.count + 1);
}

static bool refuse_unnumbered_steps(struct nsys *nsys, struct error *error)
{
    const struct load_request *request = nsys->request;
    if (request->part_of)
        return error_set(
            error, ERROR_USAGE,
            "%s: no ranges that number its steps (step 12) tell where these are, so that "
            "it cannot be read in part beside other files",
            request->path);
    profile_note(nsys->profile, NOTE_WARNING, "steps_not_numbered", 1, NULL,
                 "the whole file was read: no ranges that number its steps (step 12) tell where "
                 "those of --steps are");
    return true;
}

bool nsys_excerpt_open(struct nsys *nsys, struct error *error)
{
    struct nsys_excerpt *file_window = &nsys->file_window;
    const struct file_window *requested = nsys->request->file_window;
    bool is_found = true;
    if (!requested)
        return true;
    file_window->of = *requested;
    if (file_window_has_steps(requested) &&
        !nsys_excerpt_steps(nsys, &file_window->of, &is_found, error))
        return false;
    if (!is_found)
        return refuse_unnumbered_steps(nsys, error);
    file_window->is_on = true;
    nsys->profile->file_window = ARENA_NEW(nsys->arena, struct file_window);
    *nsys->profile->file_window = file_window->of;
    find_margins(nsys);
    find_apart(nsys);
    return true;
}

// ---- rows to read per table ---------------------------------------------------------------------

static void note_gap(struct nsys *nsys, int64_t rows)
{
    char count[FORMAT_SIZE];
    profile_note(nsys->profile, NOTE_WARNING, "excerpt_gap", rows, NULL,
                 "%s of ranges long before the part were not looked at: a range that began there "
                 "and reaches into it is missing",
                 format_counted(count, (uint64_t)rows, "row"));
}

#define REACHES "(\"end\" > ?5 OR \"end\" IS NULL)"
#define TOUCHES "\"start\" < ?6 AND (\"start\" >= ?5 OR " REACHES ")"

static struct slice_span span_of(int64_t first, int64_t end, const char *where)
{
    return (struct slice_span){first, end - 1, (uint32_t)(end - first), where};
}

// Determines the spans of rows to read of a table that is in order of time: the rows that begin in
// the slice, some before them and, for ranges, the first ones of the file.
static size_t spans_cut(struct nsys *nsys, enum excerpt_extent extent, const struct nsys_seek *seek,
                        const struct table_slice *slice, const char *where,
                        struct slice_span *spans)
{
    const struct sqlite_table *table = seek->table;
    int64_t head = table->first_row, first = head, end = table->last_row + 1;
    size_t count = 0;
    if (slice->least > INT64_MIN)
        first = nsys_seek_row(seek, slice->least);
    if (slice->most < INT64_MAX)
        end = nsys_seek_row(seek, slice->most);
    int64_t back = first - head > rows_back[extent] ? first - rows_back[extent] : head;
    if (extent == EXTENT_RANGES && back - head > RANGES_HEAD) {
        spans[count++] = span_of(head, head + RANGES_HEAD, REACHES);
        note_gap(nsys, back - head - RANGES_HEAD);
    } else if (extent == EXTENT_RANGES) {
        back = head;
    }
    if (back < first)
        spans[count++] = span_of(back, first, REACHES);
    if (first < end)
        spans[count++] = span_of(first, end, where);
    return count;
}

// Sets the time bounds of `slice`. Returns the SQL condition for rows, or NULL if all rows are
// read.
static const char *slice_bound(const struct nsys_excerpt *file_window, enum excerpt_extent extent,
                               const struct sqlite_table *table, struct table_slice *slice)
{
    bool is_early = extent == EXTENT_CALLS || extent == EXTENT_RANGES;
    slice->least = extent == EXTENT_BEFORE ? INT64_MIN
                   : is_early              ? file_window->launches_from
                                           : file_window->of.from;
    slice->most = extent == EXTENT_WORK ? file_window->work_until : file_window->of.to;
    if (extent == EXTENT_SAMPLES && nsys_has_column(table, "timestamp"))
        return "\"timestamp\" >= ?5 AND \"timestamp\" < ?6";
    if (extent == EXTENT_ALL || !nsys_has_column(table, "start"))
        return NULL;
    if (extent == EXTENT_BEFORE)
        return "\"start\" < ?6";
    return nsys_has_column(table, "end") ? TOUCHES : NULL;
}

size_t nsys_excerpt_spans(struct nsys *nsys, const struct table_reader *reader,
                          const struct sqlite_table *table, struct slice_span spans[NSYS_SPANS],
                          struct table_slice *slice)
{
    struct nsys_seek seek;
    size_t count = 1;
    spans[0] = (struct slice_span){table->first_row, table->last_row, table->capacity, NULL};
    if (!nsys->file_window.is_on ||
        !(spans[0].where = slice_bound(&nsys->file_window, reader->extent, table, slice)))
        return 1;
    const char *column = reader->extent == EXTENT_SAMPLES ? "timestamp" : "start";
    if (nsys_seek_open(nsys, reader->table, column, &seek) && seek.is_sorted)
        count = spans_cut(nsys, reader->extent, &seek, slice, spans[0].where, spans);
    nsys_seek_close(&seek);
    return count;
}

// ---- tests whether a row belongs to the window --------------------------------------------------

bool nsys_excerpt_has_work(const struct nsys *nsys, int64_t process, int64_t correlation,
                           int64_t start)
{
    const struct nsys_excerpt *file_window = &nsys->file_window;
    const int64_t key[2] = {process, correlation};
    return !file_window->is_on || start < file_window->of.to ||
           (correlation > 0 && tuples_find(&file_window->apart, key) == UINT32_MAX);
}

bool nsys_excerpt_has_call(const struct nsys *nsys, int64_t start, int64_t end, int64_t thread,
                           int64_t correlation)
{
    const struct nsys_excerpt *file_window = &nsys->file_window;
    if (!file_window->is_on || file_window_overlaps(&file_window->of, start, end))
        return true;
    const int64_t key[2] = {nsys_pid(nsys, thread), correlation};
    uint32_t at = tuples_find(&file_window->apart, key);
    return at != UINT32_MAX && file_window->is_wanted[at];
}

void nsys_excerpt_mark_launch(struct nsys *nsys, int64_t process, int64_t correlation)
{
    const int64_t key[2] = {process, correlation};
    uint32_t at = tuples_find(&nsys->file_window.apart, key);
    if (at != UINT32_MAX)
        nsys->file_window.is_wanted[at] = true;
}

void nsys_excerpt_add_early_call(struct nsys *nsys, int64_t thread, int64_t start, int64_t end)
{
    struct nsys_excerpt *file_window = &nsys->file_window;
    if (!file_window_overlaps(&file_window->of, start, end))
        ARENA_PUSH(nsys->arena, file_window->early, file_window->early_count,
                   file_window->early_capacity) = (struct nsys_early_call){thread, start, end};
}

static int compare_early(const void *left, const void *right)
{
    const struct nsys_early_call *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

void nsys_excerpt_sort_early_calls(struct nsys *nsys)
{
    if (nsys->file_window.early_count)
        qsort(nsys->file_window.early, nsys->file_window.early_count,
              sizeof *nsys->file_window.early, compare_early);
}

bool nsys_excerpt_has_range(const struct nsys *nsys, int64_t start, int64_t end, int64_t thread)
{
    const struct nsys_excerpt *file_window = &nsys->file_window;
    if (!file_window->is_on || file_window_overlaps(&file_window->of, start, end))
        return true;
    const struct nsys_early_call target = {thread, start, start};
    size_t low = 0, high = file_window->early_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_early(&file_window->early[middle], &target) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < file_window->early_count; low++) {
        const struct nsys_early_call *call = &file_window->early[low];
        if (call->thread != thread || call->start >= end)
            return false;
        if (call->end <= end)
            return true;
    }
    return false;
}

// ---- empty windows ------------------------------------------------------------------------------

// Extends [*first, *last] by the starts of the first and the last row of a table. This is exact
// only for a table in order of time.
static void extent_widen(struct nsys *nsys, const char *base, int64_t *first, int64_t *last)
{
    static const char *const columns[] = {"start", NULL};
    const struct sqlite_table *table = sqlite_table(nsys, base);
    if (!table || !table->capacity)
        return;
    const int64_t rows[2] = {table->first_row, table->last_row};
    for (int i = 0; i < 2 && table->has_rowid; i++) {
        sqlite3_stmt *row = nsys_select_rows(nsys, table, columns, "");
        int64_t time;
        sqlite3_bind_int64(row, 1, rows[i]);
        sqlite3_bind_int64(row, 2, rows[i]);
        if (row && nsys_step(nsys, row) == SQLITE_ROW) {
            sqlite3_value *cell = sqlite3_column_value(row, 0);
            if (cell_integer(&cell, 0, &time) && nsys_is_plausible_time(nsys, time)) {
                *first = time < *first ? time : *first;
                *last = time > *last ? time : *last;
            }
        }
        sqlite3_finalize(row);
    }
}

bool nsys_excerpt_check(struct nsys *nsys, struct error *error)
{
    const struct profile *profile = nsys->profile;
    int64_t first = INT64_MAX, last = INT64_MIN;
    char from[FORMAT_SIZE], to[FORMAT_SIZE];
    if (!nsys->file_window.is_on || profile->work.count || profile->api.count ||
        profile->ranges.count)
        return true;
    for (size_t i = 0; nsys_work_table(i); i++)
        extent_widen(nsys, nsys_work_table(i), &first, &last);
    for (size_t i = 0; nsys_call_table(i); i++)
        extent_widen(nsys, nsys_call_table(i), &first, &last);
    extent_widen(nsys, nsys->dialect->ranges->table, &first, &last);
    return error_set(
        error, ERROR_USAGE,
        "%s: no GPU work, no call and no range in this part of it (%s): the file holds "
        "%s to %s",
        nsys->request->path, file_window_text(&nsys->file_window.of, nsys->scratch),
        format_time(from, first), format_time(to, last));
}
