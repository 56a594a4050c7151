// SPDX-License-Identifier: Apache-2.0
//
// Communication that nothing hides.
#include "problems.h"

static void last_bucket(World *world, Planted how)
{
    (void)how;
    Recipe *recipe = world->recipe;
    if (recipe->bucket_count)
        recipe->buckets[recipe->bucket_count - 1].ns = (int64_t)(26.0 * 1e6 * recipe->scale);
}

const Problem problem_allreduce = {
    .name = "allreduce",
    .description = "the last gradient bucket is large and not hidden",
    .detector = "exposed_communication",
    .base = "--processes=4",
    .no_graph = true, // collectives stay outside of it, so that none is hidden
    .recipe = last_bucket,
};
