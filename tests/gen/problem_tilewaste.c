// SPDX-License-Identifier: Apache-2.0
//
// Products with slightly more tiles than a wave.
#include "markers.h"
#include "problems.h"

#include <string.h>

// Tiles of 128x256 on 132 multiprocessors: 136 tiles need two waves, 264 as well. Both variants
// have the same work.
static void tile_waste(Rank *rank, Planted how)
{
    enum { SMS = 132, ROWS = 128, COLUMNS = 256, N = 2048, K = 4096, WAVES = 2, HOST_US = 8 };
    enum { TILES_HIGH = 17, TIMES = 33, TWIN_HIGH = 33, TWIN_TIMES = 17 };
    const Recipe *recipe = rank->world->recipe;
    int head = recipe->op_count - 1;
    while (head > 0 && strcmp(recipe->ops[head].kind->op, "linear") != 0)
        head--;
    Op op = recipe->ops[head];
    int high = how == PLANTED ? TILES_HIGH : TWIN_HIGH, wide = N / COLUMNS;
    Launch launch = launch_gemm(K_CUTLASS_ALIGN8_TN, (int64_t)WAVES * SMS * ROWS, COLUMNS, K,
                                TENSOR_FLOPS_PER_NS * 0.6);
    memset(op.shapes, 0, sizeof op.shapes);
    op.shapes[0][0] = (int64_t)high * ROWS;
    op.shapes[1][0] = N;
    op.shapes[0][1] = op.shapes[1][1] = K;
    launch.grid_x = wide;
    launch.grid_y = high;
    rank_seed(rank, PURPOSE_PROBLEM(tilewaste));
    for (int i = 0; i < (how == PLANTED ? TIMES : TWIN_TIMES); i++) {
        int count = op_push(rank, &rank->main, &op, head);
        host_spend(rank, &rank->main, HOST_US * US);
        kernel_launch(rank, &rank->main, &rank->device.compute, &launch);
        ranges_pop(rank, &rank->main, count);
    }
}

const Problem problem_tilewaste = {
    .name = "tilewaste",
    .description = "products of 136 tiles on 132 SMs",
    .detector = "tile_waste",
    .twin = "the same work in products of 264 tiles",
    .against_twin = true,
    .forward_begin = tile_waste,
};
