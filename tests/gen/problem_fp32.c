// SPDX-License-Identifier: Apache-2.0
//
// GEMMs that run without Tensor Cores.
#include "problems.h"

#include <string.h>

#define FP32_EFFICIENCY 0.9

static void head_recipe(World *world, Planted how)
{
    (void)how;
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

const Problem problem_fp32head = {
    .name = "fp32head",
    .description = "lm_head runs without Tensor Cores",
    .detector = "fp32_gemm",
    .recipe = head_recipe,
};
