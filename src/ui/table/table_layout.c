// SPDX-License-Identifier: Apache-2.0
// Which columns of a table are shown at a given width, where, and how wide.
//
// The name column is always shown. layout_fit() decides in steps: choice_make() lists the columns
// that may be shown, choice_without_wide() drops those that fit only on wide screens, slots_fill()
// gives columns their minimal widths from left to right while there is room, and slots_extend()
// distributes the remaining room. If the column under the cursor does not fit, the leftmost columns
// are scrolled out. Widths of contents are measured once per set of rows (widths_measure).
#include "ui/table/table_layout.h"

#include <string.h>

#include "analysis/report/value.h"
#include "base/scratch.h"
#include "base/text/text.h"

enum {
    MIN_NAME_WIDTH = 18,
    WIDE_FROM = 120, // width from which COLUMN_WIDE columns are shown
    MEASURED = 500,  // maximum rows of which all are measured; of larger tables a sample is
    SAMPLE = 250,    // number of rows in the sample, at least
    MAX_WIDTH = 200, // maximum width of a column
    BARS_FROM = 60,  // width from which bars are shown
    MIN_BAR_WIDTH = 6,
    DETAIL_RIGHT_FROM = 140 // width from which the detail pane is at the right of the rows
};

// Returns an upper bound of the width of a text; escapes can be longer than the bytes.
static int text_columns(const char *text, struct arena *arena)
{
    size_t length = strnlen(text, MAX_WIDTH);
    bool is_plain = text_plain_length(text, length) == length;
    int shown = is_plain ? 0 : canvas_width(text_safe(arena, text, length, true));
    return shown > (int)length ? shown : (int)length;
}

static int cell_width(const struct table *table, unsigned c, const void *row, struct arena *arena)
{
    const struct column *column = &table->report->columns[c];
    int width = 1;
    if (column->unit == UNIT_TEXT) {
        struct value value = column->get(row);
        width = value.kind == VALUE_TEXT ? text_columns(value.text, arena)
                                         : !(column->flags & COLUMN_MARK);
        if (table->report->depth && (column->flags & COLUMN_NAME))
            width += 3 + 2 * (int)table->report->depth(row);
    } else {
        width = canvas_width(table_cell(table, c, row, arena));
    }
    return width < MAX_WIDTH ? width : MAX_WIDTH;
}

// Returns the width of the cells of a column. Large tables are sampled to bound the cost.
static int cells_width(const struct table *table, unsigned c, struct arena *scratch)
{
    size_t step = table->rows.count > MEASURED ? table->rows.count / SAMPLE : 1;
    int width = 0;
    for (size_t i = 0; i < table->rows.count; i += step) {
        arena_reset(scratch);
        int cell = cell_width(table, c, report_row(table->report, &table->rows, i), scratch);
        width = cell > width ? cell : width;
    }
    return width;
}

// Returns the width of a column's head, with room for the sort sign and, with several sort keys,
// the number of the key. ASCII signs need a blank before them, but only in columns that are sorted.
static int head_width(const struct table *table, unsigned c)
{
    bool is_sort = table_sort_place(table, c) >= 0;
    bool needs_blank = table->ascii && is_sort;
    return canvas_width(table_head(table, c)) + 1 + needs_blank +
           (is_sort && table->sort_count > 1);
}

static double column_maximum(const struct table *table, const struct column *column)
{
    double maximum = 0;
    for (size_t i = 0; (column->flags & COLUMN_BAR) && i < table->rows.count; i++) {
        struct value value = column->get(report_row(table->report, &table->rows, i));
        double x = value.kind == VALUE_INTEGER ? (double)value.integer
                   : value.kind == VALUE_REAL  ? value.real
                                               : 0;
        maximum = x > maximum ? x : maximum;
    }
    return maximum;
}

static void cells_measure(void *context, struct arena *scratch)
{
    struct table *table = context;
    const struct report *report = table->report;
    struct measured *measured = &table->measured;
    for (unsigned c = 0; c < report->column_count && c < MAX_TABLE_COLUMNS; c++) {
        measured->widths[c] = (uint16_t)cells_width(table, c, scratch);
        measured->bar_max[c] = column_maximum(table, &report->columns[c]);
    }
    measured->is_there = table->share != SHARE_SHOWN; // SHARE_SHOWN depends on the filter
    measured->ascii = table->ascii;
    measured->parts = table->parts;
    measured->share = table->share;
    measured->step_ns = table->step_ns;
}

static bool cells_are_measured(const struct table *table)
{
    const struct measured *measured = &table->measured;
    return measured->is_there && measured->ascii == table->ascii &&
           measured->share == table->share && measured->step_ns == table->step_ns &&
           measured->parts.gpu == table->parts.gpu && measured->parts.host == table->parts.host &&
           measured->parts.row == table->parts.row;
}

void widths_measure(struct table *table)
{
    if (!cells_are_measured(table))
        scratch_run(table->derived, cells_measure, table);
    for (unsigned c = 0; c < table->report->column_count && c < MAX_TABLE_COLUMNS; c++) {
        int width = table->measured.widths[c], head = head_width(table, c);
        width = width > head ? width : head;
        table->widths[c] = (uint16_t)(width < MAX_WIDTH ? width : MAX_WIDTH);
    }
}

// Widens columns for the rows on screen, whose values might be cut if the sample missed them.
void widths_widen(struct table *table, size_t line, size_t lines, struct arena *arena)
{
    size_t end = line + lines < table->shown_count ? line + lines : table->shown_count;
    for (; table->rows.count > MEASURED && line < end; line++) {
        const void *row = report_row(table->report, &table->rows, table->shown[line]);
        for (unsigned c = 0; c < table->report->column_count && c < MAX_TABLE_COLUMNS; c++) {
            int width = cell_width(table, c, row, arena);
            if (width > table->measured.widths[c])
                table->measured.widths[c] = (uint16_t)width;
            if (width > table->widths[c])
                table->widths[c] = (uint16_t)width;
        }
    }
}

bool table_column_exists(const struct table *table, unsigned c)
{
    return c < MAX_TABLE_COLUMNS && !(table->report->columns[c].flags & COLUMN_MAY_LACK);
}

bool table_column_is_visible(const struct table *table, unsigned c)
{
    return table_column_exists(table, c) && !column_layout_hides(&table->columns, c);
}

bool table_column_fits(const struct table *table, unsigned c, int width)
{
    const struct column *column = &table->report->columns[c];
    return table_column_is_visible(table, c) &&
           (!(column->flags & COLUMN_WIDE) || width >= WIDE_FROM || (int)c == table->column ||
            table->columns.wanted >> c & 1);
}

void table_toggle_column(struct table *table, unsigned c, int width)
{
    if (c < MAX_TABLE_COLUMNS && !(table->report->columns[c].flags & COLUMN_NAME))
        column_layout_show(&table->columns, c, !table_column_fits(table, c, width));
}

// The columns that may be shown at a width, from left to right, and the name column among them (-1:
// there is no column).
struct choice {
    int columns[MAX_TABLE_COLUMNS], count, name, name_width;
};

// Returns true for a mark column that is empty in all rows, such as ranks of a single process. It
// gets no room.
static bool is_blank(const struct table *table, unsigned c)
{
    return (table->report->columns[c].flags & COLUMN_MARK) && table->rows.count > 0 &&
           table->measured.widths[c] == 0 && (int)c != table->column &&
           !(table->columns.wanted >> c & 1);
}

static struct choice choice_make(const struct table *table, int width)
{
    const struct report *report = table->report;
    struct choice choice = {.name = -1};
    for (unsigned place = 0; place < column_layout_count(report); place++) {
        unsigned c = table->columns.order[place];
        if (!table_column_fits(table, c, width) || is_blank(table, c))
            continue;
        if (choice.name < 0 && (report->columns[c].flags & COLUMN_NAME))
            choice.name = (int)c;
        choice.columns[choice.count++] = (int)c;
    }
    if (choice.name < 0 && choice.count > 0)
        choice.name = choice.columns[0];
    if (choice.name < 0)
        return choice;
    // The name gets a share of the width, a larger one on wide screens.
    int share = table->min_name_percent ? table->min_name_percent : width >= WIDE_FROM ? 33 : 31;
    int limit = width * share / 100 > MIN_NAME_WIDTH ? width * share / 100 : MIN_NAME_WIDTH;
    int wish = table->widths[choice.name], chosen = table->columns.width[choice.name];
    if (chosen) // leave room for the column under the cursor
        limit = width * 3 / 4;
    wish = chosen ? chosen : wish;
    choice.name_width = wish < limit ? wish : limit;
    choice.name_width = choice.name_width < width ? choice.name_width : width;
    return choice;
}

// Returns a column with its minimal width; `room` is the width without the name column.
static struct slot slot_make(const struct table *table, int column, int width, int room)
{
    const struct column *shown_column = &table->report->columns[column];
    struct slot slot = {.column = (uint16_t)column, .width = table->widths[column]};
    if (shown_column->flags & COLUMN_BAR && width >= BARS_FROM)
        slot.bar = MIN_BAR_WIDTH; // make the share visible as a bar
    // Long texts other than the name are narrowed.
    int limit = width / 4 > 13 ? width / 4 - 1 : 12;
    if (shown_column->unit == UNIT_TEXT && slot.width > limit)
        slot.width = limit;
    int chosen = table->columns.width[column];
    if (chosen) { // width set by the user
        int bar_width = slot.bar ? slot.bar + 1 : 0;
        slot.width = chosen + bar_width < room || room - bar_width < 1 ? chosen : room - bar_width;
    }
    return slot;
}

static int slot_width(const struct slot *slot)
{
    return slot->width + (slot->bar ? slot->bar + 1 : 0);
}

// Fills the width with the name column and, as long as they fit, the other columns from index
// `begin`. Returns false if one did not fit.
static bool slots_fill(const struct table *table, const struct choice *choice, int begin, int width,
                       struct layout *layout)
{
    int used = choice->name_width;
    bool all_fit = true, has_name = false;
    layout->count = layout->before = 0;
    for (int i = 0; i < choice->count && all_fit; i++) {
        struct slot slot = {(uint16_t)choice->name, 0, choice->name_width, 0};
        if (choice->columns[i] == choice->name) {
            has_name = true;
        } else if (i < begin) {
            layout->before++;
            continue;
        } else {
            slot = slot_make(table, choice->columns[i], width, width - choice->name_width - 1);
            used += slot_width(&slot) + 1;
            all_fit = used <= width;
        }
        if (all_fit)
            layout->slots[layout->count++] = slot;
    }
    if (!has_name) // the name column is right of the visible ones: keep it at the right end
        layout->slots[layout->count++] =
            (struct slot){(uint16_t)choice->name, 0, choice->name_width, 0};
    return all_fit;
}

static bool layout_has(const struct layout *layout, int column)
{
    for (int i = 0; i < layout->count; i++)
        if (layout->slots[i].column == column)
            return true;
    return false;
}

// Gives the remaining room to the name first, then to bars, and sets the positions of the columns.
static void slots_extend(const struct table *table, const struct choice *choice, int width,
                         struct layout *layout)
{
    int spare = width + 1;
    for (int i = 0; i < layout->count; i++)
        spare -= slot_width(&layout->slots[i]) + 1;
    for (int i = 0; i < layout->count; i++) {
        struct slot *slot = &layout->slots[i];
        int more = table->widths[choice->name] - choice->name_width;
        more = more < spare ? more : spare;
        if (slot->column == choice->name && more > 0 && !table->columns.width[choice->name]) {
            slot->width += more;
            spare -= more;
        }
    }
    for (int i = 0, x = 0; i < layout->count; i++) {
        struct slot *slot = &layout->slots[i];
        int more = (width >= WIDE_FROM ? 24 : 12) - slot->bar;
        more = more < spare ? more : spare;
        if (slot->bar > 0 && more > 0) {
            slot->bar += more;
            spare -= more;
        }
        slot->x = x;
        x += slot_width(slot) + 1;
    }
}

static bool is_for_wide(const struct table *table, int column)
{
    return table->report->columns[column].flags & COLUMN_WIDE &&
           !(table->columns.wanted >> column & 1);
}

// Omits columns for wide screens that would push out columns shown on narrow ones.
static struct choice choice_without_wide(const struct table *table, const struct choice *all,
                                         int width)
{
    struct choice choice = {.name = all->name, .name_width = all->name_width};
    int costs[MAX_TABLE_COLUMNS], room = width - all->name_width;
    for (int i = 0; i < all->count; i++) {
        struct slot slot = slot_make(table, all->columns[i], width, room);
        costs[i] = all->columns[i] == all->name ? 0 : slot_width(&slot) + 1;
        room -= is_for_wide(table, all->columns[i]) ? 0 : costs[i];
    }
    for (int i = 0; i < all->count; i++) {
        bool is_extra = is_for_wide(table, all->columns[i]);
        room -= is_extra ? costs[i] : 0;
        if (!is_extra || room >= 0)
            choice.columns[choice.count++] = all->columns[i];
    }
    return choice;
}

// Chooses the columns so that the column under the cursor is visible. If it does not fit, columns
// left of it are scrolled out, as few as possible; the name column is always shown.
static void layout_fit(const struct table *table, int width, struct layout *layout)
{
    struct choice choice = choice_make(table, width);
    *layout = (struct layout){0};
    if (choice.name < 0)
        return;
    struct choice without_wide = choice_without_wide(table, &choice, width);
    slots_fill(table, &without_wide, 0, width, layout);
    if (layout_has(layout, table->column)) {
        slots_extend(table, &without_wide, width, layout);
        return;
    }
    for (int begin = 0; begin <= choice.count; begin++)
        if (slots_fill(table, &choice, begin, width, layout) || layout_has(layout, table->column) ||
            table->column == choice.name)
            break;
    slots_extend(table, &choice, width, layout);
}

// Counts the columns that the cursor can reach beyond the right end, including those for wide
// screens.
static void layout_count(const struct table *table, struct layout *layout)
{
    int reachable = 0;
    for (unsigned c = 0; c < column_layout_count(table->report); c++)
        reachable += table_column_is_visible(table, c);
    layout->after = reachable - layout->count - layout->before;
}

void layout_make(const struct table *table, int width, struct layout *layout)
{
    layout_fit(table, width, layout);
    layout_count(table, layout);
}

int table_list_width(const struct table *table, int width)
{
    return table->has_detail && width >= DETAIL_RIGHT_FROM ? width * 3 / 5 - 1 : width;
}

int table_cut_column_count(const struct table *table, int width)
{
    struct layout layout;
    layout_make(table, table_list_width(table, width - 2), &layout);
    return layout.before + layout.after;
}
