// SPDX-License-Identifier: Apache-2.0
// Scripts that stop at notes: `note` lines show text over the screen, Enter continues, Esc ends.
// The tour of the program (docs/tour.script, compiled in) is such a script.
#ifndef UI_SESSION_TOUR_H
#define UI_SESSION_TOUR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "ui/overlay/tour_state.h"

struct app;

// Runs `text`, which must outlive the tour, up to its first note; each Enter then runs it to the
// next. Returns false if a line cannot be parsed or its command fails.
bool tour_play(struct app *app, const char *text, struct error *error);

void tour_key(struct app *app, uint32_t key); // while a note is shown
void tour_continue(
    struct app *app);           // call after each key or command; continues if it asked for that
void tour_end(struct app *app); // ends the tour and restores the former places

#endif
