// SPDX-License-Identifier: Apache-2.0
// Occupancy of multiprocessors: "blocks per SM" and "est. achieved occupancy" of CUPTI and the
// PyTorch Profiler, computed if the file does not have them.
#ifndef ANALYSIS_BREAKDOWN_OCCUPANCY_H
#define ANALYSIS_BREAKDOWN_OCCUPANCY_H

#include "model/profile/profile.h"

enum { MICRO = 1000000 }; // unit of launch figures: millionths

// Returns the blocks of the grid per multiprocessor in millionths, or UNKNOWN.
int64_t micro_blocks_per_sm(const struct device *device, const struct launch_shape *shape);
// The same if it is recorded or NVIDIA's rules apply to the GPU, else UNKNOWN.
int64_t launch_blocks_per_sm(const struct profile *profile, const struct device *device,
                             const struct launch_shape *shape);
// Returns how many such blocks fit on one multiprocessor at a time, by threads, registers and
// shared memory. UNKNOWN: the card or the launch is not known well enough; 0: not even one.
int64_t resident_blocks(const struct device *device, const struct launch_shape *shape);
// Returns active threads as a share 0..1 of those that a multiprocessor can hold; blocks are
// limited to those that fit. Negative: unknown.
double estimated_occupancy(const struct device *device, const struct launch_shape *shape);

struct launch_figures { // figures of a launch shape on a device
    bool is_made;       // for callers that cache figures by shape
    bool is_computed; // at least one figure is computed, because it is not recorded or not credible
    int64_t micro_blocks;   // per multiprocessor, or UNKNOWN
    double occupancy, told; // 0..1; negative: unknown. `told` is the recorded figure
};
// Returns recorded figures if they are credible, else figures computed from the launch, for NVIDIA
// cards only.
struct launch_figures launch_figures_of(const struct profile *profile, const struct device *device,
                                        const struct launch_shape *shape);

#endif
