// SPDX-License-Identifier: Apache-2.0
// The state of the flame view, shared by the files that move in it and draw it.
//
// Rows, filter, search, marks and cursor belong to the view's table, which is fully unfolded: each
// box corresponds to a row of the table. The view adds only the box that fills the width (the root)
// and the visible levels.
#ifndef UI_FLAME_FLAME_VIEW_H
#define UI_FLAME_FLAME_VIEW_H

#include "analysis/breakdown/breakdown.h"
#include "ui/flame/flame_layout.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"

// With more zooms the oldest is dropped.
enum { MAX_FLAME_ZOOMS = 64 };
#define FLAME_WHOLE_ID UINT64_MAX // no row has this id

struct flame_zoom {  // a box that the user made fill the width, and the position to return to
    uint64_t id;     // id of the row of the box, or FLAME_WHOLE_ID
    int64_t most_ns; // see struct flame_root
    uint64_t cursor_id;
    uint32_t top;
};

extern const struct view_class view_flame;

struct flame_state {
    struct arena *arena; // of `tree`; NULL: not built yet
    struct flame_tree tree;
    int64_t whole_ns[GPU_IDLE]; // sum of all rows, by category
    int column;                 // column of the table that gives the widths; -1: none
    unsigned serial;            // serial of the table that `tree` was built from
    bool is_folded;             // the tree that the ids in `zooms` refer to
    uint32_t deepest;           // node that moving up started from; moving down returns towards it
    struct flame_root root;
    bool is_rooted; // `root` is up to date with the last of `zooms`
    struct flame_zoom zooms[MAX_FLAME_ZOOMS];
    size_t zoom_count;
    uint32_t top; // first level shown
};

// Positions on the screen.
struct flame_screen {
    struct area boxes, pane;
    struct area detail; // height 0: not shown
    int height;         // lines per box
    uint32_t levels;    // number of visible levels
};

// The boxes down to the last level on screen, and the chosen box.
struct flame_scene {
    struct flame_screen screen;
    struct flame flame; // count 0: no row takes any time
    struct flame_position at;
    uint32_t node; // node under the cursor of the table
};
struct flame_scene flame_scene_of(struct view *view); // uses the area drawn last
static inline const struct flame_box *flame_chosen(const struct flame_scene *scene)
{
    return &scene->flame.levels[scene->at.level].boxes[scene->at.box];
}

// Returns the row of a node. The node must not be FLAME_WHOLE.
const void *flame_row(const struct view *view, uint32_t node);
const int64_t *flame_categories(const struct view *view, const void *row);

// Returns false if the action is not a movement in this view.
bool flame_move(struct view *view, const struct flame_scene *scene, enum action action);
void flame_choose(struct view *view, const struct flame_box *box);
// flame_can_zoom_in(): true if the chosen box, or the children that share it, can fill the width.
// flame_zoom_in() makes it so. flame_zoom_out() returns to exactly the previous position; false if
// the whole tree already fills the width.
bool flame_can_zoom_in(const struct view *view, const struct flame_scene *scene);
void flame_zoom_in(struct view *view);
bool flame_zoom_out(struct view *view);

void flame_boxes_draw(struct view *view, struct canvas *canvas, const struct flame_scene *scene);
void flame_pane_draw(struct view *view, struct canvas *canvas, const struct flame_scene *scene);

#endif
