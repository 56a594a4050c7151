// SPDX-License-Identifier: Apache-2.0
// The state of the panel that lists candidate ways to split the run into steps
// (ui/actions/candidates.h).
#ifndef UI_STATE_CANDIDATES_PANEL_H
#define UI_STATE_CANDIDATES_PANEL_H

#include "model/steps/step_candidates.h"
#include "ui/state/scope.h"

struct candidates_panel {
    bool is_open;
    struct arena *arena; // owns `found`, the candidates of `profile`
    const struct profile *profile;
    struct step_candidates found;
    size_t cursor, top, page; // page: rows shown
    struct scope before;      // scope to restore on cancel
    uint32_t cursor_before;   // cursor of the steps view to restore on cancel
    size_t original_row;      // row of the split that was in use when the list was opened
    bool is_original_extra;   // that split is no candidate and is shown as an extra first row
};

enum { CANDIDATES_FRAME = 3 }; // lines for the title, column heads and evidence
size_t candidates_count(const struct candidates_panel *panel); // rows
// Returns how many of `height` lines the panel occupies; 0 if it is not open.
int candidates_lines(const struct app *app, int height);
void candidates_forget(struct app *app); // on a change of profile: frees everything

#endif
