// SPDX-License-Identifier: Apache-2.0
// Time in which launching threads wait for data, and the GPU idles.
#ifndef ANALYSIS_DETECT_LOADER_TIME_H
#define ANALYSIS_DETECT_LOADER_TIME_H

#include "analysis/detect/cause_time.h"

enum {
    // Host ns in ranges of a loader, and in OS calls taken for a loader, within the window.
    SUM_LOADING = SUM_OWN,
    SUM_INFERRED // number of OS calls taken for a loader, without a range
};

// Scans for idle time with cause IDLE_DATA, and requests, as group 0, what would disappear without
// that waiting.
void loader_scan(struct scan *scan);

#endif
