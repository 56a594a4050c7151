// SPDX-License-Identifier: Apache-2.0
//
// GPUs that are slower than the others.
#include "problems.h"

// Models a GPU that reaches its clock only after some time of work.
static void slow_rank(Rank *rank, Planted how)
{
    if (rank->index == 2)
        rank->device.math_factor = how == PLANTED || rank->step < 3 ? 1.07 : 1;
}

const Problem problem_straggler = {
    .name = "straggler",
    .description = "one rank computes slower",
    .detector = "slow_gpu",
    .twin = "in its first steps only",
    .base = "--processes=4",
    .no_graph = true, // collectives stay outside of the graph, so none is hidden
    .step_begin = slow_rank,
};

// Models another program that keeps the cores of that host busy.
static void late_op(Rank *rank, Thread *thread, int op, Planted how)
{
    if (rank->index != 2 || how == PLANTED_TWIN)
        return;
    rank_seed(rank, PURPOSE_PROBLEM(latehost) + ((uint64_t)(op + 1) << 16));
    host_spend(rank, thread, 130 * US);
}

// Sequences of unequal length.
static void uneven_batch(Rank *rank, Planted how)
{
    if (how != PLANTED_TWIN || rank->step % rank->world->rank_count != rank->index)
        return;
    rank_seed(rank, PURPOSE_PROBLEM(latehost));
    for (int i = 0; i < 4; i++) {
        Launch launch = launch_elementwise(rank->world->recipe, K_MUL_BF16, 3600);
        kernel_launch(rank, &rank->main, &rank->device.compute, &launch);
    }
}

const Problem problem_latehost = {
    .name = "latehost",
    .description = "the host of one rank launches late",
    .detector = "straggler",
    .twin = "each step another rank has more to compute",
    .base = "--processes=4",
    .no_graph = true,
    .forward_begin = uneven_batch,
    .op = late_op,
};
