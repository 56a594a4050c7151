// SPDX-License-Identifier: Apache-2.0
//
// A data-parallel training loop: fetch a batch, copy it, forward, backward on the autograd thread
// with bucketed all-reduce, loss.item(), optimizer. Host costs are those of Python with range
// annotation.
#include "programs.h"

#include "markers.h"
#include "problems.h"
#include "truth.h"

#include <stdio.h>

#define OP_HOST_US 11
#define WORKERS    4

// Returns the name of a range. With emit_nvtx and without hand-written ranges it is the name that
// PyTorch itself gives the range, otherwise the hand-written one.
static const char *range_name(const Rank *rank, const char *by_hand, const char *by_torch)
{
    bool torch =
        rank->world->options.markers == MARKERS_EMIT && !rank->world->scenario->step_ranges;
    return torch ? by_torch : by_hand;
}

static double scale_of(const Rank *rank)
{
    return rank->world->recipe->scale;
}

// Adds the loader's processes, backwards from the arrival of a batch: they work about four steps
// Adds the file reads of the loader's worker processes, backwards from the arrival of a batch. A
// worker spends about four steps on a batch, most of them in read().
static void workers_write(Rank *rank, int64_t ready_ns, int64_t late_ns)
{
    const World *world = rank->world;
    if (!world->scenario->loader_workers)
        return;
    int worker = (rank->step + 1) % WORKERS;
    int64_t pid = rank->process->pid + 10 + worker;
    int64_t global_tid = (rank->process->global_pid & ~0xffffffffffffLL) | pid << 24 | pid;
    int64_t from_ns = ready_ns - (int64_t)(4 * 390 * 1e6 * scale_of(rank));
    rank_seed(rank, PURPOSE_READ);
    for (int i = 0; i < 16; i++) {
        int64_t slot_ns = (ready_ns - late_ns - from_ns) / 16, at_ns = from_ns + i * slot_ns;
        int64_t read_ns = (int64_t)((double)slot_ns * 0.71 * rng_jitter(&rank->rng, 0.1));
        if (i == 15)
            read_ns += late_ns;
        os_call(rank, global_tid, "read", at_ns, at_ns + read_ns);
    }
}

// Fetches the batch of the next step at the end of the loop's body, as prefetching loops do: a
// late batch then falls into the same step on the host's clock and on the GPU's.
static void batch_next(Rank *rank)
{
    Thread *thread = &rank->main;
    BatchWait wait = {.wait_ns = (int64_t)(3.0 * 1e6 * scale_of(rank))};
    PROBLEMS_CALL(rank->world, batch, rank, &wait);
    rank_seed(rank, PURPOSE_HOST);
    user_push(rank, thread,
              range_name(rank, "DataLoader.__next__",
                         "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"));
    host_spend(rank, thread, 120 * US);
    int64_t poll_ns = thread->now_ns;
    host_spend(rank, thread, 1);
    thread->now_ns += wait.wait_ns + wait.late_ns;
    os_call(rank, thread->global_tid, "poll", poll_ns, thread->now_ns);
    workers_write(rank, thread->now_ns, wait.late_ns);
    host_spend(rank, thread, 150 * US);
    user_pop(rank, thread);
}

static void batch_copy(Rank *rank)
{
    Thread *thread = &rank->main;
    Device *device = &rank->device;
    double mb = rank->world->scenario->batch_mb > 0 ? rank->world->scenario->batch_mb : 440;
    int64_t total = (int64_t)(mb * 1024 * 1024 * scale_of(rank));
    user_push(rank, thread, "to_device");
    for (int i = 0; i < 14; i++) {
        rank_seed(rank, PURPOSE_HOST + 100 + (uint64_t)i);
        int count = call_push(rank, thread, "aten::copy_", "Tensor", "to", 71);
        host_spend(rank, thread, 9 * US);
        copy_launch(rank, thread, &device->copy, COPY_HTOD, MEMORY_PINNED, total / 14 + 64);
        ranges_pop(rank, thread, count);
    }
    stream_wait(rank, thread, &device->compute, &device->copy);
    user_pop(rank, thread);
}

static void op_launches(Rank *rank, Thread *thread, const Launch *launches, int count)
{
    int op_us = rank->world->scenario->op_us ? rank->world->scenario->op_us : OP_HOST_US;
    for (int i = 0; i < count; i++) {
        host_spend(rank, thread, (i ? 2 : op_us) * US);
        int ranges = allocation_push(rank, thread);
        if (rank->world->scenario->more_calls && i % 4 == 0)
            api_call(rank, thread, API_IS_CAPTURING, 350);
        ranges_pop(rank, thread, ranges);
        kernel_launch(rank, thread, &rank->device.compute, &launches[i]);
    }
}

// Allocates what an op keeps from forward to backward.
static void activation_allocate(Rank *rank, Thread *thread)
{
    const Scenario *scenario = rank->world->scenario;
    if (scenario->memory_events && !rank->capture)
        memory_allocate(rank, thread, API_MALLOC_ASYNC, 1 * US,
                        2LL * scenario->tokens * scenario->hidden);
}

// Frees it in the backward pass.
static void activation_free(Rank *rank, Thread *thread)
{
    if (rank->world->scenario->memory_events && !rank->capture)
        memory_free_async(rank, thread, 1 * US);
}

static bool has_enough_kernels(const Rank *rank)
{
    int64_t wanted = rank->world->options.kernels;
    return wanted && rank->kernels >= wanted / rank->world->rank_count;
}

void training_forward(Rank *rank)
{
    const Recipe *recipe = rank->world->recipe;
    Thread *thread = &rank->main;
    user_push(rank, thread, "forward");
    const Op *previous = NULL;
    for (int i = 0; i < recipe->op_count; i++) {
        const Op *op = &recipe->ops[i];
        layer_move(rank, thread, previous, op);
        rank_seed(rank, PURPOSE_OP + ((uint64_t)i << 8));
        rank->layer = op->layer;
        int count = op_push(rank, thread, op, i);
        activation_allocate(rank, thread);
        PROBLEMS_CALL(rank->world, op, rank, thread, i);
        op_launches(rank, thread, op->forward, op->forward_count);
        PROBLEMS_CALL(rank->world, op_end, rank, thread, i);
        ranges_pop(rank, thread, count);
        previous = op;
    }
    layer_move(rank, thread, previous, NULL);
    rank->layer = -1;
    user_pop(rank, thread);
}

static void gradients_accumulate(Rank *rank, Thread *thread, const Op *op)
{
    const Recipe *recipe = rank->world->recipe;
    for (int i = 0; i < op->parameters; i++) {
        int count = accumulate_push(rank, thread);
        op_launches(rank, thread, recipe->accumulate, rank->world->rank_count > 1 ? 2 : 1);
        ranges_pop(rank, thread, count);
    }
}

// Runs on the autograd thread while the main thread waits for it.
void training_backward(Rank *rank)
{
    const Recipe *recipe = rank->world->recipe;
    Thread *thread = &rank->autograd;
    int marker = 0;
    user_push(rank, &rank->main, "backward");
    if (rank->world->options.markers == MARKERS_DLPROF && !rank->world->scenario->bare_backward)
        marker = call_push(rank, &rank->main, NULL, "Tensor", "backward", 205);
    int64_t wait_ns = rank->main.now_ns + 12 * US;
    thread->now_ns = wait_ns + 18 * US;
    for (int i = recipe->op_count - 1; i >= 0; i--) {
        const Op *op = &recipe->ops[i];
        rank_seed(rank, PURPOSE_OP + 1 + ((uint64_t)i << 8));
        rank->layer = op->layer;
        int count = op_push_backward(rank, thread, op, i);
        PROBLEMS_CALL(rank->world, op, rank, thread, i);
        op_launches(rank, thread, op->backward, op->backward_count);
        PROBLEMS_CALL(rank->world, op_end, rank, thread, i);
        activation_free(rank, thread);
        ranges_pop(rank, thread, count);
        gradients_accumulate(rank, thread, op);
        if (op->bucket >= 0 && !rank->capture)
            all_reduce(rank, thread, recipe->buckets[op->bucket].ns,
                       recipe->buckets[op->bucket].bytes);
    }
    rank->layer = -1;
    if (recipe->bucket_count && !rank->capture)
        stream_wait(rank, thread, &rank->device.compute, &rank->device.comm);
    if (rank->world->scenario->loader_workers)
        os_call(rank, rank->main.global_tid, "pthread_cond_wait", wait_ns,
                thread->now_ns + 15 * US);
    rank->main.now_ns = thread->now_ns + 25 * US;
    ranges_pop(rank, &rank->main, marker);
    user_pop(rank, &rank->main);
}

static void metrics_log(Rank *rank)
{
    Thread *thread = &rank->main;
    PROBLEMS_CALL(rank->world, backward_end, rank);
    rank_seed(rank, PURPOSE_HOST + 1);
    user_push(rank, thread, "log_metrics");
    host_spend(rank, thread, (int64_t)(rank->world->scenario->log_ms * 1e6 * scale_of(rank)));
    user_pop(rank, thread);
}

// Clipping that raises on infinite gradients needs their norm on the host. The queue is drained
// here anyway, or would be without loss.item(): the following steps do not run ahead of the GPU
// either way.
static void gradients_clip(Rank *rank)
{
    Thread *thread = &rank->main;
    if (!rank->world->scenario->clip_syncs)
        return;
    rank_seed(rank, PURPOSE_HOST + 2);
    user_push(rank, thread, "clip_grad_norm");
    for (int i = 0; i < 2; i++) {
        int count = call_push(rank, thread, "aten::linalg_vector_norm", "torch", "norm", 308);
        Launch launch = launch_elementwise(rank->world->recipe, K_REDUCE_NORM, i ? 5 : 420);
        host_spend(rank, thread, 15 * US);
        kernel_launch(rank, thread, &rank->device.compute, &launch);
        ranges_pop(rank, thread, count);
    }
    copy_launch(rank, thread, &rank->device.compute, COPY_DTOH, MEMORY_PINNED, 4);
    stream_sync(rank, thread, &rank->device.compute);
    user_pop(rank, thread);
}

static void optimizer_fused(Rank *rank)
{
    Thread *thread = &rank->main;
    for (int i = 0; i < 6; i++) {
        rank_seed(rank, PURPOSE_OPTIMIZER + ((uint64_t)i << 8));
        int count = call_push(rank, thread, "aten::_fused_adamw_", "torch", "_fused_adamw_", 318);
        host_spend(rank, thread, 57 * US);
        Launch launch = launch_elementwise(rank->world->recipe, K_ADAM_FUSED, 1400);
        kernel_launch(rank, thread, &rank->device.compute, &launch);
        ranges_pop(rank, thread, count);
    }
}

static void optimizer_step(Rank *rank)
{
    const Recipe *recipe = rank->world->recipe;
    Thread *thread = &rank->main;
    Stream *stream = &rank->device.compute;
    bool is_done = false;
    user_push(rank, thread, range_name(rank, "optimizer.step", "Optimizer.step#AdamW.step"));
    PROBLEMS_REPLACE(is_done, rank->world, optimizer, rank);
    if (!is_done)
        optimizer_fused(rank);
    user_pop(rank, thread);
    user_push(rank, thread, "zero_grad");
    host_spend(rank, thread, (int64_t)(4.4 * 1e6 * scale_of(rank)));
    user_pop(rank, thread);
    user_push(rank, thread, "ema.update");
    for (int i = 0; i < (rank->world->scenario->mlp_only ? 2 : 14); i++) {
        rank_seed(rank, PURPOSE_OPTIMIZER + 1 + ((uint64_t)i << 8));
        int count = call_push(rank, thread, "aten::_foreach_lerp_", "torch", "_foreach_lerp_", 322);
        host_spend(rank, thread, 22 * US);
        Launch launch = launch_elementwise(recipe, K_LERP_FOREACH, 1010);
        kernel_launch(rank, thread, stream, &launch);
        ranges_pop(rank, thread, count);
    }
    for (int i = 0; i < 4; i++)
        memset_launch(rank, thread, stream, (int64_t)(16e6 * scale_of(rank)));
    user_pop(rank, thread);
}

// Captures forward and backward as one graph.
static Graph *step_capture(Rank *rank)
{
    Thread *thread = &rank->main;
    Stream *stream = &rank->device.compute;
    user_push(rank, thread, "cuda_graph.capture");
    Graph *graph = graph_begin(rank, thread), *outermost = graph;
    memset_launch(rank, thread, stream, 4096);
    copy_launch(rank, thread, stream, COPY_DTOD, MEMORY_DEVICE, (int64_t)(64e6 * scale_of(rank)));
    training_forward(rank);
    training_backward(rank);
    graph_end(rank, thread);
    if (rank->world->scenario->graph_children) {
        // The captured graph is a child of a child of the launched graph, so that three ids lead
        // from a node of the replay to the captured node.
        Graph *middle = graph_begin(rank, thread);
        graph_end(rank, thread);
        graph_add_child(rank, thread, middle, graph);
        outermost = graph_begin(rank, thread);
        memset_launch(rank, thread, stream, 256);
        graph_end(rank, thread);
        graph_add_child(rank, thread, outermost, middle);
        graph_free(middle);
        graph_free(graph);
    }
    graph_instantiate(rank, thread, outermost);
    user_pop(rank, thread);
    return outermost;
}

// Collectives stay outside of the graph, so none is hidden.
static void gradients_reduce(Rank *rank, Thread *thread)
{
    const Recipe *recipe = rank->world->recipe;
    for (int i = 0; i < recipe->bucket_count; i++)
        all_reduce(rank, thread, recipe->buckets[i].ns, recipe->buckets[i].bytes);
    if (recipe->bucket_count)
        stream_wait(rank, thread, &rank->device.compute, &rank->device.comm);
}

static void step_push(Rank *rank, Thread *thread)
{
    const Scenario *scenario = rank->world->scenario;
    char text[32];
    if (!scenario->step_ranges || rank->world->options.markers == MARKERS_NONE)
        return;
    snprintf(text, sizeof text, "step %d", rank->step);
    if (scenario->start_end_steps)
        range_start(rank, thread, text);
    else
        range_push(rank, thread, "%s", text);
}

static void step_run(Rank *rank, Graph *graph)
{
    const Scenario *scenario = rank->world->scenario;
    Thread *thread = &rank->main;
    int64_t start_ns = thread->now_ns;
    rank->step_start_ns = start_ns;
    step_push(rank, thread);
    PROBLEMS_CALL(rank->world, step_begin, rank);
    bool is_copied = false;
    PROBLEMS_REPLACE(is_copied, rank->world, batch_copy, rank);
    if (!is_copied)
        batch_copy(rank);
    PROBLEMS_CALL(rank->world, forward_begin, rank);
    bool is_passed = false;
    PROBLEMS_REPLACE(is_passed, rank->world, pass, rank);
    if (!is_passed && graph) {
        user_push(rank, thread, "graph.replay");
        graph_launch(rank, thread, &rank->device.compute, graph);
        user_pop(rank, thread);
        gradients_reduce(rank, thread);
    } else if (!is_passed) {
        training_forward(rank);
        if (!scenario->forward_only)
            training_backward(rank);
    }
    metrics_log(rank);
    if (!scenario->forward_only) {
        gradients_clip(rank);
        optimizer_step(rank);
    }
    PROBLEMS_CALL(rank->world, optimizer_end, rank);
    batch_next(rank);
    PROBLEMS_CALL(rank->world, step_end, rank);
    if (scenario->step_ranges && rank->world->options.markers != MARKERS_NONE)
        range_pop(rank, thread);
    rank->last_step_ns = thread->now_ns - start_ns;
    truth_step(rank->world->truth, rank, start_ns, thread->now_ns);
    rank_checkpoint(rank);
}

void training_run(Rank *rank)
{
    World *world = rank->world;
    Graph *graph = NULL;
    int steps = world->options.steps;
    process_start(rank);
    bool outside = world->scenario->graph_before;
    if (world->options.graphs != GRAPHS_OFF) {
        world->recording = !outside;
        graph = step_capture(rank);
        world->recording = true;
    }
    rank->step = -1;
    PROBLEMS_CALL(world, start, rank);
    batch_next(rank);
    for (rank->step = 0; world->options.kernels ? !has_enough_kernels(rank) : rank->step < steps;
         rank->step++) {
        if (rank->step == steps / 2 && world->scenario->launches_missing && !world->stopped) {
            world->stopped = true;
            writer_cut_host_before(world->writer, rank->main.now_ns);
        }
        if (rank->step == steps - 1 && world->scenario->cut_last && !world->stopped) {
            world->stopped = true;
            writer_stop_at(world->writer, rank->main.now_ns + rank->last_step_ns * 6 / 10);
        }
        step_run(rank, graph);
        PROBLEMS_CALL(world, between, rank);
    }
    rank->step = -1;
    device_sync(rank, &rank->main);
    graph_free(graph);
}
