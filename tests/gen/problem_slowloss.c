// SPDX-License-Identifier: Apache-2.0
//
// A loss whose kernels take ten times as long as reading the logits.
#include "problems.h"

#include <string.h>

enum { SLOWER = 10 };

static void slow_loss_recipe(World *world, Planted how)
{
    for (int i = 0; i < world->recipe->op_count; i++) {
        Op *op = &world->recipe->ops[i];
        if (!op->block || strcmp(op->block, "loss") != 0)
            continue;
        int64_t bytes = op->shapes[0][0] * op->shapes[0][1] * 4;
        if (how == PLANTED_IDEAL) { // logits are read once, and once more to write the gradients
            op->forward[0].base_ns = (int64_t)((double)bytes / BYTES_PER_NS);
            op->backward[0].base_ns = (int64_t)(2 * (double)bytes / BYTES_PER_NS);
            continue;
        }
        op->forward[0].base_ns *= SLOWER;
        op->backward[0].base_ns *= SLOWER;
        if (how == PLANTED_TWIN) // ten times as much work
            op->shapes[0][1] *= SLOWER;
    }
}

const Problem problem_slowloss = {
    .name = "slowloss",
    .description = "the loss takes ten times as long as reading the logits",
    .detector = "far_from_limit",
    .twin = "as long, for ten times as many logits",
    // The host lags in the first step, where the problem costs nothing.
    .base = "--markers=emit --steps=24",
    .has_ideal = true,
    .recipe = slow_loss_recipe,
};
