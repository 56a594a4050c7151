// SPDX-License-Identifier: Apache-2.0
// Figures of the steps in the scope.
#ifndef UI_STATE_STEPS_H
#define UI_STATE_STEPS_H

#include "analysis/breakdown/breakdown.h"
#include "analysis/idle/step_difference.h"
#include "analysis/steps/step_sets.h"
#include "analysis/steps/step_slowest.h"

struct app;

struct steps_device { // the steps of one GPU; parts is NULL if it ran no work
    struct breakdown *parts;
    int64_t *duration_ns;
};

// The steps of the current split, process and GPU: the input of charts and statistics.
struct steps {
    const struct split *split;
    uint32_t process, device, count;
    struct breakdown *parts; // by breakdown_gpu
    int64_t *duration_ns;    // by the GPU's clock, else the host's; UNKNOWN: no work
    int64_t *host_ns;        // from one step to the next on the host, or UNKNOWN
    struct step_sets sets;
    struct steps_device *devices; // [device_count], after app_steps_by_device()
    uint32_t device_count;
    const struct steps_slowest *slowest; // in the memo of the split; NULL until asked for
    struct step_statistics statistics;   // of the selected steps, if `has_statistics`
    struct step_norms norms;             // of the same, by kind
    const bool *statistics_of;           // the set that both describe
    bool has_statistics;
    struct arena *arena;
};

struct steps_why { // why the step under the cursor differs (ui/views/steps_why.c)
    struct arena *arena;
    struct step_difference difference;
    unsigned generation;
    uint32_t step;
    enum name_form names;
    bool is_known;
};

// Figures of the steps in the scope, computed when they are asked for.
const struct steps *app_steps(struct app *app);
const struct steps *app_steps_by_device(struct app *app);       // fills `devices`
const struct steps_slowest *app_steps_slowest(struct app *app); // NULL if unknown
struct step_statistics app_step_statistics(struct app *app);    // of the selected steps
struct step_norms app_step_norms(struct app *app);              // of these by kind
// Returns why steps are left out, or NULL if none is.
const char *app_out_text(struct app *app, enum omitted_steps_form form, struct arena *arena);
const char *app_outlier_text(struct app *app, size_t most, struct arena *arena); // "#12 #17"

#endif
