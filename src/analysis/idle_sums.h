// SPDX-License-Identifier: Apache-2.0
// Idle time by cause over the steps of a selection: what breakdown_gpu calls idle, taken apart.
#ifndef ANALYSIS_IDLE_SUMS_H
#define ANALYSIS_IDLE_SUMS_H

#include "analysis/breakdown.h"
#include "analysis/idle.h"

struct idle_sum {
    int64_t idle_ns; // what the causes add up to
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

// The windows of the selected iterations on a device, in order of the iterations; without steps or
// where all are chosen, one from its first work to its last. Calls add(context, iteration, from,
// to); the iteration is ROW_NONE where it is all.
void idle_windows(const struct profile *profile, const struct selection *selection, uint32_t device,
                  void (*add)(void *context, uint32_t iteration, int64_t from, int64_t to),
                  void *context);

#endif
