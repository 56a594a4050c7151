// SPDX-License-Identifier: Apache-2.0
// The time of op runs compared with their ideal (roofline.h), with alike runs added up: the same
// op, arguments, direction, kernels and GPU.
//
//      kernel of the GPU --of_work--> limited_kernel --run--> limited_run
//
// All detectors share the result, which has one number per kernel and one row per group of alike
// runs.
#ifndef ANALYSIS_OP_RUNS_RUN_LIMITS_H
#define ANALYSIS_OP_RUNS_RUN_LIMITS_H

#include "analysis/op_runs/roofline.h"

struct limited_run {
    const char *op;     // "aten::linear"
    const char *params; // its sizes as PyProf writes them, "M=128,N=256,K=512,bf16"; "" for none
    uint32_t device;
    bool is_backward;
    bool is_autotuned;    // algorithms were tried: most of its time is not spent on the result
    bool is_causal;       // an attention of which half is run, or may be
    uint32_t function;    // the kernel with the most time
    uint32_t count;       // number of runs
    struct roofline sums; // of all their kernels
};

struct limited_kernel {
    uint32_t run; // row of runs
    uint32_t function, device;
    uint32_t place; // index of the kernel within its run
    uint32_t work;  // one example
    const char *params;
    struct roofline sums;
};

struct run_limits {
    uint32_t run_count, kernel_count;
    const struct limited_run *runs;
    const struct limited_kernel *kernels;
    struct column32 of_work; // [row of GPU work]: row of kernels; ROW_NONE: the op is unknown
};

// Finds the limits of all kernels of a profile. The result is stored in the memo of the selection.
// Returns NULL, without any work, if no range records sizes.
const struct run_limits *run_limits_find(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena);

// Returns the group of alike kernels that a piece of GPU work belongs to, or NULL. `limits` may be
// NULL.
const struct limited_kernel *run_limits_kernel(const struct run_limits *limits, uint32_t work);

// Returns the ideal time of runs divided by their time, 0..1; negative if the ideal of some kernel
// is unknown.
double limited_run_ideal_share(const struct limited_run *run);

#endif
