// SPDX-License-Identifier: Apache-2.0
//
// The first steps compile, load modules and grow the allocator's pools.
#include "problems.h"

static void warm_up(Rank *rank, Thread *thread, int op, Planted how)
{
    static const int every[] = {3, 3, 18};
    (void)how;
    if (rank->step > 2 || op % every[rank->step] != 0)
        return;
    api_call(rank, thread, API_MODULE_LOAD, 1700 * US);
    if (rank->step == 0)
        api_call(rank, thread, API_MALLOC, 160 * US);
}

const Problem problem_warmup = {
    .name = "warmup",
    .description = "the first steps load modules and allocate",
    .op = warm_up,
};
