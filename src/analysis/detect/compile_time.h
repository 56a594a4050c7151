// SPDX-License-Identifier: Apache-2.0
// When the threads that launch compile or load code, and how the GPU is idle meanwhile.
#ifndef ANALYSIS_COMPILE_TIME_H
#define ANALYSIS_COMPILE_TIME_H

#include "analysis/detect/cause_time.h"

struct compile_time {
    uint32_t leading; // windows at the beginning of the time line with such idle time, with few
                      // between them
    int64_t
        begun_ns;  // on the host's clock: where the steps after these begin; INT64_MIN: none lead
    bool warms_up; // they are so few that they are no more than the start
};

// Finds idle time in which code is compiled.
struct compile_time compile_scan(struct scan *scan);
// Spends, as group 0, what begins in [from, to) of the host's clock. What lies between two loads
// without a launch belongs to them: Python at work on the next one.
void compile_spend(struct lead *lead, int64_t from, int64_t to);

#endif
