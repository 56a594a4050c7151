// SPDX-License-Identifier: Apache-2.0
// Idle time by cause over the steps of a selection: what breakdown_gpu calls idle, taken apart.
#ifndef ANALYSIS_IDLE_SUMS_H
#define ANALYSIS_IDLE_SUMS_H

#include "analysis/breakdown/breakdown.h"
#include "analysis/idle/idle.h"

struct idle_sum {
    int64_t window_ns; // of idle_devices(): the chosen iterations, 0: nothing there
    int64_t idle_ns;   // what the causes add up to
    int64_t ns[IDLE_CAUSES];
};

// One per device: profile->device_count entries; each is the idle time of breakdown_devices().
struct idle_sum *idle_devices(const struct profile *profile, const struct selection *selection,
                              struct arena *arena);
// The mean over the devices that ran anything, `total` of breakdown_total() taken apart.
struct idle_sum idle_total(const struct profile *profile, const struct selection *selection,
                           const struct breakdown *total, struct arena *arena);
// The same of each iteration of the split, of breakdown_iterations().
struct idle_sum *idle_iterations(const struct profile *profile, const struct selection *selection,
                                 const struct breakdown *each, struct arena *arena);

// The causes by time, the largest first: rows of idle_causes[]. Returns how many are not 0.
size_t idle_order(const struct idle_sum *sum, enum idle_cause order[IDLE_CAUSES]);

struct idle_piece { // of a part, within the selection
    int64_t from, to;
    uint32_t device;
    uint32_t iteration; // in which it begins, by the GPU's clock; ROW_NONE: in none
    uint32_t node;      // idle_node()
    size_t index;       // of the part
    struct idle_part part;
};

// All idle time that is selected: the iterations, the GPU, the process, the node and the cause; by
// (device, time) where the iterations are in order of time. `idle` of idle_find().
void idle_each(const struct profile *profile, const struct selection *selection,
               const struct idle *idle, void (*add)(void *context, const struct idle_piece *piece),
               void *context);

// The same of one window of one iteration of a GPU, whether it is selected or not.
void idle_window_each(const struct profile *profile, const struct selection *selection,
                      const struct idle *idle, uint32_t device, uint32_t iteration,
                      void (*add)(void *context, const struct idle_piece *piece), void *context);

#endif
