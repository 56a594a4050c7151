// SPDX-License-Identifier: Apache-2.0
// Classifies kernels: those that run on Tensor Cores, those that could and do not, and those for
// which it is unknown.
#ifndef ANALYSIS_BREAKDOWN_TENSOR_CORES_H
#define ANALYSIS_BREAKDOWN_TENSOR_CORES_H

#include "model/profile/profile.h"

struct op;

enum tensor_use {
    TENSOR_USED,         // by its full name and the rules
    TENSOR_POSSIBLE,     // an FP32 matrix product without Tensor Cores, on a GPU that has them
    TENSOR_UNKNOWN,      // the name is inconclusive, or the GPU's capability is unknown
    TENSOR_NO_CANDIDATE, // not a candidate
    TENSOR_USES
};

struct tensor_judge {
    const struct profile *profile;
    int *kinds;                // by function: function_fp32_product()
    enum tristate *device_has; // by device
};

struct tensor_judge tensor_judge_init(const struct profile *profile, struct arena *arena);

// Classifies a kernel. A product that is bound by memory is not a candidate, see
// tensor_is_narrow().
enum tensor_use tensor_use_of(const struct tensor_judge *judge, uint32_t work);

// Returns true if one size of a product is so small that the product is bound by memory, where
// Tensor Cores do not help: one block covers that size, and its tile, as in
// "ampere_sgemm_128x32_sliced1x4_tn", is at most 32. An FP32 product of a size n makes n / 2
// operations per byte of its matrix; the peaks of cards are 10 (V100) to 100 per byte.
bool tensor_is_narrow(const struct profile *profile, uint32_t work);

// Return the op that a piece of work belongs to, and the marker that has its shapes; NULL and
// ROW_NONE if unknown.
const struct op *tensor_op_of(const struct profile *profile, uint32_t work);
uint32_t tensor_marker_of(const struct profile *profile, uint32_t work);

// Returns true if the op of the work could use Tensor Cores by its type; false if that is unknown.
bool tensor_op_is_eligible(const struct profile *profile, uint32_t work);

// Returns true if a matrix of a marker's op has a width or channel count that is not a multiple of
// 8, which Tensor Cores need for full speed.
bool tensor_has_odd_shape(const struct profile *profile, uint32_t marker);

// True if a share of Tensor Core time is a lower bound worth telling: kernels whose names do not
// tell have more than 1 % of the time that it is a share of.
static inline bool tensor_share_is_least(int64_t unknown_ns, int64_t all_ns)
{
    return unknown_ns > all_ns / 100;
}

// Returns in a few words why a kernel does not use Tensor Cores (tensor_reason.c); NULL: it does.
const char *tensor_reason_not_used(const struct profile *profile, uint32_t work,
                                   enum tensor_use use);

#endif
