// SPDX-License-Identifier: Apache-2.0
// The state of the list of candidates (candidates.h).
#ifndef UI_STATE_CANDIDATES_PANEL_H
#define UI_STATE_CANDIDATES_PANEL_H

#include "model/steps/step_candidates.h"
#include "ui/state/scope.h"

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

enum { CANDIDATES_FRAME = 3 }; // lines for title, heads and evidence
size_t candidates_count(const struct candidates_panel *panel); // rows
// Lines that it takes of `height`, 0: it is not open.
int candidates_lines(const struct app *app, int height);
void candidates_forget(struct app *app); // another profile: everything of the former one is gone

#endif
