// SPDX-License-Identifier: Apache-2.0
// Interface of a scheme of breakdowns. Each scheme is one file, breakdown_x.c.
#ifndef ANALYSIS_BREAKDOWN_BREAKDOWN_SCHEME_H
#define ANALYSIS_BREAKDOWN_BREAKDOWN_SCHEME_H

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/cover.h"

struct window {
    int64_t from, to; // [from, to), ns; empty if to <= from
};

struct scheme_rules {
    const struct breakdown_scheme *scheme;
    // Returns true if a device counts in the mean. ROW_NONE is the empty slot of a file without
    // devices.
    bool (*counts)(const struct profile *profile, const struct selection *selection,
                   uint32_t device);
    // Computes data that all devices share; NULL: there is none.
    const void *(*shared)(const struct profile *profile, struct arena *arena);
    // Returns the activity line of a device by category. The last category, the rest, is not a
    // class of the cover.
    struct cover (*cover)(const struct profile *profile, const struct selection *selection,
                          uint32_t device, const void *shared, struct arena *arena);
    // Returns the window of an iteration on the device, or for ROW_NONE the window of all time. If
    // the latter is empty, the breakdown of all time is the sum of the iterations.
    struct window (*window)(const struct profile *profile, const struct selection *selection,
                            uint32_t device, uint32_t iteration);
};

extern const struct scheme_rules breakdown_gpu_rules;
extern const struct scheme_rules breakdown_dlprof_rules;

// Returns the category of breakdown_gpu that a function belongs to.
size_t gpu_category(const struct function *function);

// Returns true if GPU work is of a selected process.
static inline bool work_in_scope(const struct profile *profile, const struct selection *selection,
                                 uint32_t work)
{
    return process_is_selected(profile, selection->process, work_process(profile, work));
}

#endif
