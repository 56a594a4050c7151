// SPDX-License-Identifier: Apache-2.0
//
// An optimizer with one kernel per tensor and operation.
#include "problems.h"

#include "markers.h"

enum { OPERATIONS = 6, SMALL_US = 32, FUSED = 6 };

static int kernel_count(const Rank *rank)
{
    const Scenario *scenario = rank->world->scenario;
    int tensors = scenario->optimizer_tensors;
    return OPERATIONS * (tensors > 0 ? tensors : (scenario->layers * 13 + 5) / 6);
}

// Takes as much GPU time in a few kernels: only the number of kernels is planted.
static bool optimizer_foreach(Rank *rank)
{
    Thread *thread = &rank->main;
    int us = kernel_count(rank) * SMALL_US / FUSED;
    for (int i = 0; i < FUSED; i++) {
        rank_seed(rank, PURPOSE_OPTIMIZER + ((uint64_t)i << 8));
        int count = call_push(rank, thread, "aten::_fused_adamw_", "torch", "_fused_adamw_", 318);
        host_spend(rank, thread, 57 * US);
        Launch launch = launch_elementwise(rank->world->recipe, K_ADAM_FUSED, us);
        kernel_launch(rank, thread, &rank->device.compute, &launch);
        ranges_pop(rank, thread, count);
    }
    return true;
}

static bool optimizer_small(Rank *rank, Planted how)
{
    static const struct {
        const char *aten, *op;
        KernelId kernel;
    } calls[OPERATIONS] = {{"aten::mul_", "mul_", K_MUL},
                           {"aten::add_", "add_", K_ADD},
                           {"aten::addcmul_", "addcmul_", K_ADDCMUL},
                           {"aten::sqrt", "sqrt", K_SQRT},
                           {"aten::add_", "add_", K_ADD},
                           {"aten::addcdiv_", "addcdiv_", K_ADDCDIV}};
    if (how == PLANTED_TWIN)
        return optimizer_foreach(rank);
    Thread *thread = &rank->main;
    for (int i = 0; i < kernel_count(rank); i++) {
        rank_seed(rank, PURPOSE_OPTIMIZER + ((uint64_t)i << 8));
        int count = call_push(rank, thread, calls[i % OPERATIONS].aten, "Tensor",
                              calls[i % OPERATIONS].op, 318);
        host_spend(rank, thread, 57 * US);
        Launch launch =
            launch_elementwise(rank->world->recipe, calls[i % OPERATIONS].kernel, SMALL_US);
        kernel_launch(rank, thread, &rank->device.compute, &launch);
        ranges_pop(rank, thread, count);
    }
    return true;
}

const Problem problem_optimizer = {
    .name = "optimizer",
    .description = "one small kernel per tensor and operation",
    .detector = "launch_bound",
    .twin = "a few fused kernels over many tensors each",
    .against_twin = true, // the healthy optimizer has more tensors
    .optimizer = optimizer_small,
};
