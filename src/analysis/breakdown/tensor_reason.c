// SPDX-License-Identifier: Apache-2.0
// Reasons why kernels that could use Tensor Cores do not.
#include <string.h>

#include "analysis/breakdown/tensor_cores.h"
#include "analysis/report/names.h"
#include "model/ops/ops.h"

static const char *op_type(const struct profile *profile, uint32_t work)
{
    const struct op *op = tensor_op_of(profile, work);
    return op ? profile_text(profile, op->data_type) : "";
}

// Returns the reason for a kernel that computes in FP32 what Tensor Cores could compute.
static const char *why_possible(const struct profile *profile, uint32_t work)
{
    const char *type = op_type(profile, work);
    uint32_t marker = tensor_marker_of(profile, work);
    if (type_is_16_bit(type))
        return marker != ROW_NONE && tensor_has_odd_shape(profile, marker)
                   ? "16-bit, size not of 8"
                   : "16-bit op, FP32 kernel";
    if (text_has_nocase(type, "float32") || strcmp(type, "float") == 0)
        return "float32, no autocast";
    return "FP32 kernel, no autocast";
}

// Returns the reason for other kernels: the type of the op may be eligible, but the kernel is no
// candidate.
static const char *why_no_candidate(const struct profile *profile, uint32_t work)
{
    const char *type = op_type(profile, work);
    if (tensor_is_narrow(profile, work))
        return "waits for memory";
    if (text_has_nocase(type, "float64") || strcmp(type, "double") == 0)
        return "float64";
    return "no matrix kernel";
}

const char *tensor_reason_not_used(const struct profile *profile, uint32_t work,
                                   enum tensor_use use)
{
    if (use == TENSOR_USED)
        return NULL;
    if (use == TENSOR_POSSIBLE)
        return why_possible(profile, work);
    if (use == TENSOR_NO_CANDIDATE)
        return why_no_candidate(profile, work);
    return profile->functions[AT(profile->work.function, work)].tensor_core == STATE_UNKNOWN
               ? "unknown: name"
               : "unknown: GPU";
}
