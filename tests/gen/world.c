// SPDX-License-Identifier: Apache-2.0
//
// Set-up of the simulated processes and devices, and the run of all ranks.
#include "programs.h"

#include "fail.h"
#include "problems.h"

#include <stdlib.h>
#include <string.h>

#define HOST_BITS 0x0001000000000000LL // bits that exports carry above the pid
#define OS_LAG_NS (3000 * MS)          // rows of the loader are added at most this late

static void stream_init(Stream *stream, int id)
{
    memset(stream, 0, sizeof *stream);
    stream->id = id;
}

static void thread_init(Thread *thread, Process *process, int tid)
{
    memset(thread, 0, sizeof *thread);
    thread->process = process;
    thread->global_tid = process->global_pid | tid;
    thread->now_ns = CAPTURE_START_NS;
}

static void rank_init(World *world, int index)
{
    static const int64_t offsets_ns[] = {0, -50 * MS - 600 * US, -24 * MS - 400 * US, -12 * MS};
    Rank *rank = &world->ranks[index];
    int per_process = world->options.gpus_per_process;
    rank->world = world;
    rank->index = index;
    rank->process = &world->processes[index / per_process];
    rank->layer = -1;
    rank->step = -1;
    int ordinal = index % per_process, pid = rank->process->pid;
    rank->device.ordinal = ordinal;
    rank->device.gpu = index;
    rank->device.context = ordinal + 1;
    rank->device.math_factor = 1.0;
    if (world->scenario->clock_offsets)
        rank->device.clock_offset_ns = offsets_ns[index % 4];
    stream_init(&rank->device.compute, 7 + 40 * ordinal);
    stream_init(&rank->device.copy, 13 + 40 * ordinal);
    stream_init(&rank->device.comm, 22 + 40 * ordinal);
    stream_init(&rank->device.send, 26 + 40 * ordinal);
    thread_init(&rank->main, rank->process, pid + ordinal);
    thread_init(&rank->autograd, rank->process, pid + 300 + ordinal);
    thread_init(&rank->pin, rank->process, pid + 340 + ordinal);
    rank->op_seq = world->recipe
                       ? memory_grow(NULL, (size_t)world->recipe->op_count * sizeof *rank->op_seq)
                       : NULL;
}

World *world_make(const Scenario *scenario, const Options *options, Writer *writer)
{
    World *world = memory_grow(NULL, sizeof *world);
    memset(world, 0, sizeof *world);
    world->scenario = scenario;
    world->options = *options;
    world->writer = writer;
    world->recording = true;
    world->process_count = options->processes;
    world->rank_count = options->processes * options->gpus_per_process;
    memset(world->kernel_names, 0xff, sizeof world->kernel_names);
    world->api_names = memory_grow(NULL, API_COUNT * sizeof *world->api_names);
    memset(world->api_names, 0xff, API_COUNT * sizeof *world->api_names);
    if (scenario->program == PROGRAM_TRAINING)
        world->recipe = recipe_make(world);
    if (world->recipe)
        PROBLEMS_CALL(world, recipe, world);
    world->processes = memory_grow(NULL, (size_t)options->processes * sizeof *world->processes);
    for (int i = 0; i < options->processes; i++) {
        int pid = 40907 + 1000 * i;
        world->processes[i] = (Process){.pid = pid, .global_pid = HOST_BITS | (int64_t)pid << 24};
    }
    world->ranks = memory_grow(NULL, (size_t)world->rank_count * sizeof *world->ranks);
    memset(world->ranks, 0, (size_t)world->rank_count * sizeof *world->ranks);
    for (int i = 0; i < world->rank_count; i++) {
        rank_init(world, i);
        PROBLEMS_CALL(world, rank, &world->ranks[i]);
    }
    return world;
}

static void rank_run(void *context, int index)
{
    World *world = context;
    Rank *rank = &world->ranks[index];
    switch (world->scenario->program) {
    case PROGRAM_TRAINING:
        training_run(rank);
        break;
    case PROGRAM_SERVING:
        serving_run(rank);
        break;
    case PROGRAM_DEEP:
        deep_run(rank);
        break;
    case PROGRAM_LOOP:
        loop_run(rank);
        break;
    case PROGRAM_CHAOS:
        chaos_run(rank);
        break;
    case PROGRAM_NOTHING:
        break;
    }
    rank->safe_ns = INT64_MAX;
}

void world_run(World *world)
{
    turns_run(&world->turns, world->rank_count, rank_run, world);
}

void world_free(World *world)
{
    for (int i = 0; i < world->rank_count; i++) {
        Rank *rank = &world->ranks[i];
        Thread *threads[] = {&rank->main, &rank->autograd, &rank->pin};
        for (size_t k = 0; k < sizeof threads / sizeof threads[0]; k++) {
            free(threads[k]->ranges);
            free(threads[k]->text);
        }
        for (int k = 0; k < PIECES_MAX; k++)
            graph_free(rank->pieces[k]);
        free(rank->op_seq);
    }
    recipe_free(world->recipe);
    for (int i = 0; i < world->layer_count; i++)
        free(world->layers[i]);
    free(world->layers);
    free(world->api_names);
    free(world->processes);
    free(world->ranks);
    free(world->posts);
    free(world);
}

int world_layer(World *world, const char *name)
{
    for (int i = world->layer_count - 1; i >= 0; i--)
        if (strcmp(world->layers[i], name) == 0)
            return i;
    size_t size = strlen(name) + 1;
    world->layers =
        memory_grow(world->layers, (size_t)(world->layer_count + 1) * sizeof *world->layers);
    world->layers[world->layer_count] = memcpy(memory_grow(NULL, size), name, size);
    return world->layer_count++;
}

void rank_seed(Rank *rank, uint64_t purpose)
{
    uint64_t when = (uint64_t)(rank->step + 1) << 8 | (uint64_t)rank->index;
    rank->rng = rng_seeded(rank->world->options.seed, purpose, when);
}

void rank_checkpoint(Rank *rank)
{
    World *world = rank->world;
    rank->safe_ns = rank->main.now_ns;
    int64_t safe_ns = INT64_MAX, ranges_ns = INT64_MAX, gpu_ns = INT64_MAX;
    for (int i = 0; i < world->rank_count; i++) {
        const Rank *other = &world->ranks[i];
        int64_t oldest_ns = range_oldest(other);
        if (other->safe_ns < safe_ns)
            safe_ns = other->safe_ns;
        if (oldest_ns < ranges_ns)
            ranges_ns = oldest_ns;
        int64_t offset_ns = other->device.clock_offset_ns;
        int64_t gpu_safe_ns = other->safe_ns + (other->safe_ns == INT64_MAX ? 0 : offset_ns);
        if (gpu_safe_ns < gpu_ns)
            gpu_ns = gpu_safe_ns;
    }
    if (safe_ns == INT64_MAX)
        return;
    if (safe_ns < ranges_ns)
        ranges_ns = safe_ns;
    for (int table = 0; table < TABLE_COUNT; table++) {
        bool gpu = table == TABLE_KERNEL || table == TABLE_MEMCPY || table == TABLE_MEMSET ||
                   table == TABLE_GRAPH_TRACE;
        writer_flush(world->writer, (TableId)table,
                     gpu                   ? gpu_ns
                     : table == TABLE_NVTX ? ranges_ns
                     : table == TABLE_OSRT ? safe_ns - OS_LAG_NS
                                           : safe_ns);
    }
}

void process_start(Rank *rank)
{
    Thread *thread = &rank->main;
    rank_seed(rank, 9);
    host_spend(rank, thread, 400 * US + rank->index * (37 * US));
    for (int i = 0; i < 6; i++) {
        memory_allocate(rank, thread, API_MALLOC, 180 * US, (i < 5 ? 256LL : 64LL) << 20);
        host_spend(rank, thread, 60 * US);
    }
    memory_allocate(rank, thread, API_HOST_ALLOC, 900 * US, 16 << 20);
    memory_static(rank, "rope_table", 1 << 20);
    rank_checkpoint(rank);
}
