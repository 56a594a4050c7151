// SPDX-License-Identifier: Apache-2.0
// The state of the list of candidates for the split into steps (candidates.h).
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
    struct scope before;      // scope when the list was opened
    uint32_t cursor_before;   // cursor of the steps when it was opened
    size_t now;               // row of the split that was in use before
    bool has_former;          // that split is not a candidate and has the first row to itself
};

enum { CANDIDATES_FRAME = 3 }; // lines for title, heads and evidence
size_t candidates_count(const struct candidates_panel *panel); // rows
// Returns the lines that the list takes of `height`; 0 if it is not open.
int candidates_lines(const struct app *app, int height);
void candidates_forget(struct app *app); // on a change of profile: frees everything

#endif
