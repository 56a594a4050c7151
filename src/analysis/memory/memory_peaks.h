// SPDX-License-Identifier: Apache-2.0
// The rows of the report memory_peaks, shared with the view that draws the curve.
#ifndef ANALYSIS_MEMORY_MEMORY_PEAKS_H
#define ANALYSIS_MEMORY_MEMORY_PEAKS_H

#include "analysis/memory/tensor_memory.h"

struct memory_peaks_row {
    const char *home, *op; // home: "GPU 0"; op: that made the peak, NULL for none
    uint32_t device;       // ROW_NONE: the host
    int64_t iteration;     // number of the step of the peak; UNKNOWN: outside of all steps
    int64_t size;          // memory of the device in bytes; UNKNOWN
    struct memory_peak peak;
    struct memory_series series;
};

#endif
