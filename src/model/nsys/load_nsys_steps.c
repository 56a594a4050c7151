// SPDX-License-Identifier: Apache-2.0
// Finds the time of requested steps by the ranges that number them ("step 12"), without reading all
// ranges. The numbers must increase with the rows, which samples check. Bisection then finds the
// first step, and a scan from there finds the others.
#include <inttypes.h>
#include <string.h>

#include "model/markers/marker_dialects.h"
#include "model/markers/range_suffix.h"
#include "model/nsys/nsys_tables.h"

enum {
    SAMPLES = 16,          // number of samples, evenly distributed over the table
    SAMPLE_ROWS = 1 << 18, // maximum number of rows from a sample to the next step
    BISECT_ROWS = 4096,    // rows at which bisection ends
    MAX_STEP_SKEW = 2,     // difference of step numbers between processes at any time
};

enum { RANGE_START, RANGE_END, RANGE_TEXT, RANGE_TEXT_ID, RANGE_THREAD };
static const char *const columns[] = {"start", "end", "text", "textId", "globalTid", NULL};
// The rows that the loader reads as ranges. A range that was ended by a named thread is not a step.
#define IS_RANGE     "\"eventType\" IN (59, 60, 70, 71)"
#define IS_OF_THREAD IS_RANGE " AND \"endGlobalTid\" IS NULL"

struct numbered_step {
    string_id title; // "step N" with the literal N
    int64_t number, start, end, thread;
};

struct parsed_step_text { // parsed text of an id
    string_id title;
    int64_t number;
};

struct numbered_step_search {
    struct nsys *nsys;
    const struct sqlite_table *table;
    struct strings *strings;
    string_id family;          // title of the wanted steps; STRING_NONE: any
    sqlite3_stmt *rows, *text; // `text` reads a text by id; NULL: all are in memory
    struct tuples ids;         // ids of parsed texts; index in `texts`
    size_t capacity;
    struct parsed_step_text *texts;
};

// Parses a text. `title` is STRING_NONE if it does not number a step.
static struct parsed_step_text text_parse(struct numbered_step_search *search, const char *text)
{
    struct marker marker = {0};
    size_t length = range_suffix_cut(text, strlen(text)).length;
    struct marker_text parsed = {.strings = search->strings,
                                 .arena = search->nsys->scratch,
                                 .domain = "",
                                 .text = text,
                                 .length = length};
    if (!length || text[length - 1] < '0' || text[length - 1] > '9' ||
        !marker_step(&parsed, &marker))
        return (struct parsed_step_text){STRING_NONE, 0};
    return (struct parsed_step_text){marker.title, marker.number};
}

// Looks up and parses a text. The statement is kept prepared: texts with numbers differ from range
// to range, so there are many look-ups.
static struct parsed_step_text text_look_up(struct numbered_step_search *search, int64_t id)
{
    struct parsed_step_text parsed = {STRING_NONE, 0};
    const char *text = NULL;
    if (!search->text)
        return nsys_text(search->nsys, id, &text) ? text_parse(search, text) : parsed;
    sqlite3_bind_int64(search->text, 1, id);
    if (nsys_step(search->nsys, search->text) == SQLITE_ROW)
        text = (const char *)sqlite3_column_text(search->text, 0);
    if (text)
        parsed = text_parse(search, text);
    sqlite3_reset(search->text);
    return parsed;
}

static struct parsed_step_text text_of(struct numbered_step_search *search, sqlite3_value **row)
{
    int64_t id;
    const char *text;
    if (!cell_integer(row, RANGE_TEXT_ID, &id)) {
        text = (const char *)sqlite3_value_text(row[RANGE_TEXT]);
        return text ? text_parse(search, text) : (struct parsed_step_text){STRING_NONE, 0};
    }
    uint32_t known = search->ids.count, at = tuples_put(&search->ids, &id);
    if (at == known) {
        size_t count = known;
        struct parsed_step_text parsed = text_look_up(search, id);
        ARENA_PUSH(search->nsys->scratch, search->texts, count, search->capacity) = parsed;
    }
    return search->texts[at];
}

// Reads the next step from the bound rows. Returns false if there is none.
static bool step_next(struct numbered_step_search *search, struct numbered_step *step)
{
    while (nsys_step(search->nsys, search->rows) == SQLITE_ROW) {
        sqlite3_value *row[RANGE_THREAD + 1];
        for (int i = 0; i <= RANGE_THREAD; i++)
            row[i] = sqlite3_column_value(search->rows, i);
        struct parsed_step_text text = text_of(search, row);
        if (!text.title || (search->family && text.title != search->family) ||
            !cell_integer(row, RANGE_START, &step->start) ||
            !nsys_is_plausible_time(search->nsys, step->start))
            continue;
        step->title = text.title;
        step->number = text.number;
        if (!cell_integer(row, RANGE_END, &step->end) ||
            !nsys_is_plausible_time(search->nsys, step->end))
            step->end = INT64_MAX; // an open range lasts to the end of the file
        if (step->end < step->start)
            continue;
        step->thread = cell_integer_or(row, RANGE_THREAD, 0);
        return true;
    }
    return false;
}

static void rows_bind(struct numbered_step_search *search, int64_t first, int64_t last)
{
    sqlite3_reset(search->rows);
    sqlite3_bind_int64(search->rows, 1, first);
    sqlite3_bind_int64(search->rows, 2, last);
}

// Returns the first step at or after `row`, within SAMPLE_ROWS rows.
static bool step_from(struct numbered_step_search *search, int64_t row, struct numbered_step *step)
{
    int64_t last = search->table->last_row;
    rows_bind(search, row, last - row > SAMPLE_ROWS ? row + SAMPLE_ROWS : last);
    return step_next(search, step);
}

// Returns true if the sampled steps are of one family and their numbers grow with the rows, which
// bisection requires. Sets `family`.
static bool is_in_order(struct numbered_step_search *search)
{
    const struct sqlite_table *table = search->table;
    struct numbered_step step, before = {.number = INT64_MIN};
    int seen = 0;
    for (int64_t i = 0; i < SAMPLES; i++) {
        int64_t row = table->first_row + (int64_t)table->capacity / SAMPLES * i;
        if (!step_from(search, row, &step))
            continue;
        if (seen && (step.title != before.title || step.number < before.number - MAX_STEP_SKEW))
            return false;
        before = step;
        seen++;
    }
    search->family = before.title; // other families may begin between the samples
    return seen > 0;
}

// Returns a row before which no step has `number` or a higher number.
static int64_t row_before(struct numbered_step_search *search, int64_t number)
{
    int64_t low = search->table->first_row, high = search->table->last_row;
    struct numbered_step step;
    while (high - low > BISECT_ROWS) {
        int64_t middle = low + (high - low) / 2;
        if (step_from(search, middle, &step) && step.number < number - MAX_STEP_SKEW)
            low = middle;
        else
            high = middle;
    }
    return low;
}

struct step_extent { // time of all steps of one number
    int64_t number, start, end;
    bool is_there;
};

struct steps_found {
    bool has_first, has_last; // the first and the last requested step exist
    struct step_extent steps; // of all requested steps; `number` is unused
    struct step_extent before, after;
    struct tuples threads;  // threads that have requested steps
    struct tuples finished; // of these, the threads that have reached a later step
};

static void extent_widen(struct step_extent *extent, const struct numbered_step *step)
{
    if (!extent->is_there || step->start < extent->start)
        extent->start = step->start;
    if (!extent->is_there || step->end > extent->end)
        extent->end = step->end;
    extent->is_there = true;
    extent->number = step->number;
}

static void step_take(struct steps_found *found, const struct file_window *requested,
                      const struct numbered_step *step)
{
    if (step->number < requested->first_step) {
        if (step->number > found->before.number)
            found->before.is_there = false;
        if (!found->before.is_there || step->number == found->before.number)
            extent_widen(&found->before, step);
    } else if (step->number > requested->last_step) {
        if (step->number < found->after.number)
            found->after.is_there = false;
        if (!found->after.is_there || step->number == found->after.number)
            extent_widen(&found->after, step);
        if (tuples_find(&found->threads, &step->thread) != UINT32_MAX)
            tuples_put(&found->finished, &step->thread);
    } else {
        extent_widen(&found->steps, step);
        tuples_put(&found->threads, &step->thread);
        found->has_first |= step->number == requested->first_step;
        found->has_last |= step->number == requested->last_step;
    }
}

// Scans until each thread with requested steps has reached a later step. The window also includes
// the step before and the step after the requested ones: these may overlap them, and show when the
// next step begins.
static void steps_find(struct numbered_step_search *search, struct file_window *file_window,
                       struct steps_found *found)
{
    struct numbered_step step = {0};
    tuples_open(&found->threads, search->nsys->scratch, 1);
    tuples_open(&found->finished, search->nsys->scratch, 1);
    rows_bind(search, row_before(search, file_window->first_step), search->table->last_row);
    while (step_next(search, &step) && !(step.number > file_window->last_step + MAX_STEP_SKEW &&
                                         found->threads.count == found->finished.count))
        step_take(found, file_window, &step);
    file_window->from = found->before.is_there ? found->before.start : found->steps.start;
    file_window->to = found->after.is_there ? found->after.end : found->steps.end;
    if (file_window->from > found->steps.start)
        file_window->from = found->steps.start;
    if (file_window->to < found->steps.end)
        file_window->to = found->steps.end;
}

static int64_t last_number(struct numbered_step_search *search)
{
    const struct sqlite_table *table = search->table;
    int64_t number = INT64_MIN;
    for (int64_t back = BISECT_ROWS; number == INT64_MIN; back *= 4) {
        struct numbered_step step;
        bool is_all = back >= table->last_row - table->first_row;
        rows_bind(search, is_all ? table->first_row : table->last_row - back, table->last_row);
        while (step_next(search, &step))
            number = step.number > number ? step.number : number;
        if (is_all)
            break;
    }
    return number;
}

static bool refuse_numbers(struct numbered_step_search *search, const struct file_window *requested,
                           bool has_first, struct error *error)
{
    struct numbered_step first = {0};
    step_from(search, search->table->first_row, &first);
    return error_set(
        error, ERROR_USAGE, "%s: no step %" PRId64 ": its steps are %" PRId64 "-%" PRId64,
        search->nsys->request->path, has_first ? requested->last_step : requested->first_step,
        first.number, last_number(search));
}

static bool search_run(struct numbered_step_search *search, struct file_window *file_window,
                       bool *is_found, struct error *error)
{
    struct steps_found found = {0};
    *is_found = is_in_order(search);
    if (!*is_found)
        return true;
    steps_find(search, file_window, &found);
    if (atomic_load(&search->nsys->progress->cancel))
        return error_set(error, ERROR_CANCELLED, "cancelled");
    return (found.has_first && found.has_last && file_window->from < file_window->to) ||
           refuse_numbers(search, file_window, found.has_first, error);
}

bool nsys_excerpt_steps(struct nsys *nsys, struct file_window *file_window, bool *is_found,
                        struct error *error)
{
    struct numbered_step_search search = {
        .nsys = nsys, .table = sqlite_table(nsys, nsys->dialect->ranges->table)};
    *is_found = false;
    if (!search.table || !search.table->has_rowid || !search.table->capacity ||
        !nsys_has_column(search.table, "eventType"))
        return true;
    search.strings = strings_new(nsys->scratch);
    tuples_open(&search.ids, nsys->scratch, 1);
    search.rows =
        nsys_select_rows(nsys, search.table, columns,
                         nsys_has_column(search.table, "endGlobalTid") ? IS_OF_THREAD : IS_RANGE);
    if (nsys->strings && nsys->strings->key)
        search.text =
            nsys_prepare(nsys, nsys->db,
                         arena_format(nsys->scratch, "SELECT \"%s\" FROM \"%s\" WHERE \"%s\" = ?1",
                                      nsys->text_column, nsys->strings->name, nsys->strings->key));
    bool done = !search.rows || search_run(&search, file_window, is_found, error);
    sqlite3_finalize(search.rows);
    sqlite3_finalize(search.text);
    return done;
}
