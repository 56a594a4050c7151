// SPDX-License-Identifier: Apache-2.0
// Figures of the steps that are looked at.
#ifndef UI_STATE_STEPS_H
#define UI_STATE_STEPS_H

#include "analysis/breakdown/breakdown.h"
#include "analysis/idle/step_difference.h"
#include "analysis/sums/step_sets.h"
#include "analysis/sums/step_slowest.h"

struct app;

struct steps_device { // one GPU of them; parts NULL: nothing runs there
    struct breakdown *parts;
    int64_t *duration_ns;
};

// Steps of the present split, process and device: what charts and statistics rest on.
struct steps {
    const struct split *split;
    uint32_t process, device, count;
    struct breakdown *parts; // by breakdown_gpu
    int64_t *duration_ns;    // by the GPU's clock, else the host's; UNKNOWN: nothing there
    int64_t *host_ns;        // from one to the next on the host; UNKNOWN: not there
    struct step_sets sets;
    struct steps_device *devices; // [device_count], after app_steps_by_device()
    uint32_t device_count;
    const struct steps_slowest *slowest; // NULL: not asked for yet; in the memo of the split
    struct step_statistics statistics;   // of the chosen ones, when `has_statistics`
    const bool *statistics_of;           // the set they are of
    bool has_statistics;
    struct arena *arena;
};

struct steps_why { // what makes the step under the cursor differ (ui/views/steps_why.c)
    struct arena *arena;
    struct step_difference difference;
    unsigned generation;
    uint32_t step;
    enum name_form names;
    bool is_known;
};

// Of the steps that are looked at, worked out when they are asked for.
const struct steps *app_steps(struct app *app);
const struct steps *app_steps_by_device(struct app *app);       // with each GPU's own
const struct steps_slowest *app_steps_slowest(struct app *app); // NULL: not known
struct step_statistics app_step_statistics(struct app *app);    // of the chosen steps
// Why steps are left out; NULL: none is.
const char *app_out_text(struct app *app, enum omitted_steps_form form, struct arena *arena);
const char *app_outlier_text(struct app *app, size_t most, struct arena *arena); // "#12 #17"

#endif
