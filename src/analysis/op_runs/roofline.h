// SPDX-License-Identifier: Apache-2.0
// The roofline model (Williams, Waterman, Patterson, 2009): what kernels compute and move, compared
// with the peak of their GPU.
//
//      ideal ns of a kernel = 1e9 * max(FLOPs / dense peak of its type, bytes / bandwidth),
//
// capped at the kernel's duration, as data in a cache is faster than memory (`over_ns`). FLOPs and
// bytes are what the algorithm of the op that launched it needs (op_figures.h), not what hardware
// counters measure. An attention with a causal mask counts half of the FLOPs, since only half is
// executed. Peaks and bandwidth come from the profile and rules/gpus.yaml. Kernels with unknown
// figures have no ideal.
#ifndef ANALYSIS_OP_RUNS_ROOFLINE_H
#define ANALYSIS_OP_RUNS_ROOFLINE_H

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
const char *roofline_type(unsigned limit);             // "fp64"; NULL for memory

// Returns the compute limit of a data type, or LIMIT_NONE if no peak exists for it.
unsigned roofline_compute_limit(const char *dtype, enum tristate tensor_core);

// Returns the peak of a GPU: FLOP/s of a data type, B/s for LIMIT_MEMORY; 0 if unknown.
double roofline_roof(const struct profile *profile, uint32_t device, unsigned limit);

struct rooflines { // inputs of roofline_add()
    const struct profile *profile;
    const struct op_figures *figures;
    const struct gpu_peaks *peaks; // [device]
};

struct roofline { // sums over some kernels
    int64_t exclusive_ns, sum_ns;
    // `told` counts kernels with known FLOPs or bytes, even if the GPU's peak is unknown.
    uint32_t kernels, told;
    bool is_guess;   // some ideal rests on an assumption, not on recorded data
    bool is_tried;   // some kernels ran to try algorithms, so their time is above the ideal
    int64_t over_ns; // time of kernels shorter than their ideal, which is capped at their duration
    double flops, bytes;             // of all kernels for which they are known
    int64_t known_ns;                // of kernels that have an ideal
    double known_flops, known_bytes; // of these kernels; FLOPs that are executed
    int64_t ideal_ns;                // rounded per kernel, so that steps add up
    int64_t lower_ns;                // the same if FP32 and TF32 products were in 16 bits
    double by_limit[LIMITS];         // ideal_ns by binding limit, in fractions of ns
};

struct rooflines rooflines_open(const struct profile *profile, const struct selection *selection,
                                struct arena *arena);
// Adds one kernel.
void roofline_add(const struct rooflines *lines, struct roofline *sums, uint32_t work);
void roofline_join(struct roofline *sums, const struct roofline *more);

// Returns the limit with the largest time, or LIMIT_NONE if all are 0.
unsigned roofline_largest_limit(const double by_limit[LIMITS]);
// Returns the limit that determines most of the ideal time.
static inline unsigned roofline_limit(const struct roofline *sums)
{
    return roofline_largest_limit(sums->by_limit);
}

// Returns the time above the ideal, ns: an upper bound of the gain.
static inline int64_t roofline_excess_ns(const struct roofline *sums)
{
    return sums->known_ns - sums->ideal_ns;
}

#endif
