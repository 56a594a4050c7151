// SPDX-License-Identifier: Apache-2.0
// The findings of what is looked at, and the one that was opened last.
#ifndef UI_STATE_FINDINGS_H
#define UI_STATE_FINDINGS_H

#include "analysis/detect/expert.h"
#include "ui/host.h"

struct app;
struct view;

struct app_findings {
    struct arena *arena;
    struct finding_list list;
    unsigned generation;
    bool is_known, has_failed; // failed: for want of memory
    const struct split *split; // that they judge
    struct findings_job *job;  // that works out those of a later generation; NULL: none
    size_t opened;             // opened last, from 1 on; 0: none yet
    size_t left;               // under the cursor of a list when one was opened; 0: none yet
};

// Takes those that have come since the last frame; false: none. Between frames, so that nothing
// that points into the list outlives it.
bool app_findings_arrived(struct app *app);
void app_findings_end(struct app *app); // before what they rest on goes
void app_findings_forget(struct app *app, const struct split *split); // the same of this split

#endif
