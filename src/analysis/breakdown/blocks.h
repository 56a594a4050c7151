// SPDX-License-Identifier: Apache-2.0
// How full running kernels make a GPU: "Est. SM Efficiency", an instant of which is the blocks that run for
// each multiprocessor, at most one. gpu_summary.c has its mean over steps, the timeline shows it over time.
#ifndef ANALYSIS_BLOCKS_H
#define ANALYSIS_BLOCKS_H

#include "analysis/breakdown/occupancy.h"

struct running { // kernels with more than no blocks, by their start; each takes some time
    int64_t *start, *end, *micro_blocks;
    size_t count;
};

// Some time in which the same kernels run, of no length at times: up to MICRO, which is one block for each
// multiprocessor, more than 0.
typedef void blocks_stretch(void *context, int64_t from, int64_t to, uint32_t micro);
// All of it in order. Blocks of kernels that overlap add up, and count at most as one for each
// multiprocessor.
void blocks_sweep(const struct running *running, struct arena *scratch, blocks_stretch *each,
                  void *context);

#endif
