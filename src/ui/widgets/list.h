// SPDX-License-Identifier: Apache-2.0
// Scrolling lists: movement of the cursor and choice of the rows shown.
#ifndef UI_WIDGETS_LIST_H
#define UI_WIDGETS_LIST_H

#include "ui/term/action.h"
#include "ui/term/canvas.h"

// Moves the cursor `at` by one row, by `page` rows or to an end; `last` is the last row. Returns
// false if the action is not a movement.
bool list_move(enum action action, size_t *at, size_t last, size_t page);

// Returns the first visible row of a list of `count` rows, of which `rows` fit on the screen. `top`
// is the first one until now. The cursor is visible, and no line is blank if there are enough rows.
size_t list_top(size_t top, size_t cursor, int rows, size_t count);
// Draws a scroll thumb at the right edge of a list that shows `rows` of `count` rows from `top`.
// Has no effect if all rows are shown.
void scroll_thumb_draw(struct canvas *canvas, int x, int y, int rows, size_t top, size_t count);

// Returns the scroll hint of a text that is longer than its area, "D 3 more lines, U back"; "" if
// all is shown.
const char *scroll_hint_text(bool is_above, int below, struct arena *arena);
// Draws the scroll hint at the right end of the line above the text, if there is room.
void scroll_hint_draw(struct canvas *canvas, struct area rule, const char *text);

#endif
