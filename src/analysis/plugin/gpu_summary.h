// SPDX-License-Identifier: Apache-2.0
// How well each GPU is used in the steps, as PyTorch's TensorBoard plugin measures it.
#ifndef ANALYSIS_GPU_SUMMARY_H
#define ANALYSIS_GPU_SUMMARY_H

#include "analysis/report/selection.h"

struct gpu_summary {
    // From the first selected step to the last, of the processes that use it; 0: none.
    int64_t window_ns;
    int64_t kernel_ns; // of that, in which any kernel (or graph that is traced as a whole) runs
    // 0..1 of the window; negative: not known. Blocks that run for each multiprocessor, at most one; and of
    // all kernels the threads that a multiprocessor holds of those that it could, weighted by their time.
    double sm_efficiency, occupancy;
    double occupancy_told;  // the same of what the file itself tells, zeros too
    double occupancy_known; // share of the time of kernels in the window whose occupancy is known
    bool is_computed;       // some of it comes from launch shapes, and not from the file
    int64_t tensor_core_ns, all_ns; // durations of kernels of the steps: on Tensor Cores, all ...
    int64_t unknown_ns;             // ... and those of which that is not known
    uint32_t kernels;
};

struct gpu_share {
    int64_t window_ns, kernel_ns; // as in gpu_summary
};

// By device: [profile->device_count], in `arena`. With a memo the shares of a GPU that one process uses cost
// as many steps, not kernels.
const struct gpu_share *gpu_shares(const struct profile *profile, const struct selection *selection,
                                   struct arena *arena);
const struct gpu_summary *gpu_summaries(const struct profile *profile,
                                        const struct selection *selection, struct arena *arena);

#endif
