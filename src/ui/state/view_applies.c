// SPDX-License-Identifier: Apache-2.0
// Conditions under which an action applies to a view: `applies` of the action table.
#include "analysis/report/selection_parts.h"
#include "analysis/reports/report_list.h"
#include "ui/host.h"
#include "ui/rows/cache.h"
#include "ui/state/app_state.h"
#include "ui/state/scope.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"

const char *view_row_opens(struct view *view, struct selection *selection)
{
    const void *row = view->report ? table_row(&view->table) : NULL;
    struct selection before = *selection = view_selection(view);
    if (!row || !(view->class->opens || view->report->narrow))
        return NULL;
    const char *opens = view->class->opens
                            ? view->class->opens(view, row, selection)
                            : view->report->narrow(view->app->profile, row, selection);
    bool is_same =
        opens && strcmp(opens, view->report->name) == 0 && selection_equal(selection, &before);
    return is_same ? NULL : opens;
}

bool view_kernel(struct view *view, struct selection *selection)
{
    const struct profile *profile = view->app->profile;
    const void *row = view->report ? table_row(&view->table) : NULL;
    view_row_opens(view, selection);
    if (row && view->report->work)
        selection->name =
            selection_name(profile, selection, AT(profile->work.function, view->report->work(row)));
    return row && (selection->name != STRING_NONE || selection->function != ROW_NONE);
}

bool view_knows_kernel(struct view *view)
{
    struct selection selection;
    return view_kernel(view, &selection);
}

// Reports of DLProf and PyProf are excluded: their kernel names are fixed by those programs.
bool view_has_name_forms(struct view *view)
{
    const struct column *column = view->report ? report_column(view->report, "kernel") : NULL;
    return column && column->flags & COLUMN_NAME && view->narrow.name == STRING_NONE &&
           !view->report->is_dlprof && view->base != report_find("pyprof");
}

bool view_is_op_tree(struct view *view)
{
    return view->base == report_find("ops");
}

bool view_has_folds(struct view *view)
{
    const struct table *table = &view->table;
    for (size_t row = 0; view->report && view->report->has_children && row < table->rows.count;
         row++)
        if (view->report->has_children(report_row(view->report, &table->rows, row)))
            return true;
    return false;
}

bool view_has_siblings(struct view *view)
{
    return view_is_op_tree(view) && view->narrow.node == ROW_NONE;
}

bool view_has_step_kinds(struct view *view)
{
    uint32_t counts[STEP_KIND_COUNT];
    return split_count_kinds(view->app->scope->split, counts);
}

bool view_has_steps(struct view *view)
{
    return view->app->scope->split->count > 1;
}

bool view_has_many_steps(struct view *view)
{
    return view->app->scope->split->count > 30;
}

bool view_zooms(struct view *view)
{
    return view->class->kinds & KIND_TIMELINE || view_has_many_steps(view);
}

bool view_has_gpus(struct view *view)
{
    uint32_t count = 0;
    for (uint32_t d = 0; d < view->app->profile->device_count; d++)
        count += view->app->profile->devices[d].has_work;
    return count > 1 && view->app->scope->device == ROW_NONE;
}

bool view_has_baseline(struct view *view)
{
    return host_baseline(view->app) != NULL;
}

bool view_has_backward(struct view *view)
{
    return view->backward_ns > 0;
}

bool view_adds_up(struct view *view)
{
    struct selection selection = view_selection(view);
    struct sum_parts parts = selection_parts(view->app->profile, &selection);
    return view->report && view->report->is_aggregate &&
           parts_text(&parts, view->report, view->app->canvas->frame);
}

bool view_has_more_columns(struct view *view)
{
    return view->report && table_cut_column_count(&view->table, view->app->canvas->width) > 0;
}
