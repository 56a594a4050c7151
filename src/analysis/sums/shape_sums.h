// SPDX-License-Identifier: Apache-2.0
// Durations of GPU work by function, launch shape and GPU, kept per iteration: what a table of launch
// shapes needs of a set of iterations.
#ifndef ANALYSIS_SHAPE_SUMS_H
#define ANALYSIS_SHAPE_SUMS_H

#include "analysis/report/selection.h"

struct shape_sum {
    uint32_t function;
    uint32_t shape; // row of shapes; ROW_NONE: no kernel, or the file does not tell
    uint32_t device;
    int64_t count; // of the selected work, above 0; the rest of its durations
    int64_t total_ns, min_ns, max_ns;
    int64_t exclusive_ns; // UNKNOWN: not there yet
};

struct shape_sums {
    size_t count;
    struct shape_sum *items; // GPU after GPU, in the order in which each ran first
};

struct shape_sums shape_sums_of(const struct profile *profile, const struct selection *selection,
                                struct arena *arena);

#endif
