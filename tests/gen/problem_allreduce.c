// SPDX-License-Identifier: Apache-2.0
//
// Communication that is not overlapped by computation.
#include "problems.h"

static void last_bucket(World *world, Planted how)
{
    Recipe *recipe = world->recipe;
    if (recipe->bucket_count)
        recipe->buckets[recipe->bucket_count - 1].ns =
            how == PLANTED ? (int64_t)(26.0 * 1e6 * recipe->scale) : recipe->buckets[0].ns / 2;
}

const Problem problem_allreduce = {
    .name = "allreduce",
    .description = "the last gradient bucket is large and not hidden",
    .detector = "exposed_communication",
    .twin = "only the last bucket is not hidden, half as large as the others",
    .base = "--processes=4",
    .no_graph = true, // collectives stay outside of the graph, so none is hidden
    .recipe = last_bucket,
};
