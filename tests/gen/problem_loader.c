// SPDX-License-Identifier: Apache-2.0
//
// Batches that arrive late.
#include "problems.h"

static void loader_batch(Rank *rank, BatchWait *wait, Planted how)
{
    // All ranks read from one storage.
    Rng rng = rng_seeded(rank->world->options.seed, PURPOSE_LOADER, (uint64_t)rank->step);
    double jitter = rng_jitter(&rng, 0.11), cached = rng_unit(&rng);
    double ms = how == PLANTED_TWIN ? rank->world->scenario->loader_hides_ms : 61.0;
    if (cached >= 0.1 || rank->step <= 3)
        wait->wait_ns = (int64_t)(ms * 1e6 * jitter * rank->world->recipe->scale);
}

const Problem problem_loader = {
    .name = "loader",
    .description = "DataLoader.__next__ takes long while the GPU is idle",
    .detector = "loader_wait",
    .twin = "it takes long entirely under GPU work",
    .batch = loader_batch,
};

static void late_batch(Rank *rank, BatchWait *wait, Planted how)
{
    (void)how;
    if (rank->step == 12 || rank->step == 17)
        wait->late_ns =
            (int64_t)((rank->step == 12 ? 95.0 : 186.0) * 1e6 * rank->world->recipe->scale);
}

const Problem problem_latebatch = {
    .name = "latebatch",
    .description = "two steps wait for one slow read",
    .batch = late_batch,
};

static void worker_batch(Rank *rank, BatchWait *wait, Planted how)
{
    if (how == PLANTED && rank->step % 4 == 2)
        wait->late_ns = (int64_t)(80.0 * 1e6 * rank->world->recipe->scale);
}

// Batches of long sequences, whose steps are as long.
static void long_batch(Rank *rank, Planted how)
{
    if (how == PLANTED_TWIN)
        rank->device.math_factor = rank->step % 4 == 3 ? 1.9 : 1.0;
}

const Problem problem_lateworker = {
    .name = "lateworker",
    .description = "one of four loader workers is late",
    .detector = "loader_worker",
    .loose = "loader_wait",
    .twin = "every fourth batch has longer sequences",
    .base = "--steps=16",
    .batch = worker_batch,
    .step_begin = long_batch,
};
