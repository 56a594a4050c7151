// SPDX-License-Identifier: Apache-2.0
// What undo takes back.
#ifndef UI_STATE_UNDO_H
#define UI_STATE_UNDO_H

#include "ui/state/scope.h"
#include "ui/table/table.h"

struct app;
struct view;

enum { UNDO_MAX = 100 };

struct undo { // the state before a change
    struct scope scope;
    const struct view *visit;    // that a jump opened, whose change this was; NULL: none
    const struct view *view;     // whose filter and sort these are; NULL: it is gone
    const struct report *report; // ... and of which columns; NULL: it has none
    char filter[TABLE_FILTER_SIZE];
    struct sort_key sort[MAX_SORT_KEYS];
    unsigned sort_count;
    struct column_layout columns;
    enum share_of share;
    bool with_backward;
    // How everything is told.
    enum per_form per;
    enum name_form names;
    bool is_folded;
};

struct undo_list {
    struct undo changes[UNDO_MAX]; // [at, count): what redo brings back
    size_t at, count;
};

struct undo undo_now(const struct app *app); // what undo would come back to
bool scope_differs(const struct scope *a, const struct scope *b);
void app_remember(struct app *app); // before a change that undo takes back
// What has changed since app_remember() came with a jump to the place on top: one change, which goes
// when `visit`, its first view, is left, unless scope was changed once more.
void app_remember_visit(struct app *app, const struct view *visit);
void app_forget_visit(struct app *app, const struct view *visit);
void app_forget_view(struct app *app, const struct view *view); // it goes: undo knows it no more

#endif
