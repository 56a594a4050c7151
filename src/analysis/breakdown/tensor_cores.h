// SPDX-License-Identifier: Apache-2.0
// Which kernels run on Tensor Cores, which could and do not, and of which nobody can say.
#ifndef ANALYSIS_TENSOR_CORES_H
#define ANALYSIS_TENSOR_CORES_H

#include "model/profile/profile.h"

struct op;

enum tensor_use {
    TENSOR_WITH,    // by its full name and the rules
    TENSOR_COULD,   // a matrix product in FP32 without them, on a GPU that has them
    TENSOR_UNKNOWN, // its name does not tell, or what the GPU has is not known
    TENSOR_NOT,     // no candidate
    TENSOR_USES
};

struct tensor_judge {
    const struct profile *profile;
    int *kinds;                // by function: function_fp32_product()
    enum tristate *device_has; // by device
};

struct tensor_judge tensor_judge_open(const struct profile *profile, struct arena *arena);

// Of a kernel. A product that waits for memory is no candidate, see tensor_is_narrow().
enum tensor_use tensor_use_of(const struct tensor_judge *judge, uint32_t work);

// Whether one size of a product is so small that it waits for memory, where Tensor Cores speed up
// nothing: one block covers that size, and its tile, as "ampere_sgemm_128x32_sliced1x4_tn" says it,
// is at most 32. An FP32 product of a size n makes n / 2 operations per byte of its matrix; the
// peaks of cards are at 10 (V100) to 100 per byte.
bool tensor_is_narrow(const struct profile *profile, uint32_t work);

// The op that a work belongs to, and the marker that tells its shapes; NULL, ROW_NONE: not known.
const struct op *tensor_op_of(const struct profile *profile, uint32_t work);
uint32_t tensor_marker_of(const struct profile *profile, uint32_t work);

// Whether the op of a work could use them, by its type; NO also where that is not known.
bool tensor_op_is_eligible(const struct profile *profile, uint32_t work);

// Whether a matrix of a marker's op has a width or a channel count that Tensor Cores do not like:
// no multiple of 8.
bool tensor_has_odd_shape(const struct profile *profile, uint32_t marker);

// Why a kernel does not use them, in a few words (tensor_why.c); NULL: it does.
const char *tensor_why_not(const struct profile *profile, uint32_t work, enum tensor_use use);

#endif
