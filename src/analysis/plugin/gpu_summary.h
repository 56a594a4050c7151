// SPDX-License-Identifier: Apache-2.0
// How well each GPU is used in the steps, as measured by PyTorch's TensorBoard plugin.
#ifndef ANALYSIS_PLUGIN_GPU_SUMMARY_H
#define ANALYSIS_PLUGIN_GPU_SUMMARY_H

#include "analysis/report/selection.h"

struct gpu_summary {
    // From the first selected step to the last, over the processes that use the GPU; 0: none.
    int64_t window_ns;
    int64_t kernel_ns; // the part in which some kernel (or graph that is traced as a whole) runs
    // Shares of the window, 0..1; negative: unknown. sm_efficiency is the mean number of running
    // blocks per multiprocessor, capped at 1. occupancy is the share of a multiprocessor's threads
    // that a kernel can keep resident, weighted by kernel time.
    double sm_efficiency, occupancy;
    double recorded_occupancy; // the same from the file's own values, zeros included
    double occupancy_known;    // share of the kernel time in the window whose occupancy is known
    bool is_computed;          // some of it is computed from launch shapes, not recorded
    // Durations of the kernels of the steps: on Tensor Cores, and all.
    int64_t tensor_core_ns, all_ns;
    int64_t unknown_ns; // durations of kernels for which Tensor Core use is unknown
    uint32_t kernels;
};

struct gpu_share {
    int64_t window_ns, kernel_ns; // as in gpu_summary
};

// Returns [profile->device_count] entries in `arena`. With a memo, the share of a GPU that one
// process uses costs time proportional to its steps, not to its kernels.
const struct gpu_share *gpu_shares(const struct profile *profile, const struct selection *selection,
                                   struct arena *arena);
const struct gpu_summary *gpu_summaries(const struct profile *profile,
                                        const struct selection *selection, struct arena *arena);

#endif
