// SPDX-License-Identifier: Apache-2.0
// Fills the tables of the hand-made profile that small_profile.h draws.
#include "small_profile.h"

#include <string.h>

#include "columns.h"
#include "model/markers/markers.h"
#include "model/ops/ops.h"

enum { GEMM, BIAS, RELU, COPY, FUNCTIONS };
enum { LINEAR, RELU_OP, FREE, OPS };

// GPU work by (device, start). `call` is the row of its launch, `instance` the row of its op run.
static const struct {
    int64_t start, end;
    uint32_t function, stream, call, instance;
} works[] = {
    {400, 500, GEMM, 0, 0, 0},   {450, 550, BIAS, 0, 1, 0},   {1400, 1500, GEMM, 0, 5, 3},
    {1500, 1550, BIAS, 0, 6, 3}, {2400, 2500, GEMM, 0, 8, 5}, {2600, 2650, BIAS, 0, 9, 5},
    {500, 600, COPY, 1, 2, 1},   {600, 650, RELU, 1, 3, 1},   {1600, 1650, RELU, 1, 7, 4},
};
enum { WORKS = sizeof works / sizeof *works };

static const struct {
    int64_t start, end;
    const char *name;
    uint32_t instance;
} calls[] = {
    {110, 120, "cudaLaunchKernel_v7000", 0},   {130, 150, "cudaLaunchKernel_v7000", 0},
    {310, 320, "cudaMemcpyAsync_v3020", 1},    {330, 340, "cudaLaunchKernel_v7000", 1},
    {900, 950, "cudaFree_v3020", 2},           {1110, 1120, "cudaLaunchKernel_v7000", 3},
    {1130, 1150, "cudaLaunchKernel_v7000", 3}, {1310, 1320, "cudaLaunchKernel_v7000", 4},
    {2110, 2120, "cudaLaunchKernel_v7000", 5}, {2130, 2150, "cudaLaunchKernel_v7000", 5},
};
enum { CALLS = sizeof calls / sizeof *calls };

static const struct {
    uint32_t op;
    int64_t start, end;
} instances[] = {
    {LINEAR, 100, 300},    {RELU_OP, 300, 400},  {FREE, 900, 950},      {LINEAR, 1100, 1300},
    {RELU_OP, 1300, 1400}, {LINEAR, 2100, 2400}, {RELU_OP, 2400, 2500},
};
enum { INSTANCES = sizeof instances / sizeof *instances };

static string_id intern(struct profile *profile, const char *text)
{
    return strings_intern_text(profile->strings, text);
}

static void fill_machine(struct profile *p)
{
    p->process_count = p->thread_count = 1;
    p->processes = ARENA_NEW(p->arena, struct process);
    p->processes->pid = 100;
    p->threads = ARENA_NEW(p->arena, struct thread);
    p->threads->tid = 101;
    p->threads->end_api = CALLS;
    p->device_count = 3;
    p->devices = ARENA_ARRAY(p->arena, struct device, 3);
    for (uint32_t d = 0; d < 3; d++)
        p->devices[d] = (struct device){.gpu_id = d, .ordinal = d, .name = intern(p, "GPU X")};
    p->devices[0].end_work = p->devices[1].first_work = 6;
    p->devices[1].end_work = p->devices[2].first_work = p->devices[2].end_work = WORKS;
    for (uint32_t d = 0; d < 2; d++)
        p->devices[d].has_work = p->devices[d].has_kernels = true;
    p->stream_count = 2;
    p->streams = ARENA_ARRAY(p->arena, struct stream, 2);
    p->streams[1].device = 1;
}

static void fill_functions(struct profile *p)
{
    static const char *const names[FUNCTIONS] = {"volta_h884gemm", "bias \"add\"", "relu_kernel",
                                                 "[memcpy HtoD]"};
    p->function_count = FUNCTIONS;
    p->functions = ARENA_ARRAY(p->arena, struct function, FUNCTIONS);
    for (uint32_t f = 0; f < FUNCTIONS; f++) {
        string_id name = intern(p, names[f]);
        p->functions[f] = (struct function){.full = name, .brief = name, .family = name};
    }
    p->functions[GEMM].tensor_core = STATE_YES;
    p->functions[GEMM].dlprof_tensor_core = true;
    p->functions[COPY].kind = WORK_MEMCPY;
    p->functions[COPY].class = CLASS_COPY;
}

static void fill_work(struct profile *p)
{
    struct gpu_work *w = &p->work;
    w->count = WORKS;
    w->start = column64_loose(p->arena, WORKS);
    w->end = column64_loose(p->arena, WORKS);
    w->function = column32_loose(p->arena, WORKS);
    w->stream = column32_loose(p->arena, WORKS);
    w->launch = column32_loose(p->arena, WORKS);
    w->correlation = column32_loose(p->arena, WORKS);
    w->shape = column32_loose(p->arena, WORKS);
    w->flags = column32_loose(p->arena, WORKS);
    w->exclusive = column64_loose(p->arena, WORKS);
    w->instance = column32_loose(p->arena, WORKS);
    for (uint32_t i = 0; i < WORKS; i++) {
        SET(w->start, i, works[i].start);
        SET(w->end, i, works[i].end);
        SET(w->function, i, works[i].function);
        SET(w->stream, i, works[i].stream);
        SET(w->launch, i, works[i].call);
        SET(w->shape, i, ROW_NONE);
        SET(w->exclusive, i, works[i].end - works[i].start);
        SET(w->instance, i, works[i].instance);
    }
    SET(w->exclusive, 1, 50); // overlaps the previous one
}

static void fill_calls(struct profile *p)
{
    struct api_calls *a = &p->api;
    a->count = CALLS;
    a->start = column64_loose(p->arena, CALLS);
    a->end = column64_loose(p->arena, CALLS);
    a->name = column32_loose(p->arena, CALLS);
    a->thread = column32_loose(p->arena, CALLS);
    a->correlation = column32_loose(p->arena, CALLS);
    a->range = column32_loose(p->arena, CALLS);
    a->instance = column32_loose(p->arena, CALLS);
    a->kind = ARENA_ARRAY(p->arena, uint8_t, CALLS);
    a->first_work = column32_loose(p->arena, CALLS + 1);
    a->work_rows = column32_loose(p->arena, WORKS);
    uint32_t placed = 0;
    for (uint32_t i = 0; i < CALLS; i++) {
        SET(a->start, i, calls[i].start);
        SET(a->end, i, calls[i].end);
        SET(a->name, i, intern(p, calls[i].name));
        SET(a->range, i, ROW_NONE);
        SET(a->instance, i, calls[i].instance);
        SET(a->first_work, i, placed);
        for (uint32_t w = 0; w < WORKS; w++)
            if (works[w].call == i)
                SET(a->work_rows, placed++, w);
    }
    SET(a->first_work, CALLS, placed);
}

static void fill_ops(struct profile *p)
{
    struct ops *ops = p->ops = ARENA_NEW(p->arena, struct ops);
    ops->count = OPS;
    ops->items = ARENA_ARRAY(p->arena, struct op, OPS);
    ops->items[LINEAR] = (struct op){.id = intern(p, "LINEAR_1"),
                                     .name = intern(p, "/model/linear"),
                                     .type = intern(p, "linear"),
                                     .direction = DIRECTION_FPROP,
                                     .tensor_core_eligible = STATE_YES,
                                     .data_type = intern(p, "float16")};
    ops->items[RELU_OP] = (struct op){.id = intern(p, "RELU_1"),
                                      .name = intern(p, "/model/mlp/relu"),
                                      .type = intern(p, "relu"),
                                      .direction = DIRECTION_FPROP,
                                      .data_type = intern(p, "float16")};
    ops->items[FREE] = (struct op){.id = intern(p, "CUDAFREE_1"),
                                   .name = intern(p, "unassociated_cudaFree"),
                                   .type = intern(p, "cudaFree"),
                                   .is_unassociated = true};
    ops->instance_count = INSTANCES;
    ops->op = column32_loose(p->arena, INSTANCES);
    ops->start = column64_loose(p->arena, INSTANCES);
    ops->end = column64_loose(p->arena, INSTANCES);
    ops->thread = column32_loose(p->arena, INSTANCES);
    ops->marker = column32_loose(p->arena, INSTANCES);
    ops->by_op = column32_loose(p->arena, INSTANCES);
    ops->first_api = column32_loose(p->arena, INSTANCES + 1);
    ops->api_rows = column32_loose(p->arena, CALLS);
    ops->first_work = column32_loose(p->arena, INSTANCES + 1);
    ops->work_rows = column32_loose(p->arena, WORKS);
    uint32_t api = 0, work = 0, by_op = 0;
    for (uint32_t i = 0; i < INSTANCES; i++) {
        SET(ops->op, i, instances[i].op);
        SET(ops->start, i, instances[i].start);
        SET(ops->end, i, instances[i].end);
        SET(ops->marker, i, ROW_NONE);
        SET(ops->first_api, i, api);
        for (uint32_t c = 0; c < CALLS; c++)
            if (calls[c].instance == i)
                SET(ops->api_rows, api++, c);
        SET(ops->first_work, i, work);
        for (uint32_t w = 0; w < WORKS; w++)
            if (works[w].instance == i)
                SET(ops->work_rows, work++, w);
    }
    SET(ops->first_api, INSTANCES, api);
    SET(ops->first_work, INSTANCES, work);
    for (uint32_t o = 0; o < OPS; o++) {
        ops->items[o].first_instance = by_op;
        for (uint32_t i = 0; i < INSTANCES; i++)
            if (instances[i].op == o)
                SET(ops->by_op, by_op++, i);
        ops->items[o].instance_count = by_op - ops->items[o].first_instance;
    }
}

struct profile *empty_profile(struct arena *arena)
{
    struct profile *p = ARENA_NEW(arena, struct profile);
    p->arena = arena;
    p->strings = strings_new(arena);
    p->mode = MODE_PYTORCH;
    p->ops = ARENA_NEW(arena, struct ops);
    p->capture = CAPTURE_UNKNOWN;
    return p;
}

struct profile *small_profile(struct arena *arena)
{
    struct profile *p = empty_profile(arena);
    fill_machine(p);
    fill_functions(p);
    fill_work(p);
    fill_calls(p);
    fill_ops(p);
    p->has_kernels = p->has_api = p->has_ranges = true;
    p->first_ns = 100;
    p->last_ns = 3000;
    return p;
}

static int64_t *times(struct arena *arena, size_t count)
{
    return ARENA_ARRAY(arena, int64_t, count);
}

struct split *small_split(const struct profile *profile, struct arena *arena)
{
    // Window of each iteration on each GPU: from its first work to the first work of the next. GPU
    // 2 has no work.
    static const int64_t gpu[3][3][2] = {
        {{400, 1400}, {1400, 2400}, {2400, 2650}},
        {{500, 1600}, {1600, 1650}, {UNKNOWN, UNKNOWN}},
        {{UNKNOWN, UNKNOWN}, {UNKNOWN, UNKNOWN}, {UNKNOWN, UNKNOWN}},
    };
    struct split *split = ARENA_NEW(arena, struct split);
    *split = (struct split){.method = SPLIT_KEY,
                            .key = "/model/step",
                            .text = "3 iterations",
                            .key_found = true,
                            .count = 3,
                            .number = times(arena, 3),
                            .start = times(arena, 3),
                            .stop = times(arena, 3),
                            .gpu_start = times(arena, 9),
                            .gpu_stop = times(arena, 9),
                            .is_cut = ARENA_ARRAY(arena, bool, 3)};
    split->is_cut[0] = split->is_cut[2] = true; // DLProf's reports ignore cut steps
    split->of_work = ARENA_ARRAY(arena, uint32_t, WORKS);
    split->of_instance = ARENA_ARRAY(arena, uint32_t, INSTANCES);
    for (uint32_t i = 0; i < 3; i++) {
        split->number[i] = i;
        split->start[i] = 1000 * (int64_t)i;
        split->stop[i] = 1000 * (int64_t)i + 1000;
        for (size_t d = 0; d < 3; d++) {
            split->gpu_start[d * 3 + i] = gpu[d][i][0];
            split->gpu_stop[d * 3 + i] = gpu[d][i][1];
        }
    }
    for (uint32_t i = 0; i < INSTANCES; i++)
        split->of_instance[i] = (uint32_t)(AT(profile->ops->start, i) / 1000);
    for (uint32_t w = 0; w < WORKS; w++)
        split->of_work[w] = (uint32_t)(AT(profile->api.start, AT(profile->work.launch, w)) / 1000);
    return split;
}

struct split *empty_split(struct arena *arena)
{
    struct split *split = ARENA_NEW(arena, struct split);
    *split = (struct split){.key = "",
                            .text = "no iterations found",
                            .count = 1,
                            .number = times(arena, 1),
                            .start = times(arena, 1),
                            .stop = times(arena, 1)};
    return split;
}
