// SPDX-License-Identifier: Apache-2.0
// Filter terms of a table: checks them against its columns, and sets the filter.
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "analysis/report/value.h"
#include "base/text/format.h"
#include "ui/table/table.h"
#include "ui/table/table_compare.h"

// ---- checks of terms ---------------------------------------------------------------------------

// Error texts: the operand expected for a unit, and the meaning of a number without a unit.
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

// True if the term can match yes, no or -. A pattern matches prefixes, too, while it is typed.
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

// Rejects a term that cannot match any row or that would mean something other than written.
static bool term_check(const struct table *table, const struct filter_term *term,
                       struct error *error)
{
    char mark[KEY_NAME_SIZE], keep[KEY_NAME_SIZE], omit[KEY_NAME_SIZE];
    double bound;
    if (!term->column)
        return true;
    if (filter_pick_number(term) > 0)
        return filter_pick_number(term) <= table->pick_count ||
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

struct filter_parse_context {
    struct table *table;
    const char *text;
    struct filter filter;
};

static bool parse_body(void *context, struct error *error)
{
    struct filter_parse_context *parse = context;
    if (strlen(parse->text) >= sizeof parse->table->filter_text)
        return error_set(error, ERROR_USAGE, "the filter is too long");
    if (!filter_parse(parse->table->filter_arena, parse->text, &parse->filter, error))
        return false;
    bool is_good = parse->filter.count <= MAX_FILTER_TERMS ||
                   error_set(error, ERROR_USAGE, "more than %d terms", MAX_FILTER_TERMS);
    for (size_t i = 0; i < parse->filter.count && is_good; i++)
        is_good = term_check(parse->table, &parse->filter.terms[i], error);
    if (!is_good)
        filter_close(&parse->filter);
    return is_good;
}

bool table_set_filter(struct table *table, const char *text, struct error *error)
{
    struct filter_parse_context parse = {.table = table, .text = text};
    struct arena *old_arena = table->filter_arena;
    struct arena *new_arena = arena_new(1 << 20);
    if (!new_arena)
        return error_set(error, ERROR_MEMORY, "out of memory");
    table->filter_arena = new_arena;
    if (!arena_run(new_arena, parse_body, &parse, error)) {
        table->filter_arena = old_arena;
        arena_free(new_arena);
        return false;
    }
    filter_close(&table->filter);
    arena_free(old_arena);
    table->filter = parse.filter;
    if (text != table->filter_text) {
        table->is_filter_from_link = false;
        snprintf(table->filter_text, sizeof table->filter_text, "%s", text);
    }
    table->stale = TABLE_STALE;
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
