// SPDX-License-Identifier: Apache-2.0
//
// Layers split into pipeline stages over the ranks, with micro-batches passed forward and
// backward.
#include "problems.h"

#include "markers.h"
#include "programs.h"

#include <stdio.h>

enum { MICRO_BATCHES = 8, GROUP = 2, TRANSFER_NS = 120 * US };

static void pipeline_configure(Scenario *scenario, Options *options, Planted how)
{
    (void)options;
    (void)how;
    scenario->layers = 1;
    scenario->op_us = 20;
}

static void pipeline_recipe(World *world, Planted how)
{
    (void)how;
    world->recipe->bucket_count = 0; // there is no other replica
    for (int i = 0; i < world->recipe->op_count; i++)
        world->recipe->ops[i].bucket = -1;
}

static void stage_forward(Rank *rank, int micro_batch)
{
    char text[40];
    snprintf(text, sizeof text, "microbatch %d", micro_batch);
    user_push(rank, &rank->main, text);
    if (rank->index > 0)
        rank_receive(rank, &rank->main, rank->index - 1, TRANSFER_NS);
    training_forward(rank);
    if (rank->index + 1 < rank->world->rank_count)
        rank_send(rank, &rank->main, rank->index + 1, TRANSFER_NS);
    user_pop(rank, &rank->main);
}

static void stage_backward(Rank *rank, int micro_batch)
{
    char text[40];
    snprintf(text, sizeof text, "microbatch %d", micro_batch);
    user_push(rank, &rank->main, text);
    if (rank->index + 1 < rank->world->rank_count)
        rank_receive(rank, &rank->main, rank->index + 1, TRANSFER_NS);
    training_backward(rank);
    if (rank->index > 0)
        rank_send(rank, &rank->main, rank->index - 1, TRANSFER_NS);
    user_pop(rank, &rank->main);
}

static bool pipeline_pass(Rank *rank, Planted how)
{
    if (how == PLANTED) { // the pipeline drains after every other micro-batch
        for (int first = 0; first < MICRO_BATCHES; first += GROUP) {
            for (int i = 0; i < GROUP; i++)
                stage_forward(rank, first + i);
            for (int i = 0; i < GROUP; i++)
                stage_backward(rank, first + i);
        }
        return true;
    }
    int ahead = rank->world->rank_count - 1 - rank->index, back = 0;
    for (int i = 0; i < MICRO_BATCHES; i++) {
        stage_forward(rank, i);
        if (i >= ahead)
            stage_backward(rank, back++);
    }
    while (back < MICRO_BATCHES)
        stage_backward(rank, back++);
    return true;
}

const Problem problem_pipeline = {
    .name = "pipeline",
    .description = "a pipeline is emptied after every other micro-batch",
    .detector = "pipeline_bubble",
    .twin = "one forward, one backward: the bubble that must be",
    .base = "--processes=4",
    .against_twin = true,
    .no_graph = true,
    .configure = pipeline_configure,
    .recipe = pipeline_recipe,
    .pass = pipeline_pass,
};
