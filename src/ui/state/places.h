// SPDX-License-Identifier: Apache-2.0
// Where one is: the views that were gone through, those side by side, those left open.
#ifndef UI_STATE_PLACES_H
#define UI_STATE_PLACES_H

#include "ui/host.h"
#include "ui/term/canvas.h"
#include "ui/widgets/panes.h"

struct app;
struct table;
struct view;
struct view_class;

enum { TRAIL_MAX = 48 };

// Views side by side (app_panes.c).
struct way { // how one came to a view, the last; those of the pane with the keys are places.trail
    struct view *trail[TRAIL_MAX];
    size_t depth;
};
struct panes {
    unsigned count, focus; // at least one; which has the keys
    struct way ways[MAX_PANES];
    unsigned share[MAX_PANES]; // of the width or height: any numbers
    enum panes_side side;
    struct area shown[MAX_PANES]; // where their views were drawn last; all 0: on all of the screen
};

struct places {
    struct view *trail[TRAIL_MAX]; // where one is: the last; how one came there: those before
    size_t depth;
    struct panes panes;
    struct view **tabs; // one of a class at most, numbered views
                        // left by going back, kept as they were
    size_t tab_count;
    enum { PANE_FRESH, PANE_WAITS, PANE_RIPE } pane; // of a split: follows when keys rest
    uint32_t step;                                   // under the cursor of the Iterations view
};

// Panes: the way of one of them, and all views there are, NULL after the last.
struct view *const *app_way(const struct app *app, unsigned pane, size_t *depth);
struct view *app_view_at(const struct app *app, size_t i);
void app_focus_pane(struct app *app, unsigned pane); // the keys go there from now on
bool app_next_pane(struct app *app, int direction);  // also into a split; false: there is one only
bool app_drop_pane(struct app *app);                 // with the keys; false: it is the only one
// beside, below, as-fits; false: none of these
bool app_take_side(struct app *app, const char *word);
const char *app_shares_text(const struct app *app, struct arena *arena); // "40% 60%"
int app_lines_above(const struct app *app);                              // the view, by height
struct area app_content(const struct app *app);                          // where the view is
// Where the panes are, one for each of them; false: one view fills the screen.
bool app_pane_areas(const struct app *app, struct area areas[]);
struct area pane_view_area(struct area pane); // below its heading
struct area app_room(const struct app *app);  // where the view with the keys is
void app_draw_views(struct app *app);
// A place of the screen becomes one of the view with the keys; with `takes_keys` those go first to
// the pane that lies there: true: to another one than before.
bool app_point_pane(struct app *app, bool takes_keys, int *x, int *y);

// The trail.
void view_menu(struct app *app, const char *title,
               void (*choose)(struct app *app, const char *argument)); // of all views
struct table *app_top_table(struct app *app); // NULL, and said: there are no rows here
// A second one of it above where one is, whatever there is on the way; false, and said: memory ended.
bool app_go_anew(struct app *app, const struct view_class *class);
// Back from the place that a jump led to, and from what was opened there; false: there is none.
bool app_leave_visit(struct app *app);
void app_drop_below(struct app *app); // the place below the one on top, which takes its place
// What of a selection made from a view's is not the app's: enum own_field, joined.
unsigned app_own(const struct app *app, const struct view *from, const struct selection *selection);

#endif
