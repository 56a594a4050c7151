// SPDX-License-Identifier: Apache-2.0
//
// GPUs that are slower than the others.
#include "problems.h"

static void slow_rank(Rank *rank, Planted how)
{
    (void)how;
    if (rank->index == 2)
        rank->device.math_factor = 1.07;
}

const Problem problem_straggler = {
    .name = "straggler",
    .description = "one rank computes slower",
    .detector = "slow_gpu",
    .base = "--processes=4",
    .no_graph = true, // collectives stay outside of it, so that none is hidden
    .rank = slow_rank,
};
