// SPDX-License-Identifier: Apache-2.0
// What kernels compute and move against what their GPU can do at most: the roofline model (Williams,
// Waterman, Patterson, 2009).
//
//      ideal ns of a kernel = max(FLOPs / dense peak of the data type, bytes / memory bandwidth) * 1e9,
//                             no more than it took: what lies in a cache is faster than its memory (`over_ns`)
//
// FLOPs and bytes are those of the op that launched it (op_figures.h), the algorithm's and not what was
// counted; of an attention below a causal mask half of the FLOPs, as no more is run. Peaks and bandwidth are
// the profile's and rules/gpus.yaml's. What is not known is in no ideal.
#ifndef ANALYSIS_ROOFLINE_H
#define ANALYSIS_ROOFLINE_H

#include "analysis/op_runs/op_figures.h"

enum roofline_limit {
    LIMIT_MEMORY,
    LIMIT_FP64,
    LIMIT_FP64_TC, // of kernels that use Tensor Cores
    LIMIT_FP32,
    LIMIT_TF32,
    LIMIT_FP16,
    LIMIT_BF16,
    LIMIT_FP8,
    LIMIT_INT8,
    LIMIT_FP4,
    LIMITS,
    LIMIT_NONE = LIMITS
};
extern const char *const roofline_limit_texts[LIMITS]; // "memory", "compute, fp64", ...
const char *roofline_type(unsigned limit);             // "fp64"; of memory NULL

// The limit of FLOPs in a data type, LIMIT_NONE: no peak is known of it.
unsigned roofline_compute_limit(const char *dtype, enum tristate tensor_core);

// What a GPU can do at most: FLOP/s by data type, of LIMIT_MEMORY B/s. 0: not known.
double roofline_roof(const struct profile *profile, uint32_t device, unsigned limit);

struct rooflines { // what is known of a profile's kernels and GPUs
    const struct profile *profile;
    const struct op_figures *figures;
    const struct gpu_peaks *peaks; // by device
};

struct roofline { // of some kernels, added up
    int64_t exclusive_ns, sum_ns;
    uint32_t kernels, told; // told: FLOPs and bytes are known, whatever the GPU is
    bool is_guess;          // an ideal in it rests on what the file does not tell
    bool is_tried;          // some ran to try algorithms: their time is above the ideal
    int64_t
        over_ns; // of kernels that took less than their ideal, which is cut off to what they took
    double flops, bytes;             // of all kernels of which they are known
    int64_t known_ns;                // of kernels that have an ideal
    double known_flops, known_bytes; // of these, of FLOPs those that are run
    int64_t ideal_ns;                // of each kernel whole, so that steps add up
    int64_t lower_ns;                // the same if products in FP32 or TF32 were in 16 bit
    double by_limit[LIMITS];         // ideal_ns by what binds, in parts of ns
};

struct rooflines rooflines_open(const struct profile *profile, const struct selection *selection,
                                struct arena *arena);
void roofline_add(const struct rooflines *lines, struct roofline *sums, uint32_t work); // a kernel
void roofline_join(struct roofline *sums, const struct roofline *more);

// The largest of these, LIMIT_NONE: all are 0.
unsigned roofline_most(const double by_limit[LIMITS]);
static inline unsigned roofline_limit(
    const struct roofline *sums) // what most of the ideal is due to
{
    return roofline_most(sums->by_limit);
}

// What is gained at most, ns.
static inline int64_t roofline_above(const struct roofline *sums)
{
    return sums->known_ns - sums->ideal_ns;
}

#endif
