// SPDX-License-Identifier: Apache-2.0
//
// A pass split into a dozen small graphs with Python between them.
#include "problems.h"

#include "markers.h"

enum { PIECES = 12 };

static void launches_capture(Rank *rank, const Launch *launches, int count)
{
    for (int i = 0; i < count; i++)
        kernel_launch(rank, &rank->main, &rank->device.compute, &launches[i]);
}

// Captures forward and backward as PIECES graphs, in the order of the ops.
static void pieces_capture(Rank *rank, Planted how)
{
    const Recipe *recipe = rank->world->recipe;
    (void)how;
    rank_seed(rank, PURPOSE_PROBLEM(graphbreaks));
    for (int piece = 0; piece < PIECES; piece++) {
        int half = PIECES / 2, part = piece % half;
        int from = recipe->op_count * part / half, to = recipe->op_count * (part + 1) / half;
        Graph *graph = graph_begin(rank, &rank->main);
        for (int i = from; i < to; i++) {
            const Op *op = &recipe->ops[piece < half ? i : recipe->op_count - 1 - i];
            rank->layer = op->layer;
            if (piece < half)
                launches_capture(rank, op->forward, op->forward_count);
            else
                launches_capture(rank, op->backward, op->backward_count);
        }
        rank->layer = -1;
        graph_end(rank, &rank->main);
        graph_instantiate(rank, &rank->main, graph);
        rank->pieces[piece] = graph;
    }
}

static bool pieces_replay(Rank *rank, Planted how)
{
    Thread *thread = &rank->main;
    user_push(rank, thread, "compiled_model");
    for (int piece = 0; piece < PIECES; piece++) {
        rank_seed(rank, PURPOSE_PROBLEM(graphbreaks) + ((uint64_t)(piece + 1) << 16));
        host_spend(rank, thread, how == PLANTED ? 2800 * US : 300 * US);
        graph_launch(rank, thread, &rank->device.compute, rank->pieces[piece]);
        // Like DDP, reduces a bucket of gradients after each piece of the backward pass.
        const Recipe *recipe = rank->world->recipe;
        int bucket = piece - PIECES / 2;
        if (bucket >= 0 && bucket < recipe->bucket_count)
            all_reduce(rank, thread, recipe->buckets[bucket].ns, recipe->buckets[bucket].bytes);
    }
    if (rank->world->rank_count > 1)
        stream_wait(rank, thread, &rank->device.compute, &rank->device.comm);
    user_pop(rank, thread);
    return true;
}

const Problem problem_graphbreaks = {
    .name = "graphbreaks",
    .description = "twelve graphs a step with slow Python between them",
    .detector = "graph_breaks",
    .twin = "with fast Python between them",
    .against_twin = true,
    .no_graph = true,
    .start = pieces_capture,
    .pass = pieces_replay,
};
