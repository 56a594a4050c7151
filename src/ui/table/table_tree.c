// SPDX-License-Identifier: Apache-2.0
// Tree features of a table: branch lines, folding, movement.
#include "ui/table/table.h"

static unsigned depth_of(const struct table *table, uint32_t row)
{
    return table->report->depth(report_row(table->report, &table->rows, row));
}

static bool has_children(const struct table *table, uint32_t row)
{
    return table->report->has_children &&
           table->report->has_children(report_row(table->report, &table->rows, row));
}

// True if a later shown row has the same depth and parent. The search is bounded, as rows beyond
// MAX_LINES lines are off the screen.
static bool has_later_sibling(const struct table *table, size_t line, unsigned depth)
{
    enum { MAX_LINES = 4000 };
    for (size_t next = line + 1; next < table->shown_count && next < line + MAX_LINES; next++) {
        unsigned other = depth_of(table, table->shown[next]);
        if (other == depth)
            return true;
        if (other < depth)
            return false;
    }
    return false;
}

void tree_measure(struct table *table)
{
    table->deepest = 0;
    for (size_t i = 0; i < (size_t)table->page && table->top + i < table->shown_count; i++) {
        unsigned depth = depth_of(table, table->shown[table->top + i]);
        table->deepest = depth > table->deepest ? depth : table->deepest;
    }
}

// Returns the first level, at least 1, whose branch lines are drawn. All rows on screen drop the
// same outer levels, so that the name of the deepest row keeps half the room and no row is drawn
// left of its parent.
static unsigned first_level(const struct table *table, int width)
{
    unsigned levels = (unsigned)(width > 8 ? width / 4 : 1);
    return table->deepest > levels ? table->deepest - levels : 1;
}

// Returns the column where a branch ends: two columns per outer level, one for the row's own.
static int branch_end(unsigned from, unsigned depth)
{
    return depth == 0 ? 0 : depth > from ? 2 * (int)(depth - from) + 1 : 1;
}

int tree_sign(const struct table *table, int width, size_t line)
{
    uint32_t row = table->shown[line];
    return has_children(table, row) ? branch_end(first_level(table, width), depth_of(table, row))
                                    : -1;
}

int tree_draw(const struct table *table, struct canvas *canvas, int x, int y, int width,
              size_t line)
{
    uint32_t row = table->shown[line];
    unsigned depth = depth_of(table, row);
    unsigned from = first_level(table, width);
    int at = 0, end = branch_end(from, depth);
    for (unsigned level = from; level < depth; level++) {
        canvas_put(canvas, x + at, y, STYLE_TREE,
                   has_later_sibling(table, line, level) ? 0x2502 : ' ');
        at += 2;
    }
    if (depth > 0)
        canvas_put(canvas, x + at, y, STYLE_TREE,
                   from > 1 && width <= 8                  ? 0x2026
                   : has_later_sibling(table, line, depth) ? 0x251c
                                                           : 0x2514);
    if (has_children(table, row)) {
        bool folded = table->state[row] & ROW_FOLDED;
        canvas_put(canvas, x + end, y, STYLE_HEADER, folded ? 0x25b8 : 0x25be);
    } else if (depth > 0) {
        canvas_put(canvas, x + end, y, STYLE_TREE, 0x2500);
    }
    return end + 2;
}

static bool go_parent(struct table *table)
{
    uint32_t parent = table->parent[table->shown[table->cursor]];
    for (size_t line = table->cursor; parent != UINT32_MAX && line-- > 0;) {
        if (table->shown[line] == parent) {
            table->cursor = line;
            return true;
        }
    }
    return false;
}

static void unfold_below(struct table *table, uint32_t row)
{
    unsigned depth = depth_of(table, row);
    row_fold(table, row, false);
    for (uint32_t below = row + 1; below < table->rows.count && depth_of(table, below) > depth;
         below++)
        row_fold(table, below, false);
}

static bool fold_all(struct table *table)
{
    // Moves the cursor to the outermost ancestor, which stays visible.
    uint32_t row = table->shown[table->cursor];
    while (table->parent[row] != UINT32_MAX)
        row = table->parent[row];
    table->toggled = (struct id_set){0};
    table->is_unfolded = false;
    table->open_depth = 0;
    table->cursor_id = table_row_id(table, row);
    table->stale = TABLE_STALE;
    return true;
}

// ---- initial folds -----------------------------------------------------------------------------

struct tree_hot_rows {
    struct table *table;
    size_t lines;
};

static bool unfold_hot_body(void *context, struct error *error)
{
    struct tree_hot_rows *hot = context;
    struct table *table = hot->table;
    const struct report *report = table->report;
    uint32_t count = (uint32_t)table->rows.count;
    const struct column *bar = NULL;
    (void)error;
    for (size_t c = 0; c < report->column_count && !bar; c++)
        if (report->columns[c].flags & COLUMN_BAR)
            bar = &report->columns[c];
    table->open_depth = 0;
    size_t shown = 0;
    for (uint32_t row = 0; row < count; row++)
        shown += depth_of(table, row) == 0;
    // Each round unfolds the most expensive folded row that is visible; its ancestors are open by
    // then.
    for (int rounds = 0; bar && rounds < 64; rounds++) {
        uint32_t costliest = UINT32_MAX;
        struct value maximum = value_none();
        unsigned folded_depth = UINT32_MAX;
        for (uint32_t row = 0; row < count; row++) {
            unsigned depth = depth_of(table, row);
            if (depth > folded_depth)
                continue;
            folded_depth = UINT32_MAX;
            if (!row_is_folded(table, row))
                continue;
            folded_depth = depth;
            struct value value = bar->get(report_row(report, &table->rows, row));
            if (value_compare(value, maximum) > 0) {
                maximum = value;
                costliest = row;
            }
        }
        if (costliest == UINT32_MAX)
            return true;
        size_t children = 0;
        for (uint32_t row = costliest + 1;
             row < count && depth_of(table, row) > depth_of(table, costliest); row++)
            children += depth_of(table, row) == depth_of(table, costliest) + 1;
        if (shown + children > hot->lines && rounds > 0)
            return true;
        row_fold(table, costliest, false);
        shown += children;
    }
    return true;
}

void tree_unfold_hot(struct table *table, size_t lines)
{
    struct tree_hot_rows hot = {table, lines};
    if (table->report->depth && table->rows.count > 0)
        arena_run(table->arena, unfold_hot_body, &hot, NULL);
    table->stale = TABLE_STALE;
}

struct tree_call {
    struct table *table;
    enum action action;
    bool is_handled;
};

static bool act_body(void *context, struct error *error)
{
    struct tree_call *call = context;
    struct table *table = call->table;
    uint32_t row = table->shown[table->cursor];
    (void)error;
    switch (call->action) {
    case ACTION_SCROLL_LEFT: // left and right fold in a tree, so these move the column cursor
    case ACTION_SCROLL_RIGHT:
        table->column =
            column_step(table, table->column, call->action == ACTION_SCROLL_LEFT ? -1 : 1);
        call->is_handled = true;
        break;
    case ACTION_LEFT:
        if (has_children(table, row) && !(table->state[row] & ROW_FOLDED))
            row_fold(table, row, true);
        else
            go_parent(table);
        call->is_handled = true;
        break;
    case ACTION_RIGHT:
        if (table->state[row] & ROW_FOLDED)
            row_fold(table, row, false);
        else if (has_children(table, row) && table->cursor + 1 < table->shown_count)
            table->cursor++;
        call->is_handled = true;
        break;
    case ACTION_PARENT:
        call->is_handled = go_parent(table);
        break;
    case ACTION_UNFOLD_ALL:
        unfold_below(table, row);
        call->is_handled = true;
        break;
    case ACTION_FOLD_ALL:
        call->is_handled = fold_all(table);
        break;
    default:
        break;
    }
    return true;
}

bool tree_act(struct table *table, enum action action)
{
    struct tree_call call = {table, action, false};
    if (table->shown_count == 0 || !table->parent)
        return false;
    return arena_run(table->arena, act_body, &call, NULL) && call.is_handled;
}
