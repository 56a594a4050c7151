// SPDX-License-Identifier: Apache-2.0
// The steps as rows: view_iterations.c is the same as a chart.
#include "analysis/compare.h"
#include "ui/app_state.h"

// The steps of the marked rows, else of the one under the cursor.
static void leave_out(struct view *view)
{
    struct table *table = &view->table;
    uint32_t steps = view->app->scope.split->count;
    bool *out = ARENA_ARRAY(view->app->canvas->frame, bool, steps);
    size_t count = 0;
    uint32_t *rows = table_marked_rows(table, view->app->canvas->frame, &count);
    for (size_t i = 0; i < count; i++)
        if (table_row_id(table, rows[i]) < steps)
            out[table_row_id(table, rows[i])] = true;
    if (!rows && table_row(table) && view->report->id(table_row(table)) < steps)
        out[view->report->id(table_row(table))] = true;
    app_leave_iterations_out(view->app, out);
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
    uint64_t step = view->report->id(row); // of side B, where there are two
    bool is_there = step < app->scope.split->count;
    if (action == ACTION_FLIP) {
        app->iteration_cursor = is_there ? (uint32_t)step : app->iteration_cursor;
        return false;
    }
    if (is_there)
        view_enter_step(view, (uint32_t)step);
    else if (compare_row_side(row, SIDE_A))
        app_say(app, "this row is gone: only the baseline has it");
    return true;
}

// Neither all steps together nor one that only the baseline has leads anywhere.
static const char *enters(struct view *view)
{
    const void *row = table_row(&view->table);
    return row && view->report->id(row) < view->app->scope.split->count
               ? view_iterations.enters(view)
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
    .enters = enters,
    .flip = "iterations",
    .flip_label = "Chart",
};
