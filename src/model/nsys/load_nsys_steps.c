// SPDX-License-Identifier: Apache-2.0
// When steps begin and end, by the ranges that number them ("step 12"), without reading all ranges: where
// the numbers grow with the rows, bisection finds the first of them, and the rows from there on the rest.
#include <inttypes.h>
#include <string.h>

#include "model/markers/marker_dialects.h"
#include "model/markers/range_suffix.h"
#include "model/nsys/load_nsys.h"

enum {
    PLACES = 16, // of the table where the next step is looked for: are they numbered by one family?
    PLACE_ROWS = 1 << 18, // that are gone through to it
    NEAR_ROWS = 4096,     // the bisection ends where so few are left
    SLACK = 2,            // processes may be so many steps apart
};

enum { RANGE_START, RANGE_END, RANGE_TEXT, RANGE_TEXT_ID, RANGE_THREAD };
static const char *const columns[] = {"start", "end", "text", "textId", "globalTid", NULL};
// As the loader takes ranges: what names the thread that ended it is no step.
#define IS_RANGE     "\"eventType\" IN (59, 60, 70, 71)"
#define IS_OF_THREAD IS_RANGE " AND \"endGlobalTid\" IS NULL"

struct step {
    string_id title; // "step N"
    int64_t number, start, end, thread;
};

struct step_text { // of an id
    string_id title;
    int64_t number;
};

struct search {
    struct nsys *nsys;
    const struct nsys_table *table;
    struct strings *strings;
    string_id family;          // title of the steps that are looked for; STRING_NONE: any
    sqlite3_stmt *rows, *text; // text: by its id; NULL: all are at hand
    struct tuples ids;         // of texts
    size_t capacity;
    struct step_text *texts;
};

// No title: it is no step.
static struct step_text text_read(struct search *search, const char *text)
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
        return (struct step_text){STRING_NONE, 0};
    return (struct step_text){marker.title, marker.number};
}

// By a statement that is kept: where texts have numbers in them each range has one of its own.
static struct step_text text_look_up(struct search *search, int64_t id)
{
    struct step_text parsed = {STRING_NONE, 0};
    const char *text = NULL;
    if (!search->text)
        return nsys_text(search->nsys, id, &text) ? text_read(search, text) : parsed;
    sqlite3_bind_int64(search->text, 1, id);
    if (nsys_step(search->nsys, search->text) == SQLITE_ROW)
        text = (const char *)sqlite3_column_text(search->text, 0);
    if (text)
        parsed = text_read(search, text);
    sqlite3_reset(search->text);
    return parsed;
}

static struct step_text text_of(struct search *search, sqlite3_value **row)
{
    int64_t id;
    const char *text;
    if (!cell_integer(row, RANGE_TEXT_ID, &id)) {
        text = (const char *)sqlite3_value_text(row[RANGE_TEXT]);
        return text ? text_read(search, text) : (struct step_text){STRING_NONE, 0};
    }
    uint32_t known = search->ids.count, at = tuples_put(&search->ids, &id);
    if (at == known) {
        size_t count = known;
        struct step_text parsed = text_look_up(search, id);
        ARENA_PUSH(search->nsys->scratch, search->texts, count, search->capacity) = parsed;
    }
    return search->texts[at];
}

// The next step of the rows that are bound; false: there is none.
static bool step_next(struct search *search, struct step *step)
{
    while (nsys_step(search->nsys, search->rows) == SQLITE_ROW) {
        sqlite3_value *row[RANGE_THREAD + 1];
        for (int i = 0; i <= RANGE_THREAD; i++)
            row[i] = sqlite3_column_value(search->rows, i);
        struct step_text text = text_of(search, row);
        if (!text.title || (search->family && text.title != search->family) ||
            !cell_integer(row, RANGE_START, &step->start) ||
            !nsys_is_time(search->nsys, step->start))
            continue;
        step->title = text.title;
        step->number = text.number;
        if (!cell_integer(row, RANGE_END, &step->end) || !nsys_is_time(search->nsys, step->end))
            step->end = INT64_MAX; // it is open to the end
        if (step->end < step->start)
            continue;
        step->thread = cell_integer_or(row, RANGE_THREAD, 0);
        return true;
    }
    return false;
}

static void rows_bind(struct search *search, int64_t first, int64_t last)
{
    sqlite3_reset(search->rows);
    sqlite3_bind_int64(search->rows, 1, first);
    sqlite3_bind_int64(search->rows, 2, last);
}

// The first step from a row on, if it comes soon.
static bool step_from(struct search *search, int64_t row, struct step *step)
{
    int64_t last = search->table->last_row;
    rows_bind(search, row, last - row > PLACE_ROWS ? row + PLACE_ROWS : last);
    return step_next(search, step);
}

// Of one family whose numbers grow with the rows: what bisection needs, looked at in a few places.
static bool is_in_order(struct search *search)
{
    const struct nsys_table *table = search->table;
    struct step step, before = {.number = INT64_MIN};
    int seen = 0;
    for (int64_t i = 0; i < PLACES; i++) {
        int64_t row = table->first_row + (int64_t)table->capacity / PLACES * i;
        if (!step_from(search, row, &step))
            continue;
        if (seen && (step.title != before.title || step.number < before.number - SLACK))
            return false;
        before = step;
        seen++;
    }
    search->family = before.title; // others may begin between these places
    return seen > 0;
}

// A row before which there is no step of that number or a later one.
static int64_t row_before(struct search *search, int64_t number)
{
    int64_t low = search->table->first_row, high = search->table->last_row;
    struct step step;
    while (high - low > NEAR_ROWS) {
        int64_t middle = low + (high - low) / 2;
        if (step_from(search, middle, &step) && step.number < number - SLACK)
            low = middle;
        else
            high = middle;
    }
    return low;
}

struct extent { // of steps of one number
    int64_t number, start, end;
    bool is_there;
};

struct found {
    bool has_first, has_last; // of the steps asked for
    struct extent steps;      // of all of these; `number` means nothing
    struct extent before, after;
    struct tuples threads; // that have some of the steps ...
    struct tuples past;    // ... and later ones
};

static void extent_widen(struct extent *extent, const struct step *step)
{
    if (!extent->is_there || step->start < extent->start)
        extent->start = step->start;
    if (!extent->is_there || step->end > extent->end)
        extent->end = step->end;
    extent->is_there = true;
    extent->number = step->number;
}

static void step_take(struct found *found, const struct excerpt *asked, const struct step *step)
{
    if (step->number < asked->first_step) {
        if (step->number > found->before.number)
            found->before.is_there = false;
        if (!found->before.is_there || step->number == found->before.number)
            extent_widen(&found->before, step);
    } else if (step->number > asked->last_step) {
        if (step->number < found->after.number)
            found->after.is_there = false;
        if (!found->after.is_there || step->number == found->after.number)
            extent_widen(&found->after, step);
        if (tuples_find(&found->threads, &step->thread) != UINT32_MAX)
            tuples_put(&found->past, &step->thread);
    } else {
        extent_widen(&found->steps, step);
        tuples_put(&found->threads, &step->thread);
        found->has_first |= step->number == asked->first_step;
        found->has_last |= step->number == asked->last_step;
    }
}

// Goes through all of them, up to where no thread can have more. The step before and the one behind are
// read as well: what runs beside the first and the last, and when the next one begins, is theirs to tell.
static void steps_find(struct search *search, struct excerpt *excerpt, struct found *found)
{
    struct step step = {0};
    tuples_open(&found->threads, search->nsys->scratch, 1);
    tuples_open(&found->past, search->nsys->scratch, 1);
    rows_bind(search, row_before(search, excerpt->first_step), search->table->last_row);
    while (step_next(search, &step) &&
           !(step.number > excerpt->last_step + SLACK && found->threads.count == found->past.count))
        step_take(found, excerpt, &step);
    excerpt->from = found->before.is_there ? found->before.start : found->steps.start;
    excerpt->to = found->after.is_there ? found->after.end : found->steps.end;
    if (excerpt->from > found->steps.start)
        excerpt->from = found->steps.start;
    if (excerpt->to < found->steps.end)
        excerpt->to = found->steps.end;
}

static int64_t last_number(struct search *search)
{
    const struct nsys_table *table = search->table;
    int64_t number = INT64_MIN;
    for (int64_t back = NEAR_ROWS; number == INT64_MIN; back *= 4) {
        struct step step;
        bool is_all = back >= table->last_row - table->first_row;
        rows_bind(search, is_all ? table->first_row : table->last_row - back, table->last_row);
        while (step_next(search, &step))
            number = step.number > number ? step.number : number;
        if (is_all)
            break;
    }
    return number;
}

static bool refuse_numbers(struct search *search, const struct excerpt *asked, bool has_first,
                           struct error *error)
{
    struct step first = {0};
    step_from(search, search->table->first_row, &first);
    return error_set(error, ERROR_USAGE,
                     "%s: no step %" PRId64 ": its steps are %" PRId64 "-%" PRId64,
                     search->nsys->request->path, has_first ? asked->last_step : asked->first_step,
                     first.number, last_number(search));
}

static bool search_run(struct search *search, struct excerpt *excerpt, bool *is_found,
                       struct error *error)
{
    struct found found = {0};
    *is_found = is_in_order(search);
    if (!*is_found)
        return true;
    steps_find(search, excerpt, &found);
    if (atomic_load(&search->nsys->progress->cancel))
        return error_set(error, ERROR_CANCELLED, "cancelled");
    return (found.has_first && found.has_last && excerpt->from < excerpt->to) ||
           refuse_numbers(search, excerpt, found.has_first, error);
}

bool nsys_excerpt_steps(struct nsys *nsys, struct excerpt *excerpt, bool *is_found,
                        struct error *error)
{
    struct search search = {.nsys = nsys, .table = nsys_table(nsys, nsys->dialect->ranges->table)};
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
    bool done = !search.rows || search_run(&search, excerpt, is_found, error);
    sqlite3_finalize(search.rows);
    sqlite3_finalize(search.text);
    return done;
}
