// SPDX-License-Identifier: Apache-2.0
//
// Copies from the host that delay the GPU.
#include "problems.h"

#include "markers.h"

static void batch_on(Rank *rank, uint64_t purpose, Stream *stream, MemoryKind memory, int count,
                     double megabytes)
{
    Thread *thread = &rank->main;
    user_push(rank, thread, "to_device");
    for (int i = 0; i < count; i++) {
        rank_seed(rank, purpose + ((uint64_t)(i + 1) << 16));
        int ranges = call_push(rank, thread, "aten::copy_", "Tensor", "to", 71);
        host_spend(rank, thread, 9 * US);
        int64_t bytes = (int64_t)(megabytes * 1e6 * rank->world->recipe->scale / count);
        copy_launch(rank, thread, stream, COPY_HTOD, memory, bytes);
        ranges_pop(rank, thread, ranges);
    }
    if (stream != &rank->device.compute)
        stream_wait(rank, thread, &rank->device.compute, stream);
    user_pop(rank, thread);
}

// ---- from pageable memory ----------------------------------------------------------------------

static bool pageable_batch(Rank *rank, Planted how)
{
    const uint64_t purpose = PURPOSE_PROBLEM(pageable);
    if (how == PLANTED_TWIN)
        rank_seed(rank, purpose);
    if (how == PLANTED_TWIN) // a small copy, such as a learning rate
        copy_launch(rank, &rank->main, &rank->device.compute, COPY_HTOD, MEMORY_PAGEABLE, 4);
    else
        batch_on(rank, purpose, &rank->device.compute, MEMORY_PAGEABLE, 4, 110);
    return how == PLANTED;
}

static void pageable_load(Rank *rank, Planted how)
{
    if (how == PLANTED_TWIN)
        batch_on(rank, PURPOSE_PROBLEM(pageable), &rank->device.compute, MEMORY_PAGEABLE, 40, 2400);
}

const Problem problem_pageable = {
    .name = "pageable",
    .description = "batches are copied from pageable memory",
    .detector = "pageable_copies",
    .twin = "the model is, before the first step, and 4 bytes a step",
    .start = pageable_load,
    .batch_copy = pageable_batch,
};

// ---- on the stream that computes ---------------------------------------------------------------

static bool upload_batch(Rank *rank, Planted how)
{
    Device *device = &rank->device;
    batch_on(rank, PURPOSE_PROBLEM(upload), how == PLANTED ? &device->compute : &device->copy,
             MEMORY_PINNED, 14, 460);
    return true;
}

const Problem problem_upload = {
    .name = "upload",
    .description = "pinned batches are copied on the compute stream",
    .detector = "exposed_copies",
    .twin = "the same on a stream of its own, under kernels",
    .batch_copy = upload_batch,
};

// ---- weights that do not stay ------------------------------------------------------------------

static void offload_op(Rank *rank, Thread *thread, int op, Planted how)
{
    const Op *now = &rank->world->recipe->ops[op];
    if (how == PLANTED_TWIN || !now->part || now->gradient_bytes <= 0)
        return;
    rank_seed(rank, PURPOSE_PROBLEM(offload) + ((uint64_t)(op + 1) << 16));
    host_spend(rank, thread, 5 * US);
    copy_launch(rank, thread, &rank->device.compute, COPY_HTOD, MEMORY_PINNED, now->gradient_bytes);
}

static bool offload_batch(Rank *rank, Planted how)
{
    if (how == PLANTED_TWIN)
        batch_on(rank, PURPOSE_PROBLEM(offload), &rank->device.copy, MEMORY_PINNED, 1, 460);
    return how == PLANTED_TWIN;
}

const Problem problem_offload = {
    .name = "offload",
    .description = "the layers' weights are copied from the host each time",
    .detector = "streamed_weights",
    .twin = "a batch of the same size each time, in one copy",
    .op = offload_op,
    .batch_copy = offload_batch,
};
