// SPDX-License-Identifier: Apache-2.0
// What runs of ops take against what they could take at least (roofline.h), those alike together: of
// one op, with the same arguments, in one direction, by the same kernels, on one GPU.
//
//      kernel of the GPU --of_work--> limited_kernel --run--> limited_run
//
// It is what detectors ask, and all of them share it: of each kernel it is a number, and a row for what is
// alike.
#ifndef ANALYSIS_RUN_LIMITS_H
#define ANALYSIS_RUN_LIMITS_H

#include "analysis/op_runs/roofline.h"

struct limited_run {
    const char *op;     // "aten::linear"
    const char *params; // its sizes as PyProf writes them, "M=128,N=256,K=512,bf16"; "": none
    uint32_t device;
    bool is_backward;
    bool is_autotuned;    // algorithms were tried: most of its time is no computing
    bool is_causal;       // an attention of which half is run, or may be
    uint32_t function;    // of its kernels the one with the most time
    uint32_t count;       // runs
    struct roofline sums; // of all their kernels
};

struct limited_kernel {
    uint32_t run; // row of runs
    uint32_t function, device;
    uint32_t place; // which kernel of its run it is
    uint32_t work;  // one of them
    const char *params;
    struct roofline sums;
};

struct run_limits {
    uint32_t run_count, kernel_count;
    const struct limited_run *runs;
    const struct limited_kernel *kernels;
    struct column32 of_work; // by row of GPU work: row of kernels; ROW_NONE: no op is known
};

// Of all kernels of a profile; kept in the memo of the selection. NULL: no range tells sizes, and
// nothing was looked at.
const struct run_limits *run_limits_find(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena);

// The kernels alike that a piece of GPU work is one of; NULL: not known. `limits` may be NULL.
const struct limited_kernel *run_limits_kernel(const struct run_limits *limits, uint32_t work);

// What the ideal time of runs is of their time, 0..1; below 0: of some kernel of them it is unknown.
double limited_run_share(const struct limited_run *run);

#endif
