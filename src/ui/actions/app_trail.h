// SPDX-License-Identifier: Apache-2.0
// The trail of views.
#ifndef UI_ACTIONS_APP_TRAIL_H
#define UI_ACTIONS_APP_TRAIL_H

#include <stdbool.h>

struct app;
struct selection;
struct view;

// Opens the list of all views.
void view_menu(struct app *app, const char *title,
               void (*choose)(struct app *app, const char *argument));
// Leaves the view that a jump opened, and all that was opened from it. Returns false if there is
// none.
bool app_leave_visit(struct app *app);
void app_drop_below(struct app *app); // removes the view below the top of the trail
// Returns the fields (bits of enum own_field) in which the selection of a view opened from `from`
// differs from the app's scope.
unsigned app_own_fields(const struct app *app, const struct view *from,
                        const struct selection *selection);

#endif
