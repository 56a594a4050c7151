// SPDX-License-Identifier: Apache-2.0
// Marked rows: marking by Space and V, sum of the marked rows, marks as a filter term.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/stats.h"
#include "analysis/report/value.h"
#include "base/text/format.h"
#include "ui/table/table.h"

static uint64_t id_at(const struct table *table, size_t line)
{
    return table_row_id(table, table->shown[line]);
}

bool row_is_marked(const struct table *table, uint32_t row)
{
    return table->marks.ids.count > 0 && id_set_has(&table->marks.ids, table_row_id(table, row));
}

bool table_span_lines(struct table *table, size_t *from, size_t *to)
{
    struct marks *marks = &table->marks;
    if (!marks->has_span)
        return false;
    size_t line = marks->span_line; // a hint; it may be stale
    if (line >= table->shown_count || id_at(table, line) != marks->span_id)
        line = 0;
    while (line < table->shown_count && id_at(table, line) != marks->span_id)
        line++;
    if (line == table->shown_count)
        return false;
    marks->span_line = line;
    *from = line < table->cursor ? line : table->cursor;
    *to = line < table->cursor ? table->cursor : line;
    return true;
}

// Adds the value of a row to the sum; sign -1 subtracts it.
static void sum_row(struct table *table, const void *data, int sign)
{
    struct marks *marks = &table->marks;
    struct value value =
        marks->summed < 0 ? value_none() : table->report->columns[marks->summed].get(data);
    bool is_known = value.kind == VALUE_INTEGER;
    *(is_known ? &marks->known : &marks->unknown) += (size_t)sign;
    sum_add(&marks->sum, is_known ? sign * value.integer : 0);
}

static void mark_set(struct table *table, size_t line, bool is_marked)
{
    struct marks *marks = &table->marks;
    uint64_t id = id_at(table, line);
    if (id_set_has(&marks->ids, id) == is_marked)
        return;
    id_set_flip(&marks->ids, id, table->arena);
    int sign = is_marked ? 1 : -1;
    marks->count += (size_t)sign;
    sum_row(table, report_row(table->report, &table->rows, table->shown[line]), sign);
}

static bool mark_body(void *context, struct error *error)
{
    struct table *table = context;
    size_t from = table->cursor, to = from;
    bool has_all = true;
    (void)error;
    bool is_span = table_span_lines(table, &from, &to);
    for (size_t line = from; line <= to; line++)
        has_all &= row_is_marked(table, table->shown[line]);
    for (size_t line = from; line <= to; line++)
        mark_set(table, line, !has_all);
    // Advance the cursor, as file managers do.
    if (!is_span && table->cursor + 1 < table->shown_count)
        table->cursor++;
    return true;
}

void table_mark(struct table *table)
{
    // In smaller tables all marked rows are summed again.
    enum { MANY_ROWS = 50000 };
    if (table->cursor < table->shown_count)
        arena_run(table->arena, mark_body, table, NULL);
    table->marks.has_span = false;
    // In very large flat tables the sum is updated incrementally; in trees it depends on
    // ancestors.
    table->marks.is_counted &= table->rows.count > MANY_ROWS && !table->report->depth;
}

void table_span(struct table *table)
{
    if (table->cursor >= table->shown_count)
        return;
    table->marks.has_span = !table->marks.has_span;
    table->marks.span_line = table->cursor;
    table->marks.span_id = id_at(table, table->cursor);
}

bool table_clear_marks(struct table *table)
{
    bool has_any = table->marks.has_span || table->marks.ids.count > 0;
    if (!table->marks.has_span)
        id_set_clear(&table->marks.ids);
    table->marks.has_span = table->marks.is_counted = false;
    return has_any;
}

void table_drop_marks(struct table *table)
{
    id_set_clear(&table->marks.ids);
    table->marks.has_span = table->marks.is_counted = false;
}

// ---- sum of the marked rows --------------------------------------------------------------------

// Returns the first sort column if it can be summed, else the first summable column with bars.
static int column_summed(const struct table *table)
{
    const struct report *report = table->report;
    if (table->sort_count && report->columns[table->sort[0].column].flags & COLUMN_SUM)
        return table->sort[0].column;
    for (unsigned c = 0; c < column_layout_count(report); c++)
        if ((report->columns[c].flags & (COLUMN_BAR | COLUMN_SUM)) == (COLUMN_BAR | COLUMN_SUM))
            return (int)c;
    return -1;
}

// Counts and sums the marked rows. A marked row below another one is not added, because the value
// of the upper row includes it, unless the column excludes children (COLUMN_SELF).
static void marks_count(struct table *table)
{
    struct marks *marks = &table->marks;
    const struct report *report = table->report;
    unsigned counted_depth = UINT32_MAX;
    marks->count = 0;
    marks->sum = 0;
    marks->known = marks->unknown = 0;
    marks->summed = column_summed(table);
    marks->is_counted = true;
    bool excludes_children =
        marks->summed >= 0 && report->columns[marks->summed].flags & COLUMN_SELF;
    for (uint32_t row = 0; marks->ids.count > 0 && row < table->rows.count; row++) {
        const void *data = report_row(report, &table->rows, row);
        unsigned depth = report->depth ? report->depth(data) : 0;
        if (report->depth && depth <= counted_depth)
            counted_depth = UINT32_MAX;
        if (!row_is_marked(table, row))
            continue;
        marks->count++;
        if ((counted_depth != UINT32_MAX && !excludes_children) || marks->summed < 0)
            continue;
        counted_depth = report->depth ? depth : UINT32_MAX;
        sum_row(table, data, 1);
    }
}

size_t table_marked_count(struct table *table)
{
    if (!table->marks.is_counted)
        marks_count(table);
    return table->marks.count;
}

uint32_t *table_marked_rows(struct table *table, struct arena *arena, size_t *count)
{
    *count = 0;
    if (!table_update(table, NULL))
        return NULL;
    uint32_t *rows = ARENA_ARRAY(arena, uint32_t, table_marked_count(table) + 1);
    for (size_t i = 0; *count < table->marks.count && i < table->rows.count; i++)
        if (row_is_marked(table, table->order[i]))
            rows[(*count)++] = table->order[i];
    return *count ? rows : NULL;
}

const char *table_marks_text(struct table *table, struct arena *arena)
{
    char count[FORMAT_SIZE];
    size_t marked = table_marked_count(table);
    if (table->marks.has_span)
        return action_text("{span}: {mark} marks from there to here, {cancel} drops it", arena);
    if (marked == 0)
        return NULL;
    format_count(count, (int64_t)marked);
    if (table->marks.summed < 0)
        return arena_format(arena, "%s marked", count);
    const struct column *column = &table->report->columns[table->marks.summed];
    const struct marks *marks = &table->marks;
    struct value sum = marks->known == 0 ? value_none() : value_integer(marks->sum);
    const char *text =
        value_display_text(column, value_per_step(column, sum, &table->parts), table->ascii, arena);
    char known[FORMAT_SIZE];
    return marks->known && marks->unknown
               ? arena_format(arena, "%s marked: %s %s (%s known)", count, column->head, text,
                              format_count(known, (int64_t)marks->known))
               : arena_format(arena, "%s marked: %s %s", count, column->head, text);
}

// ---- marks as a filter term --------------------------------------------------------------------

unsigned filter_pick_number(const struct filter_term *term)
{
    bool is_pick = term->column && strcmp(term->column, "marked") == 0 &&
                   term->operator== FILTER_MATCH && isdigit((unsigned char)*term->text) &&
                   strspn(term->text, "0123456789") == strlen(term->text);
    unsigned long number = is_pick ? strtoul(term->text, NULL, 10) : 0;
    return number <= MAX_PICKS ? (unsigned)number : MAX_PICKS + 1;
}

bool table_has_picks(const struct table *table)
{
    bool has_any = false;
    for (size_t t = 0; t < table->filter.count; t++)
        has_any |= filter_pick_number(&table->filter.terms[t]) > 0;
    return has_any;
}

struct pick_call {
    struct table *table;
    bool inverse;
    const char *text; // the new filter
};

static bool pick_body(void *context, struct error *error)
{
    struct pick_call *call = context;
    struct table *table = call->table;
    struct id_set *pick = &table->picks[table->pick_count];
    const struct id_set *marks = &table->marks.ids;
    (void)error;
    *pick = (struct id_set){ARENA_ARRAY(table->arena, uint64_t, marks->capacity), marks->count,
                            marks->capacity};
    memcpy(pick->slots, marks->slots, marks->capacity * sizeof *pick->slots);
    table->pick_count++;
    call->text =
        arena_format(table->derived, "%s%s%smarked:%u", table->filter_text,
                     *table->filter_text ? " " : "", call->inverse ? "!" : "", table->pick_count);
    return true;
}

bool table_filter_marks(struct table *table, bool inverse, struct error *error)
{
    struct pick_call call = {.table = table, .inverse = inverse};
    size_t slots = table->marks.ids.capacity;
    for (unsigned p = 0; p < table->pick_count; p++)
        slots += table->picks[p].capacity;
    if (slots > MAX_PICK_SLOTS)
        return error_set(error, ERROR_USAGE, "too many rows were taken from marks: no more here");
    if (table->pick_count == MAX_PICKS)
        return error_set(error, ERROR_USAGE, "marks were filtered by %d times: no more here",
                         MAX_PICKS);
    if (!arena_run(table->arena, pick_body, &call, error) ||
        !table_set_filter(table, call.text, error))
        return false;
    table_drop_marks(table);
    return true;
}
