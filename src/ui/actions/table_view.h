// SPDX-License-Identifier: Apache-2.0
// Views whose content is a table or a tree: drawing, keys, the mouse over the rows.
#ifndef UI_ACTIONS_TABLE_VIEW_H
#define UI_ACTIONS_TABLE_VIEW_H

#include "ui/state/view.h"

struct app;
struct table;

void table_view_draw(struct view *view, struct canvas *canvas, struct area area);
bool table_view_act(struct view *view, enum action action);
// table_view_ready() returns true if there is a table to draw; otherwise it draws the reason.
// table_view_caption() draws the line above a table.
bool table_view_ready(struct view *view, struct canvas *canvas, struct area area);
void table_view_caption(struct view *view, struct canvas *canvas, struct area area);
const char *table_view_enters(struct view *view);
// Extends a drag to screen line `y`. Returns the number of rows from the row where the button was
// pressed to the cursor; 0 if there is no span, or it was dropped.
size_t view_drag_rows(struct view *view, int y);
int view_chip_at(const struct view *view, int x); // index of the chip at column `x`; -1: none

// The members of a view_class for a plain table or tree.
#define TABLE_VIEW \
    .kinds = KIND_TABLE, .draw = table_view_draw, .act = table_view_act, .enters = table_view_enters
#define TREE_VIEW                                                                    \
    .kinds = KIND_TABLE | KIND_TREE, .draw = table_view_draw, .act = table_view_act, \
    .enters = table_view_enters

// The full sentence below a table whose rows are sentences (view_sentence.c). view_cut_sentence()
// cuts its lines off `area` and returns them; height 0 if the class has no sentences, there is no
// room, or the details are shown anyway.
struct area view_cut_sentence(const struct view *view, struct area *area);
void view_draw_sentence(struct view *view, struct canvas *canvas, struct area area);

// Returns the path to the view, cut at its beginning to `width`: "Op tree › forward › layers.* ›
// Kernels" (view_path.c).
const char *view_path_text(struct view *view, int width, struct arena *arena);
struct table *app_top_table(struct app *app); // NULL, with a message, if the view has no rows
void app_remap_tree_rows(struct app *app,
                         struct view *view); // maps row ids after a change of folding

#endif
