// SPDX-License-Identifier: Apache-2.0
// How well kernels fill their GPU: means of blocks per multiprocessor and of occupancy, weighted by
// duration. Figures are those in the file, else computed from the launch configuration.
#ifndef ANALYSIS_BREAKDOWN_LAUNCH_MEANS_H
#define ANALYSIS_BREAKDOWN_LAUNCH_MEANS_H

#include "analysis/report/report.h"

// Sums are integers, so that they do not depend on the order of the kernels.
struct launch_means {
    // sums of figure x time, in millionths; occupancy in percent
    unsigned __int128 micro_blocks_ns, micro_occupancy_ns;
    int64_t blocks_known_ns, occupancy_known_ns; // time of the kernels whose figure is known
};

// Adds kernels of one launch shape (row of shapes, or ROW_NONE) on a GPU, with their total time.
void launch_means_add(struct launch_means *means, const struct profile *profile, uint32_t device,
                      uint32_t shape, int64_t ns);

struct value launch_means_blocks(const struct launch_means *means);
struct value launch_means_occupancy(const struct launch_means *means);

// clang-format off
// Uses get_blocks and get_occupancy.
#define LAUNCH_MEANS_COLUMNS(flags)                                                               \
    {"blocks_per_sm", "Mean Blocks per SM", "blocks/SM", UNIT_REAL, get_blocks,                   \
     "Blocks of the launch for each multiprocessor, the mean of the launches, each as long as it " \
     "ran. Below 1 some multiprocessors have nothing to do.",                                     \
     flags},                                                                                      \
    {"occupancy", "Mean Est. Achieved Occupancy (%)", "occup.", UNIT_PERCENT, get_occupancy,      \
     "Threads at work of those that a multiprocessor can hold, as the trace tells it; else by " \
     "the " \
     "launch's blocks, threads, registers and shared memory. The same mean.",                     \
     flags}
// clang-format on

#endif
