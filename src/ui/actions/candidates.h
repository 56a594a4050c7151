// SPDX-License-Identifier: Apache-2.0
// The list of candidates for the split into steps, drawn below the view. Moving the cursor previews
// the candidate in the view.
//
// Enter takes a candidate as one undoable change. Closing the list in any other way restores the
// former split and its set of steps.
#ifndef UI_ACTIONS_CANDIDATES_H
#define UI_ACTIONS_CANDIDATES_H

#include <stdint.h>

struct app;
struct canvas;

void candidates_open(struct app *app);
void candidates_close(struct app *app); // as Esc does; no effect if it is not open
void candidates_key(struct app *app, uint32_t key);
void candidates_click(struct app *app, int y);

void candidates_draw(struct app *app, struct canvas *canvas);

#endif
