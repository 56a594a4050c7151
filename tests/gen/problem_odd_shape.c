// SPDX-License-Identifier: Apache-2.0
//
// A vocabulary of 50257, for which no kernel with vectorised loads is applicable.
#include "problems.h"

#include <string.h>

static void odd_shape_recipe(World *world, Planted how)
{
    enum { SLOWER = 3, BACKWARD = 2 }; // compared to the kernels of a padded vocabulary
    static const KernelId backward[BACKWARD] = {K_WMMA_ALIGN1_NN, K_WMMA_ALIGN1_NT};
    for (int i = 0; i < world->recipe->op_count; i++) {
        Op *op = &world->recipe->ops[i];
        if (!op->block || strcmp(op->block, "model.lm_head") != 0)
            continue;
        op->shapes[1][0] = 50257;
        if (how == PLANTED_TWIN) { // an odd size in a dimension that does not matter
            op->forward[0].kernel = K_CUTLASS_ALIGN8_TN;
            continue;
        }
        op->forward[0].kernel = K_WMMA_ALIGN1_TN;
        op->forward[0].base_ns *= SLOWER;
        for (int k = 0; k < op->backward_count && k < BACKWARD; k++) {
            op->backward[k].kernel = backward[k];
            op->backward[k].base_ns *= SLOWER;
        }
    }
}

const Problem problem_oddshape = {
    .name = "oddshape",
    .description = "lm_head with a vocabulary of 50257",
    .detector = "odd_shape",
    .twin = "an odd size and kernels of whole vectors",
    .recipe = odd_shape_recipe,
};
