// SPDX-License-Identifier: Apache-2.0
// The rows of the report memory_peaks, for who draws the curve behind them.
#ifndef ANALYSIS_MEMORY_PEAKS_H
#define ANALYSIS_MEMORY_PEAKS_H

#include "analysis/memory/tensor_memory.h"

struct memory_peaks_row {
    const char *home, *op; // "GPU 0"; op: of the peak, NULL: none
    uint32_t device;       // ROW_NONE: the host's
    int64_t iteration;     // of the peak, by its number; UNKNOWN: outside of all
    int64_t size;          // bytes that the device has; UNKNOWN
    struct memory_peak peak;
    struct memory_series series;
};

#endif
