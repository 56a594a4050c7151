// SPDX-License-Identifier: Apache-2.0
// Undo and redo of changes of the scope, of filters and sorts, and of the display.
#include <string.h>

#include "ui/actions/actions.h"
#include "ui/actions/table_view.h"
#include "ui/host.h"
#include "ui/state/app_state.h"
#include "ui/state/columns.h"
#include "ui/state/comparing.h"
#include "ui/state/scope.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/table/table.h"

static void display_apply(struct app *app, const struct undo *undo)
{
    struct view *view = host_top_view(app);
    app->display->per = undo->per;
    if (view && undo->view == view) {
        app->display->names = view->narrow.names = undo->names;
        bool changes_tree = view->narrow.is_folded != undo->is_folded && view_has_siblings(view);
        app->display->is_folded = view->narrow.is_folded = undo->is_folded;
        if (changes_tree)
            app_remap_tree_rows(app, view);
        view->narrow.with_backward = undo->with_backward;
    }
}

static void undo_apply(struct app *app, const struct undo *undo)
{
    bool is_other = undo->scope.split != app->scope->split;
    *app->scope = undo->scope;
    display_apply(app, undo);
    struct view *view = host_top_view(app);
    if (view && view->report && undo->view == view && undo->report == view->report) {
        struct table *table = &view->table;
        table->columns = undo->columns;
        table->share = undo->share;
        app_store_columns(app, table);
        table_set_filter(table, undo->filter, NULL);
        memcpy(table->sort, undo->sort, sizeof table->sort);
        table->sort_count = undo->sort_count;
        table->stale = TABLE_STALE;
    }
    app_changed(app);
    if (is_other)
        app_comparing_follow(app);
}

// Compares only the keys in use; entries from sort_count on are stale.
static bool sort_differs(const struct undo *a, const struct undo *b)
{
    if (a->sort_count != b->sort_count)
        return true;
    for (unsigned k = 0; k < a->sort_count; k++)
        if (a->sort[k].column != b->sort[k].column ||
            a->sort[k].descending != b->sort[k].descending)
            return true;
    return false;
}

static const char *scope_change(const struct scope *a, const struct scope *b)
{
    return a->split != b->split             ? "how the run is cut"
           : a->iterations != b->iterations ? "the set"
           : scope_differs(a, b)            ? "the scope"
                                            : NULL;
}

// Returns the name of what differs between `undo` and the current screen; NULL: no difference is
// visible.
static const char *undo_change(const struct app *app, const struct undo *undo)
{
    struct undo now = undo_capture(app);
    const char *change = scope_change(&undo->scope, &now.scope);
    if (change || undo->per != now.per)
        return change ? change : "per step or total";
    if (undo->view != now.view)
        return NULL;
    if (undo->names != now.names)
        return "the names";
    if (undo->is_folded != now.is_folded || undo->with_backward != now.with_backward)
        return "the folds";
    if (undo->report != now.report)
        return NULL;
    return strcmp(undo->filter, now.filter) != 0                           ? "the filter"
           : sort_differs(undo, &now)                                      ? "the sort"
           : undo->share != now.share                                      ? "what shares are of"
           : memcmp(&undo->columns, &now.columns, sizeof now.columns) != 0 ? "the columns"
                                                                           : NULL;
}

void app_undo(struct app *app, const char *argument)
{
    (void)argument;
    while (app->undo->at > 0) {
        struct undo former = app->undo->changes[--app->undo->at];
        const char *change = undo_change(app, &former);
        if (!change)
            continue;
        app->undo->changes[app->undo->at] = undo_capture(app);
        app->undo->changes[app->undo->at].visit = former.visit;
        undo_apply(app, &former);
        host_say(app, "undone: %s; {redo} brings it back", change);
        return;
    }
    host_say(app, "nothing to undo");
}

void app_redo(struct app *app, const char *argument)
{
    (void)argument;
    while (app->undo->at < app->undo->count) {
        struct undo later = app->undo->changes[app->undo->at];
        app->undo->changes[app->undo->at] = undo_capture(app);
        app->undo->changes[app->undo->at++].visit = later.visit;
        const char *change = undo_change(app, &later);
        if (!change)
            continue;
        undo_apply(app, &later);
        host_say(app, "done again: %s", change);
        return;
    }
    host_say(app, "nothing to redo");
}
