// SPDX-License-Identifier: Apache-2.0
// Time in which launching threads compile or load code, and the GPU idles.
#ifndef ANALYSIS_DETECT_COMPILE_TIME_H
#define ANALYSIS_DETECT_COMPILE_TIME_H

#include "analysis/detect/cause_time.h"

struct compile_time {
    uint32_t leading; // number of windows at the beginning that compile; few between them do not
    int64_t begun_ns; // start of the first window after these, host clock; INT64_MIN: none lead
    bool warms_up;    // few enough windows lead to be start-up
};

// Scans for idle time in which code is compiled.
struct compile_time compile_scan(struct scan *scan);
// Adds, as group 0, the compile time that begins in [from, to), host clock. Time between two loads
// without a launch is included: Python prepares the next one.
void compile_spend(struct host_slack *slack, int64_t from, int64_t to);

#endif
