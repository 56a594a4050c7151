// SPDX-License-Identifier: Apache-2.0
//
// An inference server similar to vLLM, without steps: prompts run eagerly with one dict marker
// per module, and decoding replays one graph per batch size. Also the program with deeply nested
// ranges.
#include "programs.h"

#include "recipe.h"

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

void serving_run(Rank *rank)
{
    World *world = rank->world;
    Thread *thread = &rank->main;
    Stream *stream = &rank->device.compute;
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
    rank->step = -1; // there are no steps
    for (int i = 0; i < world->options.steps; i++) {
        rank_seed(rank, PURPOSE_SERVE + ((uint64_t)i << 8));
        host_spend(rank, thread, 420 * US); // the scheduler
        if (i % 16 == 0) {
            int rows = 256 << (rng_next(&rank->rng) % 4);
            copy_launch(rank, thread, stream, COPY_HTOD, MEMORY_PINNED, rows * 8LL);
            model_run(rank, rows, true);
            tokens_sample(rank, 1);
        }
        int size = (int)(rng_next(&rank->rng) % BATCH_SIZES);
        for (int k = 0; k < 5; k++)
            copy_launch(rank, thread, stream, COPY_HTOD, MEMORY_PINNED,
                        batch_sizes[size] * 4LL * (k + 1));
        if (graphs[size])
            graph_launch(rank, thread, stream, graphs[size]);
        else
            model_run(rank, batch_sizes[size], false);
        tokens_sample(rank, batch_sizes[size]);
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
