// SPDX-License-Identifier: Apache-2.0
// Concurrent work on a GPU: its time by the set of kinds that are active. Breakdowns assign each
// instant to one kind; this gives overlaps, such as communication hidden by computing, or copies
// during kernels.
#ifndef ANALYSIS_BREAKDOWN_KIND_TIMES_H
#define ANALYSIS_BREAKDOWN_KIND_TIMES_H

#include "analysis/report/selection.h"

enum { KIND_SETS = 1 << CLASS_COUNT }; // a bit per enum work_class; set 0: idle

struct kind_times {
    int64_t window_ns;     // sum of all sets
    int64_t ns[KIND_SETS]; // by set
};

// Returns one entry per device (profile->device_count entries) for the windows of the selected
// iterations; all 0 if the GPU is not selected.
struct kind_times *kind_times_devices(const struct profile *profile,
                                      const struct selection *selection, struct arena *arena);

// Returns the time in which any kind in `kinds` and all kinds in `concurrent` are active (bit
// sets); `concurrent` may be 0.
int64_t kind_times_sum(const struct kind_times *times, unsigned kinds, unsigned concurrent);

#endif
