// SPDX-License-Identifier: Apache-2.0
// How full running kernels make a GPU, "Est. SM Efficiency": at each instant the running blocks per
// multiprocessor, at most one. gpu_summary.c has its mean over steps; the timeline shows it over
// time.
#ifndef ANALYSIS_BREAKDOWN_BLOCKS_H
#define ANALYSIS_BREAKDOWN_BLOCKS_H

#include "analysis/breakdown/occupancy.h"

// kernels with at least one block, in order of start; each has a length above 0
struct running_kernels {
    int64_t *start, *end, *micro_blocks;
    size_t count;
};

// An interval in which the same kernels run; it may be empty. `micro` is in (0, MICRO], where MICRO
// is one block per multiprocessor.
typedef void blocks_interval(void *context, int64_t from, int64_t to, uint32_t micro);
// Calls `each` for all intervals in order. Blocks of overlapping kernels add up to at most one per
// multiprocessor.
void blocks_sweep(const struct running_kernels *running, struct arena *scratch,
                  blocks_interval *each, void *context);

#endif
