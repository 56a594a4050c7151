// SPDX-License-Identifier: Apache-2.0
// When the threads that launch wait for data, and how the GPU is idle meanwhile.
#ifndef ANALYSIS_LOADER_TIME_H
#define ANALYSIS_LOADER_TIME_H

#include "analysis/cause_time.h"

struct loader_time {
    struct cause_time idle; // for want of data
    int64_t inside_ns;      // of the host, in ranges of a loader and in OS calls taken for one,
                            // while the windows of the step last
    bool is_inferred;       // no range says so; OS calls before the batch's first copy do
};

// Spends the time in `lead`, as group 0.
struct loader_time loader_time(struct lead *lead);

#endif
