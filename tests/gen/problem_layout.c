// SPDX-License-Identifier: Apache-2.0
//
// Tensors that are converted to another layout before an op, and back after it.
#include "problems.h"

static void convert(Rank *rank, Thread *thread, KernelId kernel)
{
    Launch launch = launch_elementwise(rank->world->recipe, kernel, 60);
    kernel_launch(rank, thread, &rank->device.compute, &launch);
}

static bool has_layout(const Rank *rank, int op)
{
    KernelId kernel = rank->world->recipe->ops[op].forward[0].kernel;
    return kernel == K_FLASH_FWD;
}

static void layout_op(Rank *rank, Thread *thread, int op, Planted how)
{
    if (how == PLANTED && has_layout(rank, op))
        for (int i = 0; i < 3; i++)
            convert(rank, thread, K_NCHW_TO_NHWC);
}

static void layout_op_end(Rank *rank, Thread *thread, int op, Planted how)
{
    if (how == PLANTED && has_layout(rank, op))
        convert(rank, thread, K_NHWC_TO_NCHW);
}

static void layout_forward(Rank *rank, Planted how)
{
    if (how == PLANTED_TWIN)
        convert(rank, &rank->main, K_NCHW_TO_NHWC);
}

const Problem problem_layout = {
    .name = "layout",
    .description = "layout conversions around ops",
    .detector = "layout_conversion",
    .twin = "one conversion of the input",
    .op = layout_op,
    .op_end = layout_op_end,
    .forward_begin = layout_forward,
};
