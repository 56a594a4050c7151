// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are shorter than their launches.
#include "problems.h"

#include "markers.h"

static void small_kernels(Rank *rank, Planted how)
{
    enum { KERNELS = 500 };
    Thread *thread = &rank->main;
    user_push(rank, thread, "augment");
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
    .forward_begin = small_kernels,
};
