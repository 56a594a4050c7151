// SPDX-License-Identifier: Apache-2.0
// What could cut the run into steps: a list below the view, which is split anew while one moves.
//
// Enter takes a candidate, as one change that undo takes back; whatever closes the list otherwise
// brings back the former split with its set.
#ifndef UI_STATE_CANDIDATES_H
#define UI_STATE_CANDIDATES_H

#include <stdint.h>

struct app;
struct canvas;

void candidates_open(struct app *app);
void candidates_close(struct app *app); // as Esc does; nothing where it is not open
void candidates_key(struct app *app, uint32_t key);
void candidates_click(struct app *app, int y);

void candidates_draw(struct app *app, struct canvas *canvas);

#endif
