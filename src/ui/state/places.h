// SPDX-License-Identifier: Apache-2.0
// Places: the trail of views that led to the current one, the panes side by side, and kept tabs.
#ifndef UI_STATE_PLACES_H
#define UI_STATE_PLACES_H

#include "ui/host.h"
#include "ui/term/canvas.h"
#include "ui/widgets/panes.h"

struct app;
struct table;
struct view;
struct view_class;

// When more views are opened, the second of the trail is dropped.
enum { MAX_TRAIL = 48 };

// The trail of a pane: the views that led to its current view, the last one. The trail of the pane
// with the keys is places.trail instead.
struct pane_trail {
    struct view *trail[MAX_TRAIL];
    size_t depth;
};
// Views side by side (app_panes.c).
struct panes {
    unsigned count, focus; // number of panes, at least 1; index of the pane with the keys
    struct pane_trail trails[MAX_PANES];
    unsigned share[MAX_PANES]; // relative share of the width or height
    enum panes_side side;
    struct area shown[MAX_PANES]; // where the views were last drawn; all 0: full screen
};

struct places {
    struct view *trail[MAX_TRAIL]; // the current view is the last, reached through the others
    size_t depth;
    struct panes panes;
    struct view **tabs; // views that the user left, kept as they were; at most one per class
    size_t tab_count;
    enum {
        PANE_CURRENT,
        PANE_PENDING,
        PANE_DUE
    } pane;        // state of a split's pane, which follows the cursor when keys rest
    uint32_t step; // step under the cursor of the Iterations view
};

// Return the trail of a pane, and the i-th of all views (NULL after the last).
struct view *const *app_pane_trail(const struct app *app, unsigned pane, size_t *depth);
struct view *app_view_at(const struct app *app, size_t i);
void app_focus_pane(struct app *app, unsigned pane); // moves the keys to a pane
bool app_next_pane(struct app *app, int direction);  // also into a split; false: only one pane
bool app_drop_pane(struct app *app); // closes the pane with the keys; false: it is the only one
// Sets the arrangement of panes: "beside", "below" or "as-fits". Returns false for other words.
bool app_set_side(struct app *app, const char *word);
const char *app_shares_text(const struct app *app, struct arena *arena); // "40% 60%"
int app_lines_above(const struct app *app);     // lines above the view, depending on the height
struct area app_content(const struct app *app); // area of all views
// Sets the area of each pane. Returns false if one view fills the screen.
bool app_pane_areas(const struct app *app, struct area areas[]);
struct area pane_view_area(struct area pane); // area below the pane's heading
struct area app_room(const struct app *app);  // area of the view with the keys
void app_draw_views(struct app *app);
// Converts a screen position to one of the view with the keys. With `takes_keys` the pane at that
// position gets the keys first; returns true if that is another pane than before.
bool app_focus_pane_at(struct app *app, bool takes_keys, int *x, int *y);

// The trail. view_menu() opens the list of all views.
void view_menu(struct app *app, const char *title,
               void (*choose)(struct app *app, const char *argument));
struct table *app_top_table(struct app *app); // NULL, with a message, if the view has no rows
// Opens a new view of a class even if the trail has one. Returns false, with a message, if out of
// memory.
bool app_open_new_view(struct app *app, const struct view_class *class);
// Leaves the view that a jump opened, and all that was opened from it. Returns false if there is
// none.
bool app_leave_visit(struct app *app);
void app_drop_below(struct app *app); // removes the view below the top of the trail
// Returns the fields (bits of enum own_field) in which the selection of a view opened from `from`
// differs from the app's scope.
unsigned app_own_fields(const struct app *app, const struct view *from,
                        const struct selection *selection);

#endif
