// SPDX-License-Identifier: Apache-2.0
// Panes side by side (app_panes.c), and the pane of a split view (app_split.c).
#ifndef UI_ACTIONS_APP_PANES_H
#define UI_ACTIONS_APP_PANES_H

#include <stdbool.h>

#include "ui/term/canvas.h"

struct app;
struct view;

void app_focus_pane(struct app *app, unsigned pane); // moves the keys to a pane
bool app_next_pane(struct app *app, int direction);  // also into a split; false: only one pane
bool app_drop_pane(struct app *app); // closes the pane with the keys; false: it is the only one
// Sets the arrangement of panes: "beside", "below" or "as-fits". Returns false for other words.
bool app_set_side(struct app *app, const char *word);
const char *app_shares_text(const struct app *app, struct arena *arena); // "40% 60%"
void app_draw_views(struct app *app);
// Converts a screen position to one of the view with the keys. With `takes_keys` the pane at that
// position gets the keys first; returns true if that is another pane than before.
bool app_focus_pane_at(struct app *app, bool takes_keys, int *x, int *y);

// view_cut_pane() cuts the pane's part off `area` and returns it; width 0: no pane.
struct area view_cut_pane(const struct view *view, struct area *area);
void view_draw_pane(struct view *view, struct canvas *canvas, struct area area);
void view_update_pane(struct view *view); // makes it follow the cursor now, before it gets the keys
bool view_has_split(struct view *view);   // its rows open something and a pane has room

#endif
