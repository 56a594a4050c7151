// SPDX-License-Identifier: Apache-2.0
//
// A host that waits for the GPU, which makes the GPU wait for the host afterwards.
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
    rank_seed(rank, PURPOSE_PROBLEM(item));
    if (how == PLANTED) {
        item_read(rank, &rank->main, &rank->device.compute);
        return;
    }
    // Twin: a second thread reads the value on a stream of its own while the main thread
    // continues.
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

static void layer_sync(Rank *rank, Thread *thread, int op, Planted how)
{
    const Recipe *recipe = rank->world->recipe;
    bool is_forward = thread == &rank->main;
    bool is_last = op + 1 == recipe->op_count || recipe->ops[op].block != recipe->ops[op + 1].block;
    if (!is_forward || !is_last || (how == PLANTED_TWIN && (rank->step != 6 || op < 40)))
        return;
    rank_seed(rank, PURPOSE_PROBLEM(layersync) + ((uint64_t)op << 16));
    device_sync(rank, thread);
    host_spend(rank, thread, 8 * US); // records the time taken
}

const Problem problem_layersync = {
    .name = "layersync",
    .description = "cudaDeviceSynchronize after each layer, to time it",
    .detector = "sync_drain",
    .twin = "in one step of many",
    .no_graph = true,
    .op_end = layer_sync,
};
