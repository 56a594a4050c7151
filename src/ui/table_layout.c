// SPDX-License-Identifier: Apache-2.0
#include "ui/table_layout.h"

#include <string.h>

#include "analysis/value.h"

enum {
    NAME_LEAST = 18,
    WIDE_FROM = 120,
    SAMPLE = 2000,
    BARS_FROM = 60,
    BAR_LEAST = 6,
    BESIDE_FROM = 140
};

// Widths by what the cells hold: of a sample of the rows, so that the cost has a bound.
void widths_measure(struct table *table)
{
    const struct report *report = table->report;
    struct arena *scratch = arena_new(1 << 24);
    size_t step = table->rows.count / SAMPLE + 1;
    for (unsigned c = 0; c < report->column_count && c < TABLE_COLUMNS; c++) {
        const struct column *column = &report->columns[c];
        // The mark of the sort; in ASCII it stands apart, which only its own column pays for.
        bool is_apart = table->ascii && table->sort_count && table->sort[0].column == c;
        int width = canvas_width(column->head) + (is_apart ? 2 : 1);
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
static void layout_fit(const struct table *table, int width, struct layout *layout)
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
        layout->count = layout->before = 0;
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
                layout->before++;
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

// What the column cursor can reach beyond the right end, columns for wide screens included.
static void layout_count(const struct table *table, struct layout *layout)
{
    int reachable = 0;
    for (int c = 0; c < (int)table->report->column_count && c < TABLE_COLUMNS; c++)
        reachable += !(table->hidden >> c & 1);
    layout->after = reachable - layout->count - layout->before;
}

void layout_make(const struct table *table, int width, struct layout *layout)
{
    layout_fit(table, width, layout);
    layout_count(table, layout);
}

int table_list_width(const struct table *table, int width)
{
    return table->has_detail && width >= BESIDE_FROM ? width * 3 / 5 - 1 : width;
}

int table_columns_beyond(const struct table *table, int width)
{
    struct layout layout;
    layout_make(table, table_list_width(table, width - 2), &layout);
    return layout.before + layout.after;
}
