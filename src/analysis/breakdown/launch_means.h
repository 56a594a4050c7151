// SPDX-License-Identifier: Apache-2.0
// How kernels fill their GPU, in the mean of several, each as long as it ran: blocks for each
// multiprocessor, and occupancy. As the file tells it, else from the launch configuration.
#ifndef ANALYSIS_LAUNCH_MEANS_H
#define ANALYSIS_LAUNCH_MEANS_H

#include "analysis/report/report.h"

// Sums in whole numbers, so that they do not depend on the order of the kernels.
struct launch_means {
    unsigned __int128 micro_blocks_ns, micro_occupancy_ns; // sums of figure x time; of percent
    int64_t blocks_known_ns, occupancy_known_ns; // time of the kernels whose figure is known
};

// Kernels launched so (a row of shapes, or ROW_NONE) on a GPU, of so much time together.
void launch_means_add(struct launch_means *means, const struct profile *profile, uint32_t device,
                      uint32_t shape, int64_t ns);

struct value launch_means_blocks(const struct launch_means *means);
struct value launch_means_occupancy(const struct launch_means *means);

// clang-format off
// With get_blocks and get_occupancy.
#define LAUNCH_MEANS_COLUMNS(flags)                                                               \
    {"blocks_per_sm", "Mean Blocks per SM", "blocks/SM", UNIT_REAL, get_blocks,                   \
     "Blocks of the launch for each multiprocessor, the mean of the launches, each as long as it " \
     "ran. Below 1 some multiprocessors have nothing to do.",                                     \
     flags},                                                                                      \
    {"occupancy", "Mean Est. Achieved Occupancy (%)", "occup.", UNIT_PERCENT, get_occupancy,      \
     "Threads at work of those that a multiprocessor can hold, as the trace tells it; else by the " \
     "launch's blocks, threads, registers and shared memory. The same mean.",                     \
     flags}
// clang-format on

#endif
