// SPDX-License-Identifier: Apache-2.0
//
// An optimizer of one kernel per tensor and operation.
#include "problems.h"

#include "markers.h"

static bool optimizer_small(Rank *rank, Planted how)
{
    static const struct {
        const char *aten, *op;
        KernelId kernel;
    } calls[] = {{"aten::mul_", "mul_", K_MUL},
                 {"aten::add_", "add_", K_ADD},
                 {"aten::addcmul_", "addcmul_", K_ADDCMUL},
                 {"aten::sqrt", "sqrt", K_SQRT},
                 {"aten::add_", "add_", K_ADD},
                 {"aten::addcdiv_", "addcdiv_", K_ADDCDIV}};
    (void)how;
    Thread *thread = &rank->main;
    int tensors = (rank->world->scenario->layers * 13 + 5) / 6;
    for (int i = 0; i < tensors * 6; i++) {
        rank_seed(rank, PURPOSE_OPTIMIZER + ((uint64_t)i << 8));
        int count = call_push(rank, thread, calls[i % 6].aten, "Tensor", calls[i % 6].op, 318);
        host_spend(rank, thread, 57 * US);
        Launch launch = launch_elementwise(rank->world->recipe, calls[i % 6].kernel, 32);
        kernel_launch(rank, thread, &rank->device.compute, &launch);
        ranges_pop(rank, thread, count);
    }
    return true;
}

const Problem problem_optimizer = {
    .name = "optimizer",
    .description = "one small kernel per tensor and operation",
    .detector = "launch_bound",
    .optimizer = optimizer_small,
};
