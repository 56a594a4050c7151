// SPDX-License-Identifier: Apache-2.0
// What every view looks at: steps, process, GPU; and how rows are shown.
#ifndef UI_STATE_SCOPE_H
#define UI_STATE_SCOPE_H

#include "analysis/report/selection.h"

struct app;
struct view;

struct scope {
    const struct split *split;
    const bool *iterations; // NULL: all and what is outside; else one of app->splits->sets
    uint32_t process, device;
    bool adoption;
    struct step_size step_size;
};

enum per_form { PER_AS_FOUND, PER_STEP, PER_TOTAL };

struct display {
    enum name_form names; // of new views
    bool is_folded;       // of new views
    enum per_form per;    // a key chose; see app_is_per_step()
};

void app_cross_trees(struct app *app, struct view *view); // its rows are folded otherwise now
void app_changed(struct app *app);
void app_forget_rows(struct app *app); // all rows and figures: they are made anew when shown

#endif
