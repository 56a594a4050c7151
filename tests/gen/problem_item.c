// SPDX-License-Identifier: Apache-2.0
//
// loss.item() in each step: the host waits for the GPU, and the GPU then for the host.
#include "problems.h"

#include "markers.h"

static void item_read(Rank *rank, Thread *thread, Stream *stream)
{
    user_push(rank, thread, "loss.item");
    int count = call_push(rank, thread, "aten::item", "Tensor", "item", 212);
    host_spend(rank, thread, 8 * US);
    copy_launch(rank, thread, stream, COPY_DTOH, MEMORY_PINNED, 4);
    stream_sync(rank, thread, stream);
    ranges_pop(rank, thread, count);
    user_pop(rank, thread);
}

static void item_after_backward(Rank *rank, Planted how)
{
    if (how == PLANTED) {
        item_read(rank, &rank->main, &rank->device.compute);
        return;
    }
    // A thread beside reads it, on a stream of its own, while the main thread goes on.
    rank_seed(rank, PURPOSE_PROBLEM(item));
    if (rank->pin.now_ns < rank->main.now_ns)
        rank->pin.now_ns = rank->main.now_ns;
    stream_wait(rank, &rank->main, &rank->device.copy, &rank->device.compute);
    item_read(rank, &rank->pin, &rank->device.copy);
}

const Problem problem_item = {
    .name = "item",
    .description = "loss.item() drains the queue once a step",
    .detector = "sync_drain",
    .twin = "a thread beside waits for the loss",
    .backward_end = item_after_backward,
};
