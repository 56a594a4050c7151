// SPDX-License-Identifier: Apache-2.0
// Idle time by cause over the steps of a selection: a breakdown of the idle part of breakdown_gpu.
#ifndef ANALYSIS_IDLE_IDLE_SUMS_H
#define ANALYSIS_IDLE_IDLE_SUMS_H

#include "analysis/breakdown/breakdown.h"
#include "analysis/idle/idle.h"

struct idle_sum {
    // only set by idle_devices(): length of the selected steps; 0: no work ran in them
    int64_t window_ns;
    int64_t idle_ns; // sum over the causes
    int64_t ns[IDLE_CAUSES];
};

// Returns profile->device_count entries; idle_ns equals the idle time of breakdown_devices().
struct idle_sum *idle_devices(const struct profile *profile, const struct selection *selection,
                              struct arena *arena);
// Returns the mean over the devices that ran anything; it splits the idle time of `total`
// (breakdown_total()).
struct idle_sum idle_total(const struct profile *profile, const struct selection *selection,
                           const struct breakdown *total, struct arena *arena);
// The same for each step of the split; it splits the idle time of `each` (breakdown_iterations()).
struct idle_sum *idle_iterations(const struct profile *profile, const struct selection *selection,
                                 const struct breakdown *each, struct arena *arena);

// Sorts the causes by time, largest first. Returns how many are not 0.
size_t idle_order(const struct idle_sum *sum, enum idle_cause order[IDLE_CAUSES]);

struct idle_piece { // a part, clipped to the selection
    int64_t from, to;
    uint32_t device;
    uint32_t iteration; // step in which it begins, by the GPU's clock; ROW_NONE: none
    uint32_t node;      // idle_node()
    size_t index;       // of the part
    struct idle_part part;
};

// Calls `add` for all selected idle time (steps, GPU, process, node, cause), by (device, time) if
// the steps are in order of time. `idle` comes from idle_find().
void idle_each(const struct profile *profile, const struct selection *selection,
               const struct idle *idle, void (*add)(void *context, const struct idle_piece *piece),
               void *context);

// The same for one step of one GPU, whether the step is selected or not.
void idle_step_each(const struct profile *profile, const struct selection *selection,
                    const struct idle *idle, uint32_t device, uint32_t iteration,
                    void (*add)(void *context, const struct idle_piece *piece), void *context);

#endif
