// SPDX-License-Identifier: Apache-2.0
// The GPU that works longest in each step. Steps have equal length on all GPUs that wait for each
// other; the time a GPU spends on neither communication nor idling shows which GPU the others wait
// for.
#ifndef ANALYSIS_STEPS_STEP_SLOWEST_H
#define ANALYSIS_STEPS_STEP_SLOWEST_H

#include "analysis/report/selection.h"

struct step_slowest {
    uint32_t device;  // ROW_NONE: fewer than two GPUs worked in the step
    int64_t number;   // rank; or number of the GPU, if not each GPU has a rank of its own
    int64_t own_ns;   // its work time, ns
    int64_t above_ns; // difference to the median GPU, ns
    bool is_odd;      // the difference is notable: over 1 % of the median and over 5 MAD
};

struct steps_slowest {
    bool by_rank;
    struct step_slowest *steps; // by iteration of the split
};

// Returns the slowest GPU of every iteration, among the selected GPUs and processes.
const struct steps_slowest *steps_slowest(const struct profile *profile,
                                          const struct selection *selection, struct arena *arena);

#endif
