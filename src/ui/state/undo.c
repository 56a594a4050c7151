// SPDX-License-Identifier: Apache-2.0
#include "ui/state/undo.h"

#include <string.h>
#include "ui/host.h"
#include "ui/state/app_state.h"
#include "ui/state/comparing.h"
#include "ui/state/mouse.h"
#include "ui/state/scope.h"
#include "ui/state/script_state.h"
#include "ui/state/view.h"

struct undo undo_capture(const struct app *app)
{
    struct undo undo = {.scope = *app->scope,
                        .per = app->display->per,
                        .names = app->display->names,
                        .is_folded = app->display->is_folded};
    const struct view *view = host_top_view(app);
    if (view) {
        undo.view = view;
        undo.report = view->report;
        undo.names = view->narrow.names;
        undo.is_folded = view->narrow.is_folded;
        undo.with_backward = view->narrow.with_backward;
    }
    if (view && view->report) {
        memcpy(undo.filter, view->table.filter_text, sizeof undo.filter);
        memcpy(undo.sort, view->table.sort, sizeof undo.sort);
        undo.sort_count = view->table.sort_count;
        undo.columns = view->table.columns;
        undo.share = view->table.share;
    }
    return undo;
}

void app_remember(struct app *app)
{
    if (app->script->follows_session) // a session is one change in all, or none
        return;
    if (app->undo->at == MAX_UNDO) {
        memmove(&app->undo->changes[0], &app->undo->changes[1],
                (MAX_UNDO - 1) * sizeof *app->undo->changes);
        app->undo->at--;
    }
    app->undo->changes[app->undo->at++] = undo_capture(app);
    app->undo->count = app->undo->at;
}

bool scope_differs(const struct scope *a, const struct scope *b)
{
    return a->split != b->split || a->iterations != b->iterations || a->process != b->process ||
           a->device != b->device || a->adoption != b->adoption ||
           !step_size_equal(&a->step_size, &b->step_size);
}

void app_forget_view(struct app *app, const struct view *view)
{
    app->mouse->pressed = app->mouse->pressed == view ? NULL : app->mouse->pressed;
    for (size_t i = 0; i < app->undo->count; i++) {
        if (app->undo->changes[i].view == view)
            app->undo->changes[i].view = NULL;
        if (app->undo->changes[i].visit == view)
            app->undo->changes[i].visit = NULL;
    }
}

void app_remember_visit(struct app *app, const struct view *visit)
{
    if (app->undo->at == 0) // releasing the former split cleared the list
        return;
    struct undo *former = &app->undo->changes[app->undo->at - 1];
    struct scope scope = former->scope;
    *former = undo_capture(app);
    former->scope = scope;
    former->visit = visit;
    former->filter[0] = 0;
}

void app_forget_visit(struct app *app, const struct view *visit)
{
    size_t at = app->undo->at;
    while (at > 0 && app->undo->changes[at - 1].visit != visit &&
           !scope_differs(&app->undo->changes[at - 1].scope, app->scope))
        at--;
    if (at == 0 || app->undo->changes[at - 1].visit != visit ||
        !scope_differs(&app->undo->changes[at - 1].scope, app->scope))
        return;
    bool is_other = app->undo->changes[at - 1].scope.split != app->scope->split;
    *app->scope = app->undo->changes[at - 1].scope;
    app_changed(app);
    if (is_other)
        app_comparing_follow(app);
}
