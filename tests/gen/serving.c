// SPDX-License-Identifier: Apache-2.0
//
// An inference server similar to vLLM, with or without steps: prompts run eagerly with one dict
// marker per module, and decoding replays one graph per batch size. Also the program with deeply
// nested ranges.
#include "programs.h"

#include "recipe.h"
#include "truth.h"

#include <stdio.h>

enum { PURPOSE_SERVE = 40, PURPOSE_PREFILL, PURPOSE_DECODE };

#define BATCH_SIZES 3
static const int batch_sizes[BATCH_SIZES] = {1, 8, 32};

static void module_push(Rank *rank, Thread *thread, const char *module, int rows, int columns,
                        int outputs)
{
    if (rank->world->options.markers == MARKERS_NONE)
        return;
    range_push(rank, thread,
               "{'Module': '%s', 'TrainableParams': {'weight': [%d, %d]}, 'Inputs': [[%d, %d]], "
               "'StaticParams': {'in_features': %d}}",
               module, outputs, columns, rows, columns, columns);
}

static void module_pop(Rank *rank, Thread *thread)
{
    if (rank->world->options.markers != MARKERS_NONE)
        range_pop(rank, thread);
}

static void serve_launch(Rank *rank, Thread *thread, KernelId kernel, double us, int grid)
{
    Launch launch = {kernel, (int64_t)(us * 1000), grid, 1, false};
    host_spend(rank, thread, 6 * US);
    kernel_launch(rank, thread, &rank->device.compute, &launch);
}

static void layer_run(Rank *rank, Thread *thread, int number, int rows, bool prompt)
{
    int hidden = rank->world->scenario->hidden;
    double tokens = (prompt ? 0 : 1) + rows / 64.0;
    char name[64];
    KernelId gemm = prompt ? K_GEMM_TNT_128 : rows == 1 ? K_GEMV : K_GEMM_TNN_128;
    snprintf(name, sizeof name, "model.layers.%d.self_attn", number);
    rank->layer = world_layer(rank->world, name);
    module_push(rank, thread, name, rows, hidden, 3 * hidden);
    serve_launch(rank, thread, K_RMS_NORM, 2.1 + 0.2 * tokens, rows);
    serve_launch(rank, thread, gemm, 15 + 3 * tokens, 132);
    serve_launch(rank, thread, K_ROTARY, 1.9 + 0.2 * tokens, rows);
    serve_launch(rank, thread, K_RESHAPE_CACHE, 1.8 + 0.2 * tokens, rows);
    serve_launch(rank, thread, K_PAGED_ATTENTION, 9 + 4 * tokens, 132);
    serve_launch(rank, thread, gemm, 7 + 1.5 * tokens, 132);
    module_pop(rank, thread);
    snprintf(name, sizeof name, "model.layers.%d.mlp", number);
    rank->layer = world_layer(rank->world, name);
    module_push(rank, thread, name, rows, hidden, 8 * hidden);
    serve_launch(rank, thread, K_RMS_NORM, 2.1 + 0.2 * tokens, rows);
    serve_launch(rank, thread, gemm, 34 + 7 * tokens, 132);
    serve_launch(rank, thread, K_SILU_MUL, 2.2 + 0.3 * tokens, rows);
    serve_launch(rank, thread, gemm, 18 + 3.5 * tokens, 132);
    module_pop(rank, thread);
    rank->layer = -1;
}

static void model_run(Rank *rank, int rows, bool prompt)
{
    Thread *thread = &rank->main;
    int layers = rank->world->scenario->layers, hidden = rank->world->scenario->hidden;
    for (int i = 0; i < layers; i++)
        layer_run(rank, thread, i, rows, prompt);
    rank->layer = world_layer(rank->world, "lm_head");
    module_push(rank, thread, "lm_head", rows, hidden, rank->world->scenario->vocab);
    serve_launch(rank, thread, prompt || rows > 1 ? K_GEMM_BF16_HEAD : K_GEMV, 160, 132);
    module_pop(rank, thread);
    rank->layer = -1;
}

static void tokens_sample(Rank *rank, int rows)
{
    Thread *thread = &rank->main;
    serve_launch(rank, thread, K_ARGMAX, 9, rows);
    copy_launch(rank, thread, &rank->device.compute, COPY_DTOH, MEMORY_PINNED, rows * 8LL);
    stream_sync(rank, thread, &rank->device.compute);
}

// One pass of the server: in a range with the number of requests and tokens, as vLLM's, if the
// scenario has steps.
static void pass_run(Rank *rank, Graph *graph, int rows, bool prompt)
{
    bool is_step = rank->world->scenario->step_ranges;
    Thread *thread = &rank->main;
    Stream *stream = &rank->device.compute;
    int64_t start_ns = thread->now_ns;
    if (is_step)
        range_push(rank, thread,
                   prompt ? "execute_context_1(%d)_generation_0(0)"
                          : "execute_context_0(0)_generation_%d(%d)",
                   rows, rows);
    for (int k = 0; k < (prompt ? 1 : 5); k++)
        copy_launch(rank, thread, stream, COPY_HTOD, MEMORY_PINNED,
                    prompt ? rows * 8LL : rows * 4LL * (k + 1));
    if (graph)
        graph_launch(rank, thread, stream, graph);
    else
        model_run(rank, rows, prompt);
    tokens_sample(rank, prompt ? 1 : rows);
    if (!is_step)
        return;
    range_pop(rank, thread);
    truth_step(rank->world->truth, rank, start_ns, thread->now_ns);
    rank->step++;
}

static bool has_enough(const Rank *rank, int turn)
{
    const Options *options = &rank->world->options;
    return options->kernels ? rank->kernels >= options->kernels : turn >= options->steps;
}

void serving_run(Rank *rank)
{
    World *world = rank->world;
    Thread *thread = &rank->main;
    Graph *graphs[BATCH_SIZES] = {NULL};
    process_start(rank);
    if (world->options.graphs != GRAPHS_OFF) {
        world->recording = !world->scenario->graph_before;
        for (int i = 0; i < BATCH_SIZES; i++) {
            graphs[i] = graph_begin(rank, thread);
            model_run(rank, batch_sizes[i], false);
            graph_end(rank, thread);
            graph_instantiate(rank, thread, graphs[i]);
        }
        world->recording = true;
    }
    rank->step = world->scenario->step_ranges ? 0 : -1; // -1: there are no steps
    for (int i = 0; !has_enough(rank, i); i++) {
        rank_seed(rank, PURPOSE_SERVE + ((uint64_t)i << 8));
        host_spend(rank, thread, 420 * US); // the scheduler
        if (i % 16 == 0)
            pass_run(rank, NULL, 256 << (rng_next(&rank->rng) % 4), true);
        int size = (int)(rng_next(&rank->rng) % BATCH_SIZES);
        pass_run(rank, graphs[size], batch_sizes[size], false);
        rank_checkpoint(rank);
    }
    for (int i = 0; i < BATCH_SIZES; i++)
        graph_free(graphs[i]);
}

// Recursion in user code nests ranges without bound; a reader must not recurse with it.
void deep_run(Rank *rank)
{
    enum { DEPTH = 1500 };
    Thread *thread = &rank->main;
    process_start(rank);
    for (int round = 0; round < rank->world->options.steps; round++) {
        rank->step = -1;
        rank_seed(rank, PURPOSE_SERVE + ((uint64_t)round << 8));
        for (int depth = 0; depth < DEPTH; depth++) {
            range_push(rank, thread, "visit %d", depth);
            if (depth % 10 == 0)
                serve_launch(rank, thread, K_ADD, 4, 64);
        }
        for (int depth = 0; depth < DEPTH; depth++)
            range_pop(rank, thread);
        rank_checkpoint(rank);
    }
    device_sync(rank, thread);
}
