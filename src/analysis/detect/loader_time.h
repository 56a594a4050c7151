// SPDX-License-Identifier: Apache-2.0
// When the threads that launch wait for data, and how the GPU is idle meanwhile.
#ifndef ANALYSIS_LOADER_TIME_H
#define ANALYSIS_LOADER_TIME_H

#include "analysis/detect/cause_time.h"

enum {
    SUM_LOADING = SUM_OWN, // ns of the host in ranges of a loader and in OS calls taken for one,
                           // while the window lasts
    SUM_INFERRED           // OS calls taken for one: no range says so
};

// Finds idle time for want of data, spends what the host waited, as group 0, and wants what that
// gains.
void loader_scan(struct scan *scan);

#endif
