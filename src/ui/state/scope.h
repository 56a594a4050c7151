// SPDX-License-Identifier: Apache-2.0
// The scope that all views share (steps, process, GPU), and how rows are displayed.
#ifndef UI_STATE_SCOPE_H
#define UI_STATE_SCOPE_H

#include "analysis/report/selection.h"

struct app;

struct scope {
    const struct split *split;
    // one of app->splits->sets; NULL: all steps and the time outside of steps
    const bool *iterations;
    uint32_t process, device;
    bool adoption;
    struct step_size step_size;
};

enum per_form { PER_DEFAULT, PER_STEP, PER_TOTAL };

struct display {
    enum name_form names; // default for new views
    bool is_folded;       // default for new views
    enum per_form per;    // chosen by a key; see host_is_per_step()
};

void app_changed(struct app *app); // the scope or profile has changed

#endif
