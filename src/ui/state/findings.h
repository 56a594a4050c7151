// SPDX-License-Identifier: Apache-2.0
// The findings of the current scope, and the finding that was opened last.
#ifndef UI_STATE_FINDINGS_H
#define UI_STATE_FINDINGS_H

#include "analysis/detectors/expert.h"
#include "ui/host.h"

struct app;
struct view;

struct findings_state {
    struct arena *arena;
    struct finding_list list;
    unsigned generation;
    bool is_known, has_failed; // has_failed: out of memory
    const struct split *split; // the split that they judge
    struct findings_job *job;  // computes the findings of a later generation; NULL: none
    size_t opened;             // 1-based number of the finding opened last; 0: none yet
    size_t left; // 1-based, under the cursor of a list when a finding was opened; 0: none
};

// Takes over findings whose job has ended. Returns false if there are none. Called between frames
// only, so that no pointer into the old list is in use.
bool app_findings_arrived(struct app *app);
// Stops the job and drops all; call before freeing their input
void app_findings_end(struct app *app);
void app_findings_forget(struct app *app,
                         const struct split *split); // the same if they are of `split`

#endif
