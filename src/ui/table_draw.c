// SPDX-License-Identifier: Apache-2.0
// Widths, layout and drawing of a table.
#include <string.h>

#include "analysis/value.h"
#include "base/text.h"
#include "ui/bars.h"
#include "ui/table.h"

enum { NAME_LEAST = 18, WIDE_FROM = 120, SAMPLE = 2000, BARS_FROM = 60, BAR_LEAST = 6 };

// Widths by what the cells hold: of a sample of the rows, so that the cost has a bound.
static void widths_measure(struct table *table)
{
    const struct report *report = table->report;
    struct arena *scratch = arena_new(1 << 24);
    size_t step = table->rows.count / SAMPLE + 1;
    for (unsigned c = 0; c < report->column_count && c < TABLE_COLUMNS; c++) {
        const struct column *column = &report->columns[c];
        int width = canvas_width(column->head) + 1; // one for the mark of the sort
        double most = 0;
        for (size_t i = 0; scratch && i < table->rows.count; i += step) {
            const void *row = report_row(report, &table->rows, i);
            arena_reset(scratch);
            int length = 0;
            if (column->unit == UNIT_TEXT) {
                struct value value = column->get(row);
                length = value.kind == VALUE_TEXT ? (int)strnlen(value.text, 200) : 1;
                if (report->depth && (column->flags & COLUMN_NAME))
                    length += 3 + 2 * (int)report->depth(row);
            } else {
                length = canvas_width(table_cell(table, c, row, scratch));
            }
            width = length > width ? length : width;
        }
        for (size_t i = 0; (column->flags & COLUMN_BAR) && i < table->rows.count; i++) {
            struct value value = column->get(report_row(report, &table->rows, i));
            double x = value.kind == VALUE_INTEGER ? (double)value.integer
                       : value.kind == VALUE_REAL  ? value.real
                                                   : 0;
            most = x > most ? x : most;
        }
        table->bar_max[c] = most;
        table->widths[c] = (uint16_t)(width > 200 ? 200 : width);
    }
    arena_free(scratch);
}

static bool update_body(void *context, struct error *error)
{
    struct table *table = context;
    (void)error;
    uint64_t id = table->cursor_id;
    table_order(table);
    table_show(table);
    widths_measure(table);
    // The cursor stays with its row, else in its line.
    for (size_t line = 0; table->has_cursor && line < table->shown_count; line++) {
        if (table_row_id(table, table->shown[line]) == id) {
            table->cursor = line;
            break;
        }
    }
    if (table->cursor >= table->shown_count)
        table->cursor = table->shown_count ? table->shown_count - 1 : 0;
    if (table->column >= (int)table->report->column_count)
        table->column = 0;
    return true;
}

bool table_update(struct table *table, struct error *error)
{
    if (!table->is_dirty)
        return true;
    table->order = table->parent = table->shown = NULL;
    table->shown_count = 0;
    arena_reset(table->derived);
    if (!arena_run(table->derived, update_body, table, error)) {
        table->shown_count = 0;
        return false;
    }
    table->is_dirty = false;
    if (table->cursor < table->shown_count && table->filter.count == 0)
        table->cursor_id = table_row_id(table, table->shown[table->cursor]);
    return true;
}

struct slot { // a column on screen
    uint16_t column;
    int x, width, bar;
};

struct layout {
    struct slot slots[TABLE_COLUMNS];
    int count;
    int left_out; // columns for which there is no room
};

bool table_shows(const struct table *table, unsigned c, int width)
{
    const struct column *column = &table->report->columns[c];
    return c < TABLE_COLUMNS && !(table->hidden >> c & 1) &&
           (!(column->flags & COLUMN_WIDE) || width >= WIDE_FROM || (int)c == table->column ||
            table->wanted >> c & 1);
}

void table_toggle_column(struct table *table, unsigned c, int width)
{
    uint64_t bit = UINT64_C(1) << c;
    if (c >= TABLE_COLUMNS || table->report->columns[c].flags & COLUMN_NAME)
        return;
    if (table_shows(table, c, width)) {
        table->hidden |= bit;
        table->wanted &= ~bit;
    } else {
        table->hidden &= ~bit;
        table->wanted |= bit;
    }
}

// The name keeps its place; the others follow from the first that lets the column cursor be seen.
static void layout_make(const struct table *table, int width, struct layout *layout)
{
    const struct report *report = table->report;
    int name = -1, visible = 0, order[TABLE_COLUMNS];
    for (unsigned c = 0; c < report->column_count && c < TABLE_COLUMNS; c++) {
        if (!table_shows(table, c, width))
            continue;
        if (name < 0 && (report->columns[c].flags & COLUMN_NAME))
            name = (int)c;
        order[visible++] = (int)c;
    }
    if (name < 0 && visible > 0)
        name = order[0];
    *layout = (struct layout){0};
    if (name < 0)
        return;
    // A name gets a share of the width, more of it where there is more.
    int share = table->name_share ? table->name_share : width >= WIDE_FROM ? 33 : 31;
    int name_width = width * share / 100 > NAME_LEAST ? width * share / 100 : NAME_LEAST;
    name_width = table->widths[name] < name_width ? table->widths[name] : name_width;
    name_width = name_width < width ? name_width : width;
    int begin = 0;
    for (;; begin++) {
        int used = name_width, last = -1;
        layout->count = 0;
        for (int i = 0; i < visible; i++) {
            int c = order[i];
            int need = c == name ? 0 : table->widths[c] + 1;
            if (c != name && (report->columns[c].flags & COLUMN_BAR) && width >= BARS_FROM)
                need += BAR_LEAST + 1; // a share is seen before it is read
            // Long texts beside the name do with less.
            if (c != name && report->columns[c].unit == UNIT_TEXT && need > width / 4 && need > 13)
                need = width / 4 > 13 ? width / 4 : 13;
            if (c != name && (i < begin || used + need > width)) {
                if (i >= begin)
                    break;
                continue;
            }
            layout->slots[layout->count++] =
                (struct slot){(uint16_t)c, 0, c == name ? name_width : need - 1, 0};
            if (c != name && (report->columns[c].flags & COLUMN_BAR) && width >= BARS_FROM) {
                layout->slots[layout->count - 1].width = need - 1 - BAR_LEAST - 1;
                layout->slots[layout->count - 1].bar = BAR_LEAST;
            }
            used += need;
            last = i;
        }
        bool name_is_in = false, cursor_is_in = false;
        for (int i = 0; i < layout->count; i++) {
            name_is_in |= layout->slots[i].column == name;
            cursor_is_in |= layout->slots[i].column == table->column;
        }
        if (!name_is_in) // named to the right of what fits: its place is kept at the right end
            layout->slots[layout->count++] = (struct slot){(uint16_t)name, 0, name_width, 0};
        layout->left_out = visible - layout->count;
        if (cursor_is_in || table->column == name || begin >= visible || last == visible - 1)
            break;
    }
    // Spare room: first for the name, then for bars.
    int used = -1;
    for (int i = 0; i < layout->count; i++)
        used += layout->slots[i].width + 1 + (layout->slots[i].bar ? layout->slots[i].bar + 1 : 0);
    int spare = width - used;
    int wish = table->widths[name] - name_width;
    int grow = wish < spare ? wish : spare;
    spare -= grow > 0 ? grow : 0;
    for (int i = 0; i < layout->count && spare > 0; i++) {
        int most = width >= WIDE_FROM ? 24 : 12, bar = layout->slots[i].bar;
        if (bar == 0)
            continue;
        int more = most - bar < spare ? most - bar : spare;
        layout->slots[i].bar += more;
        spare -= more;
    }
    for (int i = 0, x = 0; i < layout->count; i++) {
        struct slot *slot = &layout->slots[i];
        if (slot->column == name)
            slot->width += grow > 0 ? grow : 0;
        slot->x = x;
        x += slot->width + 1 + (slot->bar ? slot->bar + 1 : 0);
    }
}

static void header_draw(const struct table *table, struct canvas *canvas, struct area area,
                        const struct layout *layout)
{
    canvas_fill(canvas, (struct area){area.x, area.y, area.width, 1}, STYLE_HEADER, ' ');
    for (int i = 0; i < layout->count; i++) {
        const struct slot *slot = &layout->slots[i];
        const struct column *column = &table->report->columns[slot->column];
        bool is_sort = table->sort_count && table->sort[0].column == slot->column;
        const char *text = column->head;
        // "callsv" would be a word: in ASCII the signs of `:sort -calls`.
        static const char *const marks[2][2] = {{"▴", "▾"}, {"+", "-"}};
        if (is_sort)
            text = arena_format(canvas->frame, "%s%s", text,
                                marks[canvas->ascii][table->sort[0].descending]);
        else if (unit_is_number(column->unit))
            text = arena_format(canvas->frame, "%s ", text);
        canvas_fit(canvas, area.x + slot->x, area.y, slot->width,
                   is_sort ? STYLE_HEADER_SORT : STYLE_HEADER,
                   unit_is_number(column->unit) ? FIT_RIGHT : FIT_LEFT, text);
        if ((int)slot->column == table->column)
            canvas_flag(canvas, (struct area){area.x + slot->x, area.y, slot->width, 1},
                        CELL_CURSOR);
    }
}

// Marks what search and filter matched in a name as it stands on the screen.
static void matches_mark(const struct table *table, struct canvas *canvas, int x, int y, int width,
                         const char *text)
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
    if (canvas_width(text) > width)
        text = text_cut(canvas->frame, text, width, table->name_scroll == 0, canvas->ascii);
    bool is_context = table->filter.count && !(table->state[row] & ROW_KEPT);
    canvas_fit(canvas, x, y, width, is_context ? STYLE_DIM : STYLE_TEXT, FIT_LEFT, text);
    matches_mark(table, canvas, x, y, width, text);
}

static double bar_share(const struct table *table, unsigned column, const void *data)
{
    struct value value = table->report->columns[column].get(data);
    double x = value.kind == VALUE_INTEGER ? (double)value.integer
               : value.kind == VALUE_REAL  ? value.real
                                           : 0;
    return table->bar_max[column] > 0 ? x / table->bar_max[column] : 0;
}

static enum style cell_style(const struct column *column, const char *text)
{
    if (column->unit == UNIT_STATE)
        return strcmp(text, "yes") == 0 ? STYLE_GOOD : STYLE_DIM;
    if (strcmp(text, "0") == 0 || strcmp(text, "0 ns") == 0 || strcmp(text, "0.0") == 0 ||
        strcmp(text, "–") == 0 || strcmp(text, "-") == 0)
        return STYLE_DIM;
    return STYLE_TEXT;
}

static void row_draw(const struct table *table, struct canvas *canvas, struct area area, int y,
                     size_t line, const struct layout *layout)
{
    const void *data = report_row(table->report, &table->rows, table->shown[line]);
    for (int i = 0; i < layout->count; i++) {
        const struct slot *slot = &layout->slots[i];
        const struct column *column = &table->report->columns[slot->column];
        int x = area.x + slot->x;
        if (column->flags & COLUMN_NAME || (table->report->depth && slot->column == 0)) {
            name_draw(table, canvas, x, y, slot->width, line, slot->column);
            continue;
        }
        const char *text = table_cell(table, slot->column, data, canvas->frame);
        canvas_fit(canvas, x, y, slot->width, cell_style(column, text),
                   unit_is_number(column->unit) ? FIT_RIGHT
                   : column->unit == UNIT_STATE ? FIT_LEFT
                                                : FIT_MIDDLE,
                   text);
        if (slot->bar)
            bar_draw(canvas, x + slot->width + 1, y, slot->bar, STYLE_BAR,
                     bar_share(table, slot->column, data));
    }
}

static void scroll_to_cursor(struct table *table)
{
    size_t page = (size_t)(table->page > 0 ? table->page : 1);
    if (table->cursor < table->top)
        table->top = table->cursor;
    if (table->cursor >= table->top + page)
        table->top = table->cursor - page + 1;
    if (table->top + page > table->shown_count)
        table->top = table->shown_count > page ? table->shown_count - page : 0;
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
    struct layout layout;
    layout_make(table, area.width - 2, &layout);
    area.x++;
    area.width -= 2;
    header_draw(table, canvas, area, &layout);
    if (table->shown_count == 0) {
        const char *why = table->rows.count == 0
                              ? (table->rows.empty ? table->rows.empty : "Nothing here.")
                              : "No row passes the filter.  Esc clears it, u undoes it.";
        canvas_wrap(canvas, (struct area){area.x + 1, area.y + 2, area.width - 2, area.height - 2},
                    STYLE_DIM, why);
        return;
    }
    struct area detail = area;
    int list_height = area.height - 1;
    if (table->has_detail && area.width >= 140) { // beside
        detail.x = area.x + area.width * 3 / 5;
        detail.width = area.width - area.width * 3 / 5;
        detail.y = area.y;
        area.width = area.width * 3 / 5 - 1;
        layout_make(table, area.width, &layout);
        canvas_fill(canvas, (struct area){area.x, area.y, detail.width + area.width + 1, 1},
                    STYLE_TEXT, ' ');
        header_draw(table, canvas, area, &layout);
    } else if (table->has_detail && list_height > 6) { // below
        // The list keeps a third: whoever opened the pane wants to read it.
        int need = (int)table->report->column_count + 3, most = list_height * 2 / 3;
        detail.height = need < most ? need : most;
        list_height -= detail.height;
        detail.y = area.y + 1 + list_height;
    } else if (table->has_detail) { // no room for both: the row itself, then what there is of it
        list_height = 1;
        detail.y = area.y + 2;
        detail.height = area.height - 2;
    }
    table->page = list_height > 0 ? list_height : 1;
    scroll_to_cursor(table);
    for (int i = 0; i < list_height && table->top + (size_t)i < table->shown_count; i++) {
        size_t line = table->top + (size_t)i;
        row_draw(table, canvas, area, area.y + 1 + i, line, &layout);
        if (line == table->cursor)
            canvas_flag(canvas, (struct area){area.x - 1, area.y + 1 + i, area.width + 1, 1},
                        CELL_CURSOR);
    }
    // Where one is in a long list: a thumb at the right edge.
    if (table->shown_count > (size_t)table->page && list_height > 2) {
        size_t most = table->shown_count - (size_t)table->page;
        int at = (int)(table->top * (size_t)(list_height - 1) / most);
        canvas_put(canvas, area.x + area.width, area.y + 1 + at, STYLE_TREE, 0x2502);
    }
    if (table->has_detail)
        detail_draw(table, canvas, detail);
}

int table_click(struct table *table, int x, int y, struct area area)
{
    int line = y - area.y - 1;
    if (line >= 0 && line < table->page && table->top + (size_t)line < table->shown_count) {
        table->cursor = table->top + (size_t)line;
        table->cursor_id = table_row_id(table, table->shown[table->cursor]);
    } else if (line == -1) {
        struct layout layout;
        layout_make(table, area.width - 2, &layout);
        for (int i = 0; i < layout.count; i++) {
            const struct slot *slot = &layout.slots[i];
            if (x - area.x - 1 >= slot->x && x - area.x - 1 < slot->x + slot->width)
                return slot->column;
        }
    }
    return -1;
}
