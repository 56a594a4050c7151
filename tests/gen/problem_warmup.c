// SPDX-License-Identifier: Apache-2.0
//
// Compilation and loading of code.
#include "problems.h"

#include "markers.h"

static void warm_up(Rank *rank, Thread *thread, int op, Planted how)
{
    static const int every[] = {3, 3, 18};
    // Nothing is loaded before the first step, where a graph is captured.
    if (how == PLANTED_TWIN || rank->step < 0 || rank->step > 2 || op % every[rank->step] != 0)
        return;
    api_call(rank, thread, API_MODULE_LOAD, 1700 * US);
    if (rank->step == 0)
        memory_allocate(rank, thread, API_MALLOC, 160 * US, 20 << 20);
}

// Loads modules before the first step.
static void load_early(Rank *rank, Planted how)
{
    rank_seed(rank, PURPOSE_PROBLEM(warmup));
    for (int i = 0; how == PLANTED_TWIN && i < 40; i++)
        api_call(rank, &rank->main, API_MODULE_LOAD, 1700 * US);
}

const Problem problem_warmup = {
    .name = "warmup",
    .description = "the first steps load modules and allocate",
    .detector = "compile_warmup",
    .twin = "modules are loaded before the first step",
    .no_graph = true,
    .start = load_early,
    .op = warm_up,
};

// Recompiles for a new shape.
static void recompile(Rank *rank, Planted how)
{
    bool is_new_shape = how == PLANTED ? rank->step % 3 == 2 : rank->step == 7;
    if (!is_new_shape)
        return;
    rank_seed(rank, PURPOSE_PROBLEM(recompile));
    user_push(rank, &rank->main, "torch.compile");
    for (int i = 0; i < (how == PLANTED ? 8 : 1); i++) {
        api_call(rank, &rank->main, API_MODULE_LOAD, 2100 * US);
        host_spend(rank, &rank->main, 1100 * US); // trace and lower the next module
    }
    user_pop(rank, &rank->main);
}

const Problem problem_recompile = {
    .name = "recompile",
    .description = "each third step has a shape that must be compiled",
    .detector = "recompile",
    .twin = "one shape is new once, while the GPU has work",
    .forward_begin = recompile,
};
