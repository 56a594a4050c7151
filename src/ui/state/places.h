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
int app_lines_above(const struct app *app);     // lines above the view, depending on the height
struct area app_content(const struct app *app); // area of all views
// Sets the area of each pane. Returns false if one view fills the screen.
bool app_pane_areas(const struct app *app, struct area areas[]);
struct area pane_view_area(struct area pane); // area below the pane's heading
struct area app_room(const struct app *app);  // area of the view with the keys

#endif
