// SPDX-License-Identifier: Apache-2.0
// What could cut the run into steps: a list below the view, which is split anew while one moves.
//
// Enter takes a candidate, as one change that undo takes back; whatever closes the list otherwise
// brings back the former split with its set.
#ifndef UI_CANDIDATES_H
#define UI_CANDIDATES_H

#include "model/steps/step_candidates.h"
#include "ui/state/scope.h"

struct app;
struct canvas;

// The candidates for cutting the run into steps, while they are chosen from.
struct candidates_panel {
    bool is_open;
    struct arena *arena; // of `found`, which is of `profile`
    const struct profile *profile;
    struct step_candidates found;
    size_t cursor, top, page; // page: rows shown
    struct scope before;      // to go back to
    uint32_t cursor_before;   // of the steps
    size_t now;               // row of what it was before ...
    bool has_former;          // ... which is none of the candidates: the first row
};

void candidates_open(struct app *app);
void candidates_close(struct app *app);  // as Esc does; nothing where it is not open
void candidates_forget(struct app *app); // another profile: everything of the former one is gone
void candidates_key(struct app *app, uint32_t key);
void candidates_click(struct app *app, int y);

// Lines that it takes of `height`, 0: it is not open.
int candidates_lines(const struct app *app, int height);
void candidates_draw(struct app *app, struct canvas *canvas);

#endif
