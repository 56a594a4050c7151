// SPDX-License-Identifier: Apache-2.0
// How full kernels can make multiprocessors: what CUPTI's and the PyTorch Profiler's "blocks per SM" and
// "est. achieved occupancy" are, also where a file does not tell them.
#ifndef ANALYSIS_OCCUPANCY_H
#define ANALYSIS_OCCUPANCY_H

#include "model/profile/profile.h"

enum { MICRO = 1000000 }; // what figures of launches are written in

// Blocks of the grid for each multiprocessor, in millionths. UNKNOWN.
int64_t micro_blocks_per_sm(const struct device *device, const struct launch_shape *shape);
// The same where the file tells it or NVIDIA's rules hold for the GPU.
int64_t blocks_of(const struct profile *profile, const struct device *device,
                  const struct launch_shape *shape);
// How many such blocks one multiprocessor can hold at a time, by threads, registers and shared memory.
// UNKNOWN: of the card or the launch too little is known; 0: not even one.
int64_t resident_blocks(const struct device *device, const struct launch_shape *shape);
// Threads at work of those that a multiprocessor can hold, 0..1: the blocks that there are for it, at most
// those that it can hold. Negative: unknown.
double estimated_occupancy(const struct device *device, const struct launch_shape *shape);

struct launch_figures {     // of a launch shape on a device
    bool is_made;           // for who keeps them by shape
    bool is_computed;       // any of them: the file tells it not, or not credibly
    int64_t micro_blocks;   // for each multiprocessor; UNKNOWN
    double occupancy, told; // 0..1; negative: unknown
};
// As the file tells them, where that can be believed; else by the launch, of NVIDIA's cards only.
struct launch_figures launch_figures_of(const struct profile *profile, const struct device *device,
                                        const struct launch_shape *shape);

#endif
