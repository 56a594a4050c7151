// SPDX-License-Identifier: Apache-2.0
//
// Training loops whose steps have no numbers or are hard to tell from their surroundings:
// gradient accumulation, validation between steps, processes out of phase, decoys. The seed varies
// what users write differently: names, where gradients are zeroed, which parts have a range.
#include "programs.h"

#include "truth.h"

#include <stdio.h>
#include <string.h>

enum { PURPOSE_STYLE = 60, PURPOSE_TURN, PURPOSE_KERNEL, PURPOSE_VALIDATE, PURPOSE_DECOY };

typedef struct {
    const char *forward, *backward, *optimizer, *zero_grad, *loader, *validation, *whole_step;
} LoopNames;

typedef struct {
    const LoopNames *names;
    bool zero_first;   // gradients are zeroed before the step, not after it
    bool loader_range; // fetching a batch has a range
    bool validation_range;
} Style;

static Style style_random(const Rank *rank)
{
    static const LoopNames names[] = {
        {"forward", "backward", "optimizer.step", "zero_grad", "DataLoader.__next__", "validate",
         "iterate"},
        {"Forward", "Backward", "Optimizer.step#AdamW.step", "Optimizer.zero_grad#AdamW.zero_grad",
         "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "evaluation", "train_one"},
        {"fwd", "bwd", "adam_update", "optimizer.zero_grad", "load_batch", "Val", "worker::run"},
        {"model forward pass", "loss.backward", "opt", "clear gradients (zero_grad)", "fetch",
         "eval loop", "body"},
    };
    Rng rng = rng_seeded(rank->world->options.seed, PURPOSE_STYLE, 0);
    Style style = {.names = &names[rng_next(&rng) % 4]};
    style.zero_first = rng_next(&rng) % 2;
    style.loader_range = rng_next(&rng) % 2;
    style.validation_range = rng_next(&rng) % 2;
    return style;
}

// True if parts of a step have ranges; a loop has "step N" ranges, ranges of parts, or none.
static bool has_parts(const Rank *rank)
{
    return !rank->world->scenario->one_range && rank->world->options.markers != MARKERS_NONE;
}

static void part_push(Rank *rank, Thread *thread, const char *name, bool has_range)
{
    if (has_parts(rank) && has_range)
        range_push(rank, thread, "%s", name);
}

static void part_pop(Rank *rank, Thread *thread, bool has_range)
{
    if (has_parts(rank) && has_range)
        range_pop(rank, thread);
}

static void launch_kernels(Rank *rank, Thread *thread, int count, double us)
{
    static const KernelId kernels[] = {K_NORM_FWD, K_GEMM_TNT_128, K_GELU_FWD, K_GEMM_TNN_128,
                                       K_ADD_BF16};
    bool is_slow = rank->world->scenario->runs_ahead;
    for (int i = 0; i < count; i++) {
        Launch launch = {kernels[i % 5], (int64_t)(us * 1000 * (is_slow ? 4 : 1)), 132, 1, false};
        host_spend(rank, thread, 9 * US);
        kernel_launch(rank, thread, &rank->device.compute, &launch);
    }
}

// Opens decoys inside a step: ranges that repeat as regularly as steps do but are no steps.
static void decoys_inside(Rank *rank, int from, int to)
{
    Thread *thread = &rank->main;
    for (int i = from; i < to; i++)
        for (int k = 0; k <= i % 5; k++) {
            range_push(rank, thread, "region %c", 'a' + i);
            launch_kernels(rank, thread, 2, 8);
            range_pop(rank, thread);
        }
}

// Decoys after a step; some occur only after every second or third step.
static void decoys_after(Rank *rank)
{
    static const char *const names[] = {"Warm-up Step %d", "flush %d", "queue poll %d", "chunk%d"};
    Thread *thread = &rank->main;
    int step = rank->step;
    rank->step = -1; // their work belongs to no step
    for (int i = 0; i < 12; i++) {
        if (step % (1 + i % 3))
            continue;
        char text[64], name[96];
        snprintf(text, sizeof text, names[i % 4], step);
        snprintf(name, sizeof name, "%c %s", 'A' + i / 4, text);
        range_push(rank, thread, "%s", name);
        host_spend(rank, thread, 20 * US);
        if (i % 4 == 1)
            launch_kernels(rank, thread, 1, 3);
        range_pop(rank, thread);
    }
    rank->step = step;
}

// Decoys on a thread that has nothing to do with steps.
static void decoys_on_pin_thread(Rank *rank)
{
    Thread *thread = &rank->pin;
    rank_seed(rank, PURPOSE_DECOY);
    for (int i = 0; thread->now_ns < rank->main.now_ns - 300 * US; i = (i + 1) % 12) {
        range_push(rank, thread, "monitor %c", 'a' + i);
        host_spend(rank, thread, 180 * US);
        range_pop(rank, thread);
        host_spend(rank, thread, 10 * US);
    }
}

static void batch_fetch(Rank *rank, const Style *style)
{
    Thread *thread = &rank->main;
    part_push(rank, thread, style->names->loader, style->loader_range);
    host_spend(rank, thread, 150 * US);
    part_pop(rank, thread, style->loader_range);
    for (int i = 0; i < 2; i++) { // outside of all ranges
        host_spend(rank, thread, 8 * US);
        copy_launch(rank, thread, &rank->device.compute, COPY_HTOD, MEMORY_PINNED, 1 << 20);
    }
}

static void forward(Rank *rank, const Style *style, double us)
{
    part_push(rank, &rank->main, style->names->forward, true);
    if (rank->world->scenario->decoys)
        decoys_inside(rank, 0, 16);
    launch_kernels(rank, &rank->main, 20, us);
    part_pop(rank, &rank->main, true);
}

static void backward(Rank *rank, const Style *style, double us)
{
    Thread *main_thread = &rank->main, *thread = &rank->autograd;
    part_push(rank, main_thread, style->names->backward, true);
    thread->now_ns = main_thread->now_ns + 20 * US;
    launch_kernels(rank, thread, 34, us);
    main_thread->now_ns = thread->now_ns + 15 * US;
    part_pop(rank, main_thread, true);
}

static void gradients_zero(Rank *rank, const Style *style)
{
    Thread *thread = &rank->main;
    part_push(rank, thread, style->names->zero_grad, true);
    host_spend(rank, thread, 20 * US);
    memset_launch(rank, thread, &rank->device.compute, 1 << 16);
    part_pop(rank, thread, true);
}

static void validation(Rank *rank, const Style *style)
{
    Thread *thread = &rank->main;
    int step = rank->step;
    rank_seed(rank, PURPOSE_VALIDATE);
    rank->step = -1; // belongs to no step
    part_push(rank, thread, style->names->validation, style->validation_range);
    for (int i = 0; i < 5; i++) {
        batch_fetch(rank, style);
        forward(rank, style, 30);
    }
    part_pop(rank, thread, style->validation_range);
    rank->step = step;
}

static void step_run(Rank *rank, const Style *style)
{
    const Scenario *scenario = rank->world->scenario;
    Thread *thread = &rank->main;
    int64_t start_ns = thread->now_ns;
    double us = 40 + 3.0 * rank->index * scenario->out_of_phase;
    rank_seed(rank, PURPOSE_TURN);
    if (scenario->step_ranges && rank->world->options.markers != MARKERS_NONE)
        range_push(rank, thread, "step %d", rank->step);
    else if (scenario->one_range)
        range_push(rank, thread, "%s", style->names->whole_step);
    if (style->zero_first)
        gradients_zero(rank, style);
    for (int i = 0; i < (scenario->micro_steps ? scenario->micro_steps : 1); i++) {
        batch_fetch(rank, style);
        forward(rank, style, us);
        backward(rank, style, us);
    }
    part_push(rank, thread, style->names->optimizer, true);
    launch_kernels(rank, thread, 9, 25);
    part_pop(rank, thread, true);
    if (!style->zero_first)
        gradients_zero(rank, style);
    if (!scenario->runs_ahead && !scenario->out_of_phase)
        stream_sync(rank, thread, &rank->device.compute);
    if (scenario->one_range ||
        (scenario->step_ranges && rank->world->options.markers != MARKERS_NONE))
        range_pop(rank, thread);
    truth_step(rank->world->truth, rank, start_ns, thread->now_ns);
}

void loop_run(Rank *rank)
{
    const World *world = rank->world;
    const Scenario *scenario = world->scenario;
    Style style = style_random(rank);
    int steps = world->options.steps;
    process_start(rank);
    if (scenario->out_of_phase)
        host_spend(rank, &rank->main, (2 + 5 * rank->index) * MS);
    if (scenario->unequal_counts)
        steps -= rank->index % 4;
    rank->pin.now_ns = rank->main.now_ns;
    for (rank->step = 0; rank->step < steps; rank->step++) {
        step_run(rank, &style);
        if (scenario->decoys) {
            decoys_after(rank);
            decoys_on_pin_thread(rank);
        }
        if (scenario->validate_every && (rank->step + 1) % scenario->validate_every == 0)
            validation(rank, &style);
        rank_checkpoint(rank);
    }
    rank->step = -1;
    device_sync(rank, &rank->main);
}

// Kernels at random times in ranges with meaningless names.
void chaos_run(Rank *rank)
{
    static const char *const names[] = {"alpha", "beta", "gamma", "delta", "request", "job"};
    Thread *thread = &rank->main;
    process_start(rank);
    rank->step = -1;
    for (int i = 0; i < rank->world->options.steps; i++) {
        rank->rng = rng_seeded(rank->world->options.seed, PURPOSE_KERNEL, (uint64_t)i);
        double pause = rng_unit(&rank->rng);
        host_spend(rank, thread, (int64_t)(pause * pause * 4e6) + 5 * US);
        range_push(rank, thread, "%s", names[rng_next(&rank->rng) % 6]);
        for (uint64_t k = rng_next(&rank->rng) % 40; k-- > 0;) {
            Launch launch = {(KernelId)(rng_next(&rank->rng) % K_ALLREDUCE),
                             (int64_t)(1 + rng_unit(&rank->rng) * 300) * US, 64, 1, false};
            host_spend(rank, thread, (int64_t)(rng_unit(&rank->rng) * 60) * US + 4 * US);
            kernel_launch(rank, thread, &rank->device.compute, &launch);
        }
        range_pop(rank, thread);
        rank_checkpoint(rank);
    }
    device_sync(rank, thread);
}
