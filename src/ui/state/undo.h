// SPDX-License-Identifier: Apache-2.0
// The undo list: the states before the last changes.
#ifndef UI_STATE_UNDO_H
#define UI_STATE_UNDO_H

#include "ui/state/scope.h"
#include "ui/table/table.h"

struct app;
struct view;

// When more changes are made, the oldest is forgotten.
enum { MAX_UNDO = 100 };

struct undo { // the state before a change
    struct scope scope;
    const struct view *visit;    // first view of the jump that made the change; NULL: not a jump
    const struct view *view;     // view that filter and sort belong to; NULL: freed
    const struct report *report; // report that they belong to; NULL: no table
    char filter[TABLE_FILTER_SIZE];
    struct sort_key sort[MAX_SORT_KEYS];
    unsigned sort_count;
    struct column_layout columns;
    enum share_of share;
    bool with_backward;
    // display
    enum per_form per;
    enum name_form names;
    bool is_folded;
};

struct undo_list {
    struct undo changes[MAX_UNDO]; // [at, count) are for redo
    size_t at, count;
};

struct undo undo_capture(const struct app *app); // the current state
bool scope_differs(const struct scope *a, const struct scope *b);
void app_remember(struct app *app); // call before an undoable change
// Marks the change since app_remember() as made by a jump whose first view is `visit`.
// app_forget_visit() reverts it when the user leaves `visit`, unless the scope was changed since.
void app_remember_visit(struct app *app, const struct view *visit);
void app_forget_visit(struct app *app, const struct view *visit);
void app_forget_view(struct app *app, const struct view *view); // call before freeing a view

#endif
