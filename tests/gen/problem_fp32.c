// SPDX-License-Identifier: Apache-2.0
//
// GEMMs that run without Tensor Cores.
#include "problems.h"

#include <string.h>

#define FP32_EFFICIENCY 0.9

static void head_recipe(World *world, Planted how)
{
    if (how != PLANTED)
        return;
    const double speed = FP32_FLOPS_PER_NS * FP32_EFFICIENCY;
    int64_t m = world->scenario->tokens, n = world->scenario->vocab, k = world->scenario->hidden;
    for (int i = 0; i < world->recipe->op_count; i++) {
        Op *op = &world->recipe->ops[i];
        if (!op->block || strcmp(op->block, "model.lm_head") != 0)
            continue;
        op->dtype = "float32";
        op->forward[0] = launch_gemm(K_F32_TN, m, n, k, speed);
        op->backward[0] = launch_gemm(K_F32_NN, m, k, n, speed);
        op->backward[1] = launch_gemm(K_F32_NT, n, k, m, speed);
    }
}

// A table of 400 MB times 1, 8 and 32 queries: each lasts as long as reading the table.
static void narrow_products(Rank *rank, Planted how)
{
    enum { TABLE_US = 120, TIMES = 12, BLOCKS = 2048 };
    static const KernelId kernels[] = {K_GEMV_F32, K_SGEMM_SMALL_N, K_SGEMM_NARROW};
    if (how != PLANTED_TWIN)
        return;
    rank_seed(rank, PURPOSE_PROBLEM(fp32head));
    for (int i = 0; i < TIMES; i++)
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            Launch launch = {kernels[k], TABLE_US * US, BLOCKS, 1, false};
            kernel_launch(rank, &rank->main, &rank->device.compute, &launch);
        }
}

const Problem problem_fp32head = {
    .name = "fp32head",
    .description = "lm_head runs without Tensor Cores",
    .detector = "fp32_gemm",
    .twin = "FP32 products with 1, 8 and 32 columns, bound by memory",
    .recipe = head_recipe,
    .forward_begin = narrow_products,
};
