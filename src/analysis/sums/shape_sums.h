// SPDX-License-Identifier: Apache-2.0
// Durations of GPU work by function, launch shape and GPU, from partial sums per step. A table of
// launch shapes needs them for a set of steps.
#ifndef ANALYSIS_SUMS_SHAPE_SUMS_H
#define ANALYSIS_SUMS_SHAPE_SUMS_H

#include "analysis/report/selection.h"

struct shape_sum {
    uint32_t function;
    uint32_t shape; // row of shapes; ROW_NONE: not a kernel, or unknown
    uint32_t device;
    int64_t count; // number of selected pieces of work, above 0; the following are their durations
    int64_t total_ns, min_ns, max_ns;
    int64_t exclusive_ns; // UNKNOWN: not computed yet
};

struct shape_sums {
    size_t count;
    struct shape_sum *items; // grouped by GPU, in order of first occurrence
};

struct shape_sums shape_sums_of(const struct profile *profile, const struct selection *selection,
                                struct arena *arena);

#endif
