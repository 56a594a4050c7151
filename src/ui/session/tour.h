// SPDX-License-Identifier: Apache-2.0
// Scripts that stop to tell something: `note` lines are a text over the screen, Enter goes on, Esc
// ends. The tour of the program (docs/tour.script, compiled in) is one.
#ifndef UI_SESSION_TOUR_H
#define UI_SESSION_TOUR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "ui/state/tour_state.h"

struct app;

// Runs `text`, which outlives it, up to its first note; then Enter by Enter. False: a line could
// not be understood, or did not do what it says.
bool tour_play(struct app *app, const char *text, struct error *error);

void tour_key(struct app *app, uint32_t key); // while a note is shown
void tour_go_on(struct app *app);             // after a key or command, if it asked for that
void tour_end(struct app *app);               // and back to where one was

#endif
