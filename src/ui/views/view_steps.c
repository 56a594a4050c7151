// SPDX-License-Identifier: Apache-2.0
// The steps as rows of a table; view_iterations.c shows the same as a chart.
#include "analysis/compare/compare.h"
#include "base/text/format.h"
#include "ui/actions/table_view.h"
#include "ui/host.h"
#include "ui/state/scope.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/views/views_actions.h"

// Leaves out the steps of the marked rows, or of the row under the cursor if none is marked.
static void leave_out(struct view *view)
{
    struct table *table = &view->table;
    uint32_t steps = host_scope(view->app)->split->count;
    bool *out = ARENA_ARRAY(host_canvas(view->app)->frame, bool, steps);
    size_t count = 0;
    uint32_t *rows = table_marked_rows(table, host_canvas(view->app)->frame, &count);
    for (size_t i = 0; i < count; i++)
        if (table_row_id(table, rows[i]) < steps)
            out[table_row_id(table, rows[i])] = true;
    if (!rows && table_row(table) && view->report->id(table_row(table)) < steps)
        out[view->report->id(table_row(table))] = true;
    host_exclude_steps(view->app, out);
    table_drop_marks(table);
}

static bool act(struct view *view, enum action action)
{
    struct app *app = view->app;
    if (action == ACTION_LEAVE_OUT) {
        leave_out(view);
        return true;
    }
    bool is_mine = action == ACTION_ENTER || action == ACTION_FLIP;
    const void *row = is_mine ? table_row(&view->table) : NULL;
    if (!row)
        return table_view_act(view, action);
    uint64_t step = view->report->id(row); // of side B in a comparison
    bool is_there = step < host_scope(app)->split->count;
    if (action == ACTION_FLIP) {
        host_set_step(app, is_there ? (uint32_t)step : host_step(app));
        return false;
    }
    if (is_there)
        view_enter_step(view, (uint32_t)step);
    else if (compare_row_side(row, SIDE_A))
        host_say(app, "this row is gone: only the baseline has it");
    return true;
}

// A drag over rows chooses their steps, as a drag over bars does.
static bool point(struct view *view, uint32_t key, int x, int y)
{
    struct app *app = view->app;
    struct table *table = &view->table;
    size_t from, to, count = 0;
    (void)x;
    if ((key != KEY_DRAG && key != KEY_DROP) || table->stale || view_drag_rows(view, y) == 0 ||
        !table_span_lines(table, &from, &to))
        return false;
    bool *members = ARENA_ARRAY(host_canvas(app)->frame, bool, host_scope(app)->split->count);
    for (size_t line = from; line <= to; line++) {
        uint64_t step = table_row_id(table, table->shown[line]);
        if (step < host_scope(app)->split->count) {
            members[step] = true;
            count++;
        }
    }
    char text[FORMAT_SIZE];
    const char *steps = format_counted(text, count, split_words_of(host_scope(app)->split)->one);
    if (key == KEY_DROP) {
        view->drag = DRAG_NONE;
        table->marks.has_span = false;
        if (count > 0)
            host_select_steps(app, members);
    } else if (count > 0) {
        host_say(app, "let go: the set of %s; {cancel} drops it", steps);
    }
    return true;
}

// Enter has no effect on the row of all steps and on a step that only the baseline has.
static const char *enters(struct view *view)
{
    const void *row = table_row(&view->table);
    return row && view->report->id(row) < host_scope(view->app)->split->count
               ? view_class_find("iterations")->enters(view)
               : NULL;
}

const struct view_class view_steps = {
    .name = "steps",
    .title = "Iterations, rows",
    .doc = "the steps as rows; with a baseline step by step",
    .kinds = KIND_TABLE,
    .report = "iterations",
    .draw = table_view_draw,
    .act = act,
    .point = point,
    .enters = enters,
    .flip = "iterations",
    .flip_label = "Chart",
};
