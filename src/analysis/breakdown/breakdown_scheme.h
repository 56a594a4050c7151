// SPDX-License-Identifier: Apache-2.0
// What a scheme of breakdowns is made of; each is one file, breakdown_x.c.
#ifndef ANALYSIS_BREAKDOWN_SCHEME_H
#define ANALYSIS_BREAKDOWN_SCHEME_H

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/cover.h"

struct window {
    int64_t from, to; // [from, to); nothing there: to <= from
};

struct scheme_rules {
    const struct breakdown_scheme *scheme;
    // Whether a device counts in the mean. Device ROW_NONE stands for a file without devices.
    bool (*counts)(const struct profile *profile, const struct selection *selection,
                   uint32_t device);
    // What is the same for all devices, made once; NULL: nothing is.
    const void *(*shared)(const struct profile *profile, struct arena *arena);
    // The device's time line by category (the last, what is left, is not among the classes).
    struct cover (*cover)(const struct profile *profile, const struct selection *selection,
                          uint32_t device, const void *shared, struct arena *arena);
    // Window of an iteration on the device; ROW_NONE: of everything, iterations or not. When
    // that is empty `everything` is made of the iterations.
    struct window (*window)(const struct profile *profile, const struct selection *selection,
                            uint32_t device, uint32_t iteration);
};

extern const struct scheme_rules breakdown_gpu_rules;
extern const struct scheme_rules breakdown_dlprof_rules;

// The category of breakdown_gpu that a function is of.
size_t gpu_category(const struct function *function);

// Whether GPU work is of the processes that are selected.
static inline bool work_in_scope(const struct profile *profile, const struct selection *selection,
                                 uint32_t work)
{
    return process_is_chosen(profile, selection->process, work_process(profile, work));
}

#endif
