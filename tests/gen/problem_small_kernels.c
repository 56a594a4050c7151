// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are shorter than their launches.
#include "problems.h"

#include "markers.h"

// At the end of the forward pass, where the host has the smallest lead.
static void small_kernels(Rank *rank, Thread *thread, int op, Planted how)
{
    enum { KERNELS = 500 };
    if (op + 1 < rank->world->recipe->op_count || thread != &rank->main)
        return;
    user_push(rank, thread, "penalty");
    for (int i = 0; i < KERNELS; i++) {
        rank_seed(rank, PURPOSE_PROBLEM(smallkernels) + ((uint64_t)i << 16));
        host_spend(rank, thread, how == PLANTED_TWIN ? 300 : 14 * US);
        Launch launch = {K_MUL_BF16, 3 * US, 48, 1, false};
        kernel_launch(rank, thread, &rank->device.compute, &launch);
    }
    user_pop(rank, thread);
}

const Problem problem_smallkernels = {
    .name = "smallkernels",
    .description = "500 small kernels one by one",
    .detector = "launch_bound",
    .twin = "as many while the queue is full",
    .against_twin = true, // the work itself stays
    .op_end = small_kernels,
};
