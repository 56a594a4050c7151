// SPDX-License-Identifier: Apache-2.0
// Lists of more rows than are seen at once: where their cursor goes, which rows are shown.
#ifndef UI_LIST_H
#define UI_LIST_H

#include "ui/term/action.h"
#include "ui/term/canvas.h"

// Moves the cursor `at` by a row, by `page` of them or to an end, up to `last`. False: the action
// moves nothing.
bool list_move(enum action action, size_t *at, size_t last, size_t page);

// The first row shown of a list of `count` rows, `rows` at a time, that was at `top`: the cursor is
// seen, and no line is left blank that could have a row.
size_t list_top(size_t top, size_t cursor, int rows, size_t count);
// Where one is in a list of `count` rows of which `rows` from `top` on are shown: a thumb at its
// right edge, in one of its lines; nothing where all are shown.
void thumb_draw(struct canvas *canvas, int x, int y, int rows, size_t top, size_t count);

// Of a text of more lines than are seen: how it goes on, "D 3 more lines, U back". "": it does not.
const char *scroll_text(bool is_above, int below, struct arena *arena);
// That, at the right end of the line over the text, where there is room.
void scroll_mark_draw(struct canvas *canvas, struct area rule, const char *text);

#endif
