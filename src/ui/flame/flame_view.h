// SPDX-License-Identifier: Apache-2.0
// The state of the flame view, shared by the files that move in it and draw it.
//
// Its rows, filter, search, marks and cursor are those of its table, all of it unfolded: a box is a
// line of the table. So the view adds only which box fills the width, and which levels are seen.
#ifndef UI_FLAME_FLAME_VIEW_H
#define UI_FLAME_FLAME_VIEW_H

#include "analysis/breakdown/breakdown.h"
#include "ui/flame/flame_layout.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"

enum { ZOOM_MAX = 64 };
#define ID_OF_WHOLE UINT64_MAX // no row has it

struct flame_zoom {  // what fills the width, and where one was before
    uint64_t id;     // of its row, or ID_OF_WHOLE
    int64_t most_ns; // see struct flame_root
    uint64_t cursor_id;
    uint32_t top;
};

extern const struct view_class view_flame;

struct flame_state {
    struct arena *arena; // of `tree`; NULL: not made yet
    struct flame_tree tree;
    int64_t whole_ns[GPU_IDLE]; // of all rows, by category
    int column;                 // of the table: what a box is as wide as; -1: none
    unsigned serial;            // of the table that it was made of
    bool is_folded;             // the tree that ids of `zooms` are nodes of
    uint32_t deepest;           // node that one came up from, which j goes back to
    struct flame_root root;
    bool is_rooted; // `root` is what the last of `zooms` says
    struct flame_zoom zooms[ZOOM_MAX];
    size_t zoom_count;
    uint32_t top; // first level shown
};

// Where things are on screen.
struct flame_screen {
    struct area boxes, pane;
    struct area detail; // height 0: not shown
    int height;         // lines of a box
    uint32_t levels;    // that are seen
};

// What is seen: boxes down to the last level on screen, and the one that is chosen.
struct flame_scene {
    struct flame_screen screen;
    struct flame flame; // count 0: nothing takes any time
    struct flame_at at;
    uint32_t node; // under the cursor of the table
};
struct flame_scene flame_scene_of(struct view *view); // where it was drawn last
static inline const struct flame_box *flame_chosen(const struct flame_scene *scene)
{
    return &scene->flame.levels[scene->at.level].boxes[scene->at.box];
}

// The row of a node other than the whole.
const void *flame_row(const struct view *view, uint32_t node);
const int64_t *flame_categories(const struct view *view, const void *row);

// False: an action that moves nothing here.
bool flame_move(struct view *view, const struct flame_scene *scene, enum action action);
void flame_choose(struct view *view, const struct flame_box *box);
// Whether Enter makes the chosen box, or what shares it, fill the width; that, if it does; and back
// again, to exactly where one was (false: all of it fills the width).
bool flame_zooms(const struct view *view, const struct flame_scene *scene);
void flame_zoom_in(struct view *view);
bool flame_zoom_out(struct view *view);

void flame_boxes_draw(struct view *view, struct canvas *canvas, const struct flame_scene *scene);
void flame_pane_draw(struct view *view, struct canvas *canvas, const struct flame_scene *scene);

#endif
