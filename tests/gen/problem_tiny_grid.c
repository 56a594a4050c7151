// SPDX-License-Identifier: Apache-2.0
//
// A long kernel of few blocks, which leaves most of the GPU unused.
#include "problems.h"

static void tiny_grid(Rank *rank, Planted how)
{
    enum { SMS = 132, BLOCKS = 16 };
    const int64_t work_ns = 6 * MS; // of BLOCKS blocks
    Launch launch = {K_CUMSUM, work_ns, BLOCKS, 1, false};
    if (how != PLANTED) { // one block per SM, as in persistent kernels
        launch.grid_x = SMS;
        launch.base_ns = work_ns * BLOCKS / SMS;
    }
    kernel_launch(rank, &rank->main, &rank->device.compute, &launch);
}

const Problem problem_tinygrid = {
    .name = "tinygrid",
    .description = "a kernel of 16 blocks on 132 SMs",
    .detector = "tiny_grid",
    .twin = "the same work in a block per SM",
    .against_twin = true,
    .forward_begin = tiny_grid,
};
