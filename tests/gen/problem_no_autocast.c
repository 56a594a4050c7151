// SPDX-License-Identifier: Apache-2.0
//
// Matrix products in TF32 where 16 bit would suffice.
#include "problems.h"

#include <string.h>

#define TF32_OF_16_BIT 0.5 // of the peak

static void use_tf32(Launch *launch)
{
    switch (launch->kernel) {
    case K_GEMM_TNT_192:
    case K_GEMM_TNT_128:
    case K_GEMM_BF16_HEAD:
        launch->kernel = K_TF32_TN;
        break;
    case K_GEMM_NTN_192:
        launch->kernel = K_TF32_NT;
        break;
    case K_GEMM_TNN_256:
    case K_GEMM_TNN_128:
        launch->kernel = K_TF32_NN;
        break;
    case K_FLASH_FWD:
        launch->kernel = K_FMHA_F32_FWD;
        break;
    case K_FLASH_BWD:
        launch->kernel = K_FMHA_F32_BWD;
        break;
    default:
        return;
    }
    launch->base_ns = (int64_t)((double)launch->base_ns / TF32_OF_16_BIT);
}

// The twin has a TF32 head below a 16-bit model.
static void no_autocast_recipe(World *world, Planted how)
{
    for (int i = 0; i < world->recipe->op_count; i++) {
        Op *op = &world->recipe->ops[i];
        bool is_head = op->block && strcmp(op->block, "model.lm_head") == 0;
        if (how == PLANTED_TWIN && !is_head)
            continue;
        op->dtype = "float32";
        for (int k = 0; k < op->forward_count; k++)
            use_tf32(&op->forward[k]);
        for (int k = 0; k < op->backward_count; k++)
            use_tf32(&op->backward[k]);
    }
}

const Problem problem_noautocast = {
    .name = "noautocast",
    .description = "all matrix products in TF32, none in 16 bit",
    .detector = "no_autocast",
    .twin = "only the head in TF32",
    .recipe = no_autocast_recipe,
};
