// SPDX-License-Identifier: Apache-2.0
// The filter of a table: what its terms mean for the columns that there are, and which rows pass.
#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "analysis/stats.h"
#include "analysis/value.h"
#include "base/format.h"
#include "base/parallel.h"
#include "ui/table.h"
#include "ui/table_compare.h"

enum { TERMS_MAX = 32 };

// ---- what a term may be ------------------------------------------------------------------------

// What is expected to the right of a comparison, and what a bare number means there.
static const char *const expected[] = {
    [UNIT_COUNT] = "a number, as 100",
    [UNIT_NS] = "a time, as 1.5ms; a bare number is ns",
    [UNIT_TIME] = "a point in time, as 1.5s; a bare number is ns",
    [UNIT_BYTES] = "a size, as 3MB; a bare number is bytes",
    [UNIT_RATE] = "a size per second, as 3GB; a bare number is bytes",
    [UNIT_PERCENT] = "a number of percent, as 12.5",
    [UNIT_REAL] = "a number, as 1.5",
    [UNIT_ID] = "a number",
};

// One of yes, no, -; also by a pattern, and by the beginning of a word while it is typed.
static bool state_is_possible(const struct column *column, const struct filter_term *term)
{
    bool is_one = false;
    for (enum tristate state = STATE_NO; state <= STATE_UNKNOWN; state++) {
        const char *text = state_text(column, state);
        is_one |= term->operator== FILTER_MATCH ? pattern_match(term->pattern, text, strlen(text))
                                                : strcasecmp(text, term->text) == 0;
    }
    return is_one;
}

static bool has_letter(const char *text)
{
    for (; *text; text++)
        if (isalpha((unsigned char)*text) || *text == '\\')
            return *text != '\\';
    return false;
}

// A term that can pass no row, or means something else than it says, is a mistake to be told.
static bool term_check(const struct table *table, const struct filter_term *term,
                       struct error *error)
{
    char mark[KEY_NAME_SIZE], keep[KEY_NAME_SIZE], omit[KEY_NAME_SIZE];
    double bound;
    if (!term->column)
        return true;
    if (filter_pick(term) > 0)
        return filter_pick(term) <= table->pick_count ||
               error_set(error, ERROR_USAGE,
                         "marked:%s: no rows were taken so; %s marks some, then %s or %s",
                         term->text, action_first_key(ACTION_MARK, mark),
                         action_first_key(ACTION_KEEP, keep), action_first_key(ACTION_OMIT, omit));
    int found = table_find_column(table, term->column);
    if (found < 0)
        return error_set(error, ERROR_USAGE, "no column '%s' here; Tab shows them", term->column);
    const struct column *column = &table->report->columns[found];
    bool is_match = term->operator== FILTER_MATCH;
    if (column->unit == UNIT_STATE) {
        if (!is_match && term->operator!= FILTER_EQUAL)
            return error_set(error, ERROR_USAGE, "%s is yes, no or -: type %s:yes", column->key,
                             column->key);
        if (!state_is_possible(column, term))
            return error_set(error, ERROR_USAGE, "%s is yes, no or - (unknown), never '%s'",
                             column->key, term->text);
        return true;
    }
    if (!unit_is_number(column->unit))
        return true;
    if (is_match && has_letter(term->text))
        return error_set(error, ERROR_USAGE, "%s is a number: compare it, as %s>%s", column->key,
                         column->key, column->unit == UNIT_NS ? "1ms" : "1");
    bool is_unknown = term->operator== FILTER_EQUAL && strcmp(term->text, "-") == 0;
    if (!is_match && !is_unknown && !bound_parse(column, term->text, &bound))
        return error_set(error, ERROR_USAGE, "'%s': expected %s", term->text,
                         expected[column->unit]);
    return true;
}

struct parse {
    struct table *table;
    const char *text;
    struct filter filter;
};

static bool parse_body(void *context, struct error *error)
{
    struct parse *parse = context;
    if (strlen(parse->text) >= sizeof parse->table->filter_text)
        return error_set(error, ERROR_USAGE, "the filter is too long");
    if (!filter_parse(parse->table->filter_arena, parse->text, &parse->filter, error))
        return false;
    bool is_good = parse->filter.count <= TERMS_MAX ||
                   error_set(error, ERROR_USAGE, "more than %d terms", TERMS_MAX);
    for (size_t i = 0; i < parse->filter.count && is_good; i++)
        is_good = term_check(parse->table, &parse->filter.terms[i], error);
    if (!is_good)
        filter_close(&parse->filter);
    return is_good;
}

bool table_set_filter(struct table *table, const char *text, struct error *error)
{
    struct parse parse = {.table = table, .text = text};
    struct arena *former = table->filter_arena;
    struct arena *fresh = arena_new(1 << 20);
    if (!fresh)
        return error_set(error, ERROR_MEMORY, "out of memory");
    table->filter_arena = fresh;
    if (!arena_run(fresh, parse_body, &parse, error)) {
        table->filter_arena = former;
        arena_free(fresh);
        return false;
    }
    filter_close(&table->filter);
    arena_free(former);
    table->filter = parse.filter;
    if (text != table->filter_text) {
        table->is_filter_given = false;
        snprintf(table->filter_text, sizeof table->filter_text, "%s", text);
    }
    table->is_dirty = true;
    return true;
}

static const struct column *column_of_unit(const struct table *table, enum unit unit)
{
    for (size_t c = 0; c < table->report->column_count; c++)
        if (table->report->columns[c].unit == unit &&
            !(table->report->columns[c].flags & COLUMN_DETAIL))
            return &table->report->columns[c];
    return NULL;
}

const char *table_filter_hint(const struct table *table, struct arena *arena)
{
    const struct column *time = column_of_unit(table, UNIT_NS);
    const struct column *state = column_of_unit(table, UNIT_STATE);
    return arena_format(arena, "word  !word%s%s%s%s%s%s   Enter keeps it, Esc drops it",
                        time ? "  " : "", time ? time->key : "", time ? ">1ms" : "",
                        state ? "  " : "", state ? state->key : "", state ? ":no" : "");
}

// ---- rows --------------------------------------------------------------------------------------

// A pattern runs once per text: names are the same pointers in many rows.
struct memo {
    const char **texts;
    uint8_t *answers;
    size_t capacity;
};

static bool memo_match(struct memo *memo, const struct pattern *pattern, const char *text)
{
    size_t slot =
        (size_t)((uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15) >> 24) & (memo->capacity - 1);
    if (memo->texts[slot] != text) {
        memo->texts[slot] = text;
        memo->answers[slot] = pattern_match(pattern, text, strlen(text));
    }
    return memo->answers[slot] != 0;
}

static struct memo memo_new(struct arena *arena, size_t rows)
{
    size_t capacity = 64;
    while (capacity < rows && capacity < 8192) // that a core has at hand
        capacity *= 2;
    return (struct memo){ARENA_ARRAY(arena, const char *, capacity),
                         ARENA_ARRAY(arena, uint8_t, capacity), capacity};
}

// Any text of the row; names of a tree row include what stands above only when asked for by
// column.
static bool text_matches(const struct table *table, const void *row, const struct pattern *pattern,
                         struct memo *memo)
{
    const struct report *report = table->report;
    for (size_t i = 0; i < report->column_count; i++) {
        const struct column *column = &report->columns[i];
        if (column->unit != UNIT_TEXT || (report->depth && !(column->flags & COLUMN_NAME)))
            continue;
        struct value value = column->get(row);
        if (value.kind == VALUE_TEXT && memo_match(memo, pattern, value.text))
            return true;
    }
    return false;
}

enum { ANY_TEXT = -1, PICKED = -2 };

struct matching {
    const struct table *table;
    int columns[TERMS_MAX];  // of each term, or ANY_TEXT, or PICKED: rows once marked
    bool is_late[TERMS_MAX]; // of a share that depends on which rows the other terms let through
    bool takes_below[TERMS_MAX]; // in trees: the rows once marked, and names that are left out
    unsigned inside[TERMS_MAX];  // of such a term: depth of its row that this one lies below
    struct memo memos[TERMS_MAX];
    struct comparison comparisons[TERMS_MAX];
};

static bool cell_matches(struct matching *matching, size_t t, const void *row)
{
    const struct table *table = matching->table;
    const struct filter_term *term = &table->filter.terms[t];
    const struct column *column = &table->report->columns[matching->columns[t]];
    // What is shown is what is compared: per step, where that is on.
    struct value value = table_value(table, (unsigned)matching->columns[t], row);
    char out[FORMAT_SIZE];
    const char *text = out;
    if (term->operator!= FILTER_MATCH)
        return comparison_holds(&matching->comparisons[t], value, table->derived);
    switch (value.kind) {
    case VALUE_TEXT:
        return memo_match(&matching->memos[t], term->pattern, value.text);
    case VALUE_STATE:
        text = state_text(column, (enum tristate)value.integer);
        break;
    case VALUE_NONE:
        text = "-";
        break;
    case VALUE_INTEGER:
        snprintf(out, sizeof out, "%lld", (long long)value.integer);
        break;
    case VALUE_REAL:
        snprintf(out, sizeof out, "%g", value.real);
        break;
    }
    return pattern_match(term->pattern, text, strlen(text));
}

static bool term_holds(struct matching *matching, size_t t, const void *row)
{
    const struct table *table = matching->table;
    const struct filter_term *term = &table->filter.terms[t];
    size_t at =
        (size_t)((const char *)row - (const char *)table->rows.items) / table->report->row_size;
    switch (matching->columns[t]) {
    case PICKED:
        return id_set_has(&table->picks[filter_pick(term) - 1], table_row_id(table, (uint32_t)at));
    case ANY_TEXT:
        return text_matches(table, row, term->pattern, &matching->memos[t]);
    default:
        return cell_matches(matching, t, row);
    }
}

// Of the rows in pre-order: one that is marked, or left out by its name, takes all below with it.
static bool branch_holds(struct matching *matching, size_t t, const void *row, bool *is_below)
{
    unsigned depth = matching->table->report->depth(row);
    if (depth <= matching->inside[t])
        matching->inside[t] = UINT_MAX;
    if (matching->inside[t] != UINT_MAX) {
        *is_below |= !matching->table->filter.terms[t].inverse;
        return true;
    }
    if (!term_holds(matching, t, row))
        return false;
    matching->inside[t] = depth;
    return true;
}

static bool row_is_kept(struct matching *matching, const void *row, bool late, bool *is_below)
{
    const struct table *table = matching->table;
    bool is_kept = true;
    for (size_t t = 0; t < table->filter.count; t++) {
        const struct filter_term *term = &table->filter.terms[t];
        if (matching->is_late[t] != late || (!is_kept && !matching->takes_below[t]))
            continue;
        bool holds = matching->takes_below[t] ? branch_holds(matching, t, row, is_below)
                                              : term_holds(matching, t, row);
        is_kept &= holds != term->inverse;
    }
    return is_kept;
}

static struct matching matching_make(struct table *table)
{
    struct matching matching = {.table = table};
    for (size_t t = 0; t < table->filter.count; t++) {
        const struct filter_term *term = &table->filter.terms[t];
        int column = term->column ? table_find_column(table, term->column) : ANY_TEXT;
        matching.columns[t] = filter_pick(term) ? PICKED : column;
        matching.takes_below[t] =
            table->report->depth &&
            (filter_pick(term) ||
             (term->inverse &&
              (column == ANY_TEXT || table->report->columns[column].flags & COLUMN_NAME)));
        matching.inside[t] = UINT_MAX;
        matching.is_late[t] = column >= 0 && table->share == SHARE_SHOWN &&
                              table->report->columns[column].flags & COLUMN_SHARE;
        if (column >= 0 && term->operator!= FILTER_MATCH)
            matching.comparisons[t] =
                comparison_make(&table->report->columns[column], term, table->derived);
    }
    return matching;
}

// What shares are of: a row below one that counts is in that one's figure.
static void sums_make(struct table *table)
{
    const struct report *report = table->report;
    unsigned below = UINT_MAX;
    table->outer_sum = table->shown_sum = 0;
    for (size_t row = 0; table->share != SHARE_OWN && row < table->rows.count; row++) {
        const void *data = report_row(report, &table->rows, row);
        unsigned depth = report->depth ? report->depth(data) : 0;
        if (depth == 0)
            sum_add(&table->outer_sum, table_share_part(table, data));
        if (!report->depth || depth <= below)
            below = UINT_MAX;
        if (below != UINT_MAX || !(table->state[row] & ROW_KEPT))
            continue;
        below = report->depth ? depth : UINT_MAX;
        sum_add(&table->shown_sum, table_share_part(table, data));
    }
}

// Terms that ask of the share of the rows shown come last: what that is of must stand.
static void match_late(struct table *table, struct matching *matching)
{
    bool has_late = false, is_below = false;
    for (size_t t = 0; t < table->filter.count; t++)
        has_late |= matching->is_late[t];
    uint8_t *kept = has_late ? ARENA_ARRAY(table->derived, uint8_t, table->rows.count + 1) : NULL;
    for (size_t row = 0; has_late && row < table->rows.count; row++)
        kept[row] =
            row_is_kept(matching, report_row(table->report, &table->rows, row), true, &is_below);
    for (size_t row = 0; has_late && row < table->rows.count; row++)
        if (!kept[row])
            table->state[row] &= (uint8_t)~ROW_KEPT;
}

struct match_part { // some of the rows, and what looking at them needs of its own
    struct matching matching;
    struct memo searched;
};

struct match_run {
    struct table *table;
    bool only_omits; // nothing is looked for that would have to be opened
    size_t count;
    struct match_part *parts;
};

static void match_part(void *context, size_t p)
{
    const struct match_run *run = context;
    struct table *table = run->table;
    struct match_part *part = &run->parts[p];
    size_t end = table->rows.count * (p + 1) / run->count;
    for (size_t row = table->rows.count * p / run->count; row < end; row++) {
        const void *data = report_row(table->report, &table->rows, row);
        bool is_below = run->only_omits;
        if (row_is_kept(&part->matching, data, false, &is_below))
            table->state[row] |= ROW_KEPT;
        // Where the row above is kept as well, this one need not be opened for.
        uint32_t up = is_below && table->parent ? table->parent[row] : UINT32_MAX;
        if (up != UINT32_MAX && table->state[up] & ROW_KEPT)
            table->state[row] |= ROW_BENEATH;
        if (table->search && text_matches(table, data, table->search, &part->searched))
            table->state[row] |= ROW_FOUND;
    }
}

// Of very many rows several threads look at a part each, but for a tree's, which follow from those
// above them, and where texts are made to be compared, which takes memory.
static size_t parts_wanted(const struct table *table)
{
    enum { PART_ROWS = 1 << 14, PARTS_MOST = 16 };
    size_t parts = table->rows.count / PART_ROWS + 1;
    for (size_t t = 0; t < table->filter.count; t++)
        parts = table->filter.terms[t].operator== FILTER_EQUAL ? 1 : parts;
    return table->report->depth ? 1 : parts < PARTS_MOST ? parts : PARTS_MOST;
}

void table_match(struct table *table)
{
    struct match_run run = {.table = table, .only_omits = true, .count = parts_wanted(table)};
    struct matching matching = matching_make(table);
    size_t rows = table->rows.count / run.count + 1;
    run.parts = ARENA_ARRAY(table->derived, struct match_part, run.count);
    for (size_t t = 0; t < table->filter.count; t++)
        run.only_omits &= table->filter.terms[t].inverse;
    for (size_t p = 0; p < run.count; p++) {
        run.parts[p].matching = matching;
        for (size_t t = 0; t < table->filter.count; t++)
            run.parts[p].matching.memos[t] = memo_new(table->derived, rows);
        run.parts[p].searched = memo_new(table->derived, table->search ? rows : 0);
    }
    parallel_run(run.count > 1 ? parallel_cores() : 1, run.count, match_part, &run);
    sums_make(table);
    match_late(table, &run.parts[0].matching);
}
