// SPDX-License-Identifier: Apache-2.0
// Decides which kernels use Tensor Cores or could.
#include "analysis/breakdown/tensor_cores.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analysis/report/names.h"
#include "model/markers/markers.h"
#include "model/ops/ops.h"
#include "model/rules/rules.h"

// Libraries name the architecture that they chose the code for: "sm80_xmma_gemm...",
// "ampere_sgemm...".
static bool names_tensor_core_device(const char *name)
{
    const char *at = strstr(name, "sm");
    if (at && isdigit((unsigned char)at[2]) && isdigit((unsigned char)at[3]))
        return at[2] >= '7' || isdigit((unsigned char)at[4]);
    return strstr(name, "ampere_") || strstr(name, "volta_") || strstr(name, "hopper_");
}

// Returns true if the profile has kernels that run only on a GPU with Tensor Cores.
static bool any_kernel_needs_tensor_cores(const struct profile *profile)
{
    for (uint32_t f = 0; f < profile->function_count; f++) {
        const struct function *function = &profile->functions[f];
        if (function->kind == WORK_KERNEL &&
            (function->tensor_core == STATE_YES ||
             names_tensor_core_device(profile_text(profile, function->full))))
            return true;
    }
    return false;
}

// If it is not known what a GPU can do, it has Tensor Cores if kernels of the profile need them.
static enum tristate has_tensor_cores(const struct profile *profile, uint32_t device,
                                      bool kernels_need_them)
{
    struct gpu_abilities abilities = device_abilities(profile, device);
    if (abilities.is_known)
        return abilities.types ? STATE_YES : STATE_NO;
    return kernels_need_them ? STATE_YES : STATE_UNKNOWN;
}

const struct op *tensor_op_of(const struct profile *profile, uint32_t work)
{
    const struct ops *ops = profile->ops;
    return ops && HAS(profile->work.instance) && ops->instance_count > 0
               ? &ops->items[AT(ops->op, AT(profile->work.instance, work))]
               : NULL;
}

uint32_t tensor_marker_of(const struct profile *profile, uint32_t work)
{
    return tensor_op_of(profile, work) && HAS(profile->ops->marker)
               ? AT(profile->ops->marker, AT(profile->work.instance, work))
               : ROW_NONE;
}

bool tensor_op_is_eligible(const struct profile *profile, uint32_t work)
{
    const struct op *op = tensor_op_of(profile, work);
    return op && op->tensor_core_eligible == STATE_YES;
}

bool tensor_is_narrow(const struct profile *profile, uint32_t work)
{
    enum { MAX_NARROW_TILE = 32 };
    const struct launch_shape *shape = work_launch_shape(profile, work);
    const char *name =
        profile_text(profile, profile->functions[AT(profile->work.function, work)].full);
    const char *at = strstr(name, "sgemm_");
    unsigned tile[2];
    if (!shape || !at || sscanf(at, "sgemm_%4ux%4u_", &tile[0], &tile[1]) != 2)
        return false;
    return (shape->grid[0] == 1 && tile[0] <= MAX_NARROW_TILE) ||
           (shape->grid[1] == 1 && tile[1] <= MAX_NARROW_TILE);
}

bool tensor_has_odd_shape(const struct profile *profile, uint32_t marker_row)
{
    const struct marker *marker = &profile->markers[marker_row];
    for (uint32_t a = 0; a < marker->argument_count; a++) {
        const struct marker_argument *argument = &marker->arguments[a];
        if (!argument->is_tensor || argument->rank < 2 || argument->rank > 5)
            continue;
        // the width of a matrix; the channels of an image (N, C, H, W)
        bool is_image = argument->rank >= 4;
        int64_t inner = is_image ? argument->dims[1] : argument->dims[argument->rank - 1];
        if (inner % 8 != 0)
            return true;
    }
    return false;
}

struct tensor_judge tensor_judge_init(const struct profile *profile, struct arena *arena)
{
    struct tensor_judge judge = {
        .profile = profile,
        .kinds = ARENA_ARRAY(arena, int, (size_t)profile->function_count + 1),
        .device_has = ARENA_ARRAY(arena, enum tristate, (size_t)profile->device_count + 1),
    };
    for (uint32_t f = 0; f < profile->function_count; f++)
        judge.kinds[f] = function_fp32_product(profile, &profile->functions[f]);
    bool kernels_need_them = any_kernel_needs_tensor_cores(profile);
    for (uint32_t d = 0; d < profile->device_count; d++)
        judge.device_has[d] = has_tensor_cores(profile, d, kernels_need_them);
    return judge;
}

enum tensor_use tensor_use_of(const struct tensor_judge *judge, uint32_t work)
{
    const struct profile *profile = judge->profile;
    uint32_t f = AT(profile->work.function, work);
    enum tristate recorded = profile->functions[f].tensor_core;
    int kind = judge->kinds[f]; // 0: no FP32 matrix product; 2: one only if its op is eligible
    if (recorded != STATE_NO)
        return recorded == STATE_YES ? TENSOR_USED : TENSOR_UNKNOWN;
    if (kind == 0 || (kind == 2 && !tensor_op_is_eligible(profile, work)) ||
        tensor_is_narrow(profile, work))
        return TENSOR_NO_CANDIDATE;
    enum tristate has = judge->device_has[work_device(profile, work)];
    return has == STATE_YES  ? TENSOR_POSSIBLE
           : has == STATE_NO ? TENSOR_NO_CANDIDATE
                             : TENSOR_UNKNOWN;
}
