// SPDX-License-Identifier: Apache-2.0
// Draws a table: header, rows, marks and detail pane; and maps clicks to them.
#include <string.h>

#include "analysis/report/value.h"
#include "base/text/text.h"
#include "ui/table/table_layout.h"
#include "ui/widgets/bars.h"
#include "ui/widgets/list.h"

// Returns the sort direction sign of a column, numbered if there are several keys: "▾1"; "" if
// unsorted.
static const char *sort_sign(const struct table *table, unsigned column, bool ascii,
                             struct arena *arena)
{
    // The ASCII signs have a blank, because "callsv" would read as a word.
    static const char *const signs[2][2] = {{"▴", "▾"}, {" ^", " v"}};
    int place = table_sort_place(table, column);
    if (place < 0)
        return "";
    const char *sign = signs[ascii][table->sort[place].descending];
    return table->sort_count > 1 ? arena_format(arena, "%s%d", sign, place + 1) : sign;
}

static void header_draw(const struct table *table, struct canvas *canvas, struct area area,
                        const struct layout *layout)
{
    canvas_fill(canvas, (struct area){area.x, area.y, area.width, 1}, STYLE_HEADER, ' ');
    if (layout->before > 0)
        canvas_put(canvas, area.x - 1, area.y, STYLE_KEY, 0x2039);
    if (layout->after > 0)
        canvas_put(canvas, area.x + area.width, area.y, STYLE_KEY, 0x203a);
    for (int i = 0; i < layout->count; i++) {
        const struct slot *slot = &layout->slots[i];
        const struct column *column = &table->report->columns[slot->column];
        const char *sign = sort_sign(table, slot->column, canvas->ascii, canvas->frame);
        const char *text = table_head(table, slot->column);
        if (*sign || unit_is_number(column->unit))
            text = arena_format(canvas->frame, "%s%s", text, *sign ? sign : " ");
        canvas_fit(canvas, area.x + slot->x, area.y, slot->width,
                   table_sort_place(table, slot->column) == 0 ? STYLE_HEADER_SORT : STYLE_HEADER,
                   unit_is_number(column->unit) ? FIT_RIGHT : FIT_LEFT, text);
        if ((int)slot->column == table->column)
            canvas_flag(canvas, (struct area){area.x + slot->x, area.y, slot->width, 1},
                        CELL_CURSOR);
    }
}

// Highlights the matches of search and filter in a name as displayed.
static void matches_highlight(const struct table *table, struct canvas *canvas, int x, int y,
                              int width, const char *text)
{
    for (size_t t = 0; t < table->filter.count + 1; t++) {
        const struct pattern *pattern =
            t == table->filter.count ? table->search
            : table->filter.terms[t].inverse || table->filter.terms[t].operator!= FILTER_MATCH
                ? NULL
                : table->filter.terms[t].pattern;
        struct pattern_span span;
        size_t length = strlen(text), from = 0;
        while (pattern && from < length &&
               pattern_find(pattern, text, length, from, &span, NULL, 0) && span.end > span.start) {
            int before = canvas_width(arena_copy(canvas->frame, text, span.start));
            int wide =
                canvas_width(arena_copy(canvas->frame, text + span.start, span.end - span.start));
            if (before < width)
                canvas_flag(
                    canvas,
                    (struct area){x + before, y, before + wide > width ? width - before : wide, 1},
                    CELL_MATCH);
            from = span.end;
        }
    }
}

static void name_draw(const struct table *table, struct canvas *canvas, int x, int y, int width,
                      size_t line, unsigned column)
{
    uint32_t row = table->shown[line];
    const void *data = report_row(table->report, &table->rows, row);
    struct value value = table->report->columns[column].get(data);
    const char *text = value.kind == VALUE_TEXT
                           ? text_safe(canvas->frame, value.text, strlen(value.text), true)
                           : table_cell(table, column, data, canvas->frame);
    if (table->report->depth) {
        int used = tree_draw(table, canvas, x, y, width, line);
        x += used;
        width -= used;
    }
    if (table->name_scroll > 0) {
        int total = canvas_width(text), skip = table->name_scroll;
        skip = total - width < skip ? (total > width ? total - width : 0) : skip;
        size_t from = 0, length = strlen(text);
        for (int passed = 0; passed < skip && from < length;) {
            uint32_t code;
            from += text_decode(text + from, length - from, &code);
            passed += text_code_width(code);
        }
        text += from;
    }
    // The full name is in the details, and scrolling right shows its end.
    if (canvas_width(text) > width && table->name_scroll == 0 &&
        strcmp(table->report->columns[column].key, "kernel") == 0 && text_is_signature(text))
        text = text_shorten_signature(canvas->frame, text, width);
    if (canvas_width(text) > width)
        text = text_cut(canvas->frame, text, width, table->name_scroll == 0, canvas->ascii);
    bool is_context = table->filter.count && !(table->state[row] & ROW_KEPT);
    canvas_fit(canvas, x, y, width, is_context ? STYLE_DIM : STYLE_TEXT, FIT_LEFT, text);
    matches_highlight(table, canvas, x, y, width, text);
}

static double bar_share(const struct table *table, unsigned column, const void *data)
{
    struct value value = table->report->columns[column].get(data);
    double x = value.kind == VALUE_INTEGER ? (double)value.integer
               : value.kind == VALUE_REAL  ? value.real
                                           : 0;
    return table->measured.bar_max[column] > 0 ? x / table->measured.bar_max[column] : 0;
}

static enum style cell_style(const struct column *column, const char *text)
{
    if (column->unit == UNIT_STATE)
        return strcmp(text, "yes") == 0 ? STYLE_GOOD : STYLE_DIM;
    if (strcmp(text, "0") == 0 || strcmp(text, "0 ns") == 0 || strcmp(text, "0.0") == 0 ||
        strcmp(text, "–") == 0 || strcmp(text, "-") == 0)
        return STYLE_DIM;
    // More time is worse; more counts or bytes need not be.
    bool is_time = column->unit == UNIT_NS || column->unit == UNIT_PERCENT;
    if (column->flags & COLUMN_SIGNED && is_time)
        return *text == '+' || *text == 'x' ? STYLE_BAD : STYLE_GOOD;
    return STYLE_TEXT;
}

static bool is_name(const struct table *table, unsigned column)
{
    return table->report->columns[column].flags & COLUMN_NAME ||
           (table->report->depth && column == 0);
}

// Names are cut in the middle, because their ends differ; callers are cut at the end, because the
// first one is the most important.
static enum fit cell_fit(const struct column *column)
{
    bool is_cut_at_end = column->unit == UNIT_STATE || strcmp(column->key, "callers") == 0;
    return unit_is_number(column->unit) ? FIT_RIGHT : is_cut_at_end ? FIT_LEFT : FIT_MIDDLE;
}

static void row_draw(const struct table *table, struct canvas *canvas, struct area area, int y,
                     size_t line, const struct layout *layout)
{
    const void *data = report_row(table->report, &table->rows, table->shown[line]);
    for (int i = 0; i < layout->count; i++) {
        const struct slot *slot = &layout->slots[i];
        const struct column *column = &table->report->columns[slot->column];
        int x = area.x + slot->x;
        if (is_name(table, slot->column)) {
            name_draw(table, canvas, x, y, slot->width, line, slot->column);
            continue;
        }
        const char *text = table_cell(table, slot->column, data, canvas->frame);
        bool is_odd = table->report->is_odd && table->report->is_odd(data, slot->column);
        canvas_fit(canvas, x, y, slot->width, is_odd ? STYLE_WARNING : cell_style(column, text),
                   cell_fit(column), text);
        if (slot->bar)
            bar_draw(canvas, x + slot->width + 1, y, slot->bar, STYLE_BAR,
                     bar_share(table, slot->column, data));
    }
}

// Draws a sign before the row and gives its texts the mark colour.
static void mark_draw(struct canvas *canvas, struct area area, int y, char sign)
{
    canvas_put(canvas, area.x - 1, y, STYLE_MARK, (uint32_t)sign);
    canvas_flag(canvas, (struct area){area.x, y, area.width, 1}, CELL_MARK);
}

static void scroll_to_cursor(struct table *table)
{
    table->top = list_top(table->top, table->cursor, table->page, table->shown_count);
}

struct area table_split_detail(const struct table *table, struct area *list)
{
    struct area detail = *list;
    int width = table_list_width(table, list->width), rows = list->height - 1;
    if (width < list->width) {
        detail.x += width + 1;
        detail.width -= width + 1;
        list->width = width;
    } else if (table->has_detail && rows > 6) {
        // The list keeps at least a third of the lines.
        int need = (int)table->report->column_count + 3, limit = rows * 2 / 3;
        detail.height = need < limit ? need : limit;
        list->height -= detail.height;
        detail.y += list->height;
    } else if (table->has_detail) { // too few lines for both: one row, and details in the rest
        list->height = 2;
        detail.y += list->height;
        detail.height -= list->height;
    }
    return detail;
}

void table_empty_draw(const struct table *table, struct canvas *canvas, struct area area)
{
    const char *why =
        table->rows.count == 0
            ? (table->rows.empty ? table->rows.empty : "Nothing here.")
            : action_text("No row passes the filter.  {cancel} clears it, {undo} undoes it.",
                          canvas->frame);
    canvas_wrap(canvas, (struct area){area.x + 1, area.y + 2, area.width - 2, area.height - 2},
                STYLE_DIM, why);
}

void table_draw(struct table *table, struct canvas *canvas, struct area area)
{
    table->ascii = canvas->ascii;
    struct error error;
    if (area.height < 1 || area.width < 1)
        return;
    if (!table_update(table, &error)) {
        canvas_text_in(canvas, area.x + 1, area.y, area.width - 1, STYLE_BAD, error.message);
        return;
    }
    area.x++;
    area.width -= 2;
    bool is_empty = table->shown_count == 0;
    struct area detail = is_empty ? area : table_split_detail(table, &area);
    if (!is_empty) {
        table->page = area.height > 2 ? area.height - 1 : 1;
        scroll_to_cursor(table);
        if (table->report->depth)
            tree_measure(table);
        widths_widen(table, table->top, (size_t)table->page, canvas->frame);
    }
    struct layout layout;
    layout_make(table, area.width, &layout);
    header_draw(table, canvas, area, &layout);
    if (is_empty) {
        table_empty_draw(table, canvas, area);
        return;
    }
    size_t from, to;
    bool is_span = table_span_lines(table, &from, &to);
    for (int i = 0; i < area.height - 1 && table->top + (size_t)i < table->shown_count; i++) {
        size_t line = table->top + (size_t)i;
        row_draw(table, canvas, area, area.y + 1 + i, line, &layout);
        if (row_is_marked(table, table->shown[line]))
            mark_draw(canvas, area, area.y + 1 + i, '*');
        else if (is_span && line >= from && line <= to) // part of the span that is not yet marked
            mark_draw(canvas, area, area.y + 1 + i, '+');
        if (line == table->cursor)
            canvas_flag(canvas, (struct area){area.x - 1, area.y + 1 + i, area.width + 1, 1},
                        CELL_CURSOR);
    }
    scroll_thumb_draw(canvas, area.x + area.width, area.y + 1, area.height - 1, table->top,
                      table->shown_count);
    if (table->has_detail)
        detail_draw(table, canvas, detail);
}

bool table_has_line(const struct table *table, int y, struct area area)
{
    int line = y - area.y - 1;
    return line >= 0 && line < table->page && table->top + (size_t)line < table->shown_count;
}

bool table_scroll_detail(struct table *table, int lines, int x, int y, struct area area)
{
    area.x++;
    area.width -= 2;
    if (!table->has_detail || table->stale || table->shown_count == 0)
        return false;
    struct area detail = table_split_detail(table, &area);
    if (x < detail.x || y < detail.y || y >= detail.y + detail.height)
        return false;
    table->detail_top += lines; // the lower limit is applied when drawing
    table->detail_top = table->detail_top < 0 ? 0 : table->detail_top;
    return true;
}

// Finds the slot at screen column `x`; returns false between slots.
static bool slot_find(const struct table *table, int x, struct area area, struct slot *found)
{
    struct layout layout;
    layout_make(table, table_list_width(table, area.width - 2), &layout);
    for (int i = 0; i < layout.count; i++) {
        *found = layout.slots[i];
        if (x - area.x - 1 >= found->x && x - area.x - 1 < found->x + found->width)
            return true;
    }
    return false;
}

bool table_fold_click(struct table *table, int x, int y, struct area area)
{
    struct slot slot;
    if (!table->report->depth || !table_has_line(table, y, area) ||
        !slot_find(table, x, area, &slot) || !is_name(table, slot.column))
        return false;
    size_t line = table->top + (size_t)(y - area.y - 1);
    int sign = tree_sign(table, slot.width, line), at = x - area.x - 1 - slot.x;
    if (sign < 0 || (at != sign && at != sign + 1)) // the blank after the sign counts as well
        return false;
    table_go_line(table, line);
    bool is_folded = table->state[table->shown[line]] & ROW_FOLDED;
    return table_act(table, is_folded ? ACTION_RIGHT : ACTION_LEFT);
}

int table_click(struct table *table, int x, int y, struct area area)
{
    struct slot slot;
    if (table_has_line(table, y, area))
        table_go_line(table, table->top + (size_t)(y - area.y - 1));
    else if (y == area.y && slot_find(table, x, area, &slot))
        return slot.column;
    return -1;
}
