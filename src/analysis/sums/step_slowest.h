// SPDX-License-Identifier: Apache-2.0
// Who works longest in each step. Steps are of one length on all GPUs that wait for each other; what a
// GPU does but for communication and idle time tells whom they wait for.
#ifndef ANALYSIS_STEP_SLOWEST_H
#define ANALYSIS_STEP_SLOWEST_H

#include "analysis/report/selection.h"

struct step_slowest {
    uint32_t device;  // ROW_NONE: fewer than two GPUs worked in it
    int64_t number;   // its rank, or where not each GPU has one of its own the number of the GPU
    int64_t own_ns;   // what it works
    int64_t above_ns; // above the GPU in the middle
    bool is_odd;      // that is out of line: 1 % of it, and 5 times what the others differ by
};

struct steps_slowest {
    bool by_rank;
    struct step_slowest *steps; // of each iteration of the split
};

// Of the GPUs and processes selected, of every iteration.
const struct steps_slowest *steps_slowest(const struct profile *profile,
                                          const struct selection *selection, struct arena *arena);

#endif
