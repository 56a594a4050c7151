// SPDX-License-Identifier: Apache-2.0
//
// A host that is busy with other things than launching.
#include "problems.h"

// Writes a log between two steps, outside of all ranges.
static void log_write(Rank *rank, Planted how)
{
    rank_seed(rank, PURPOSE_PROBLEM(steplog));
    Thread *thread = how == PLANTED_TWIN ? &rank->pin : &rank->main;
    if (thread->now_ns < rank->main.now_ns)
        thread->now_ns = rank->main.now_ns;
    int64_t start_ns = thread->now_ns;
    host_spend(rank, thread, 2 * MS);
    os_call(rank, thread->global_tid, "write", start_ns, thread->now_ns);
    start_ns = thread->now_ns;
    host_spend(rank, thread, 7 * MS);
    os_call(rank, thread->global_tid, "fsync", start_ns, thread->now_ns);
}

const Problem problem_steplog = {
    .name = "steplog",
    .description = "the log is written and flushed between steps",
    .detector = "between_steps",
    .twin = "a thread beside writes it",
    .between = log_write,
};

// Frees device memory and allocates it again, in some of the ops.
static void memory_reallocate(Rank *rank, Thread *thread, int op, Planted how)
{
    if (op % 12 != 5)
        return;
    rank_seed(rank, PURPOSE_PROBLEM(allocator) + ((uint64_t)op << 16) +
                        ((uint64_t)(thread == &rank->main) << 40));
    if (how == PLANTED_TWIN) {
        memory_free_async(rank, thread, 1 * US);
        memory_allocate(rank, thread, API_MALLOC_ASYNC, 2 * US, 20 << 20);
        return;
    }
    memory_free(rank, thread);
    memory_allocate(rank, thread, API_MALLOC, 700 * US, 64 << 20);
}

const Problem problem_allocator = {
    .name = "allocator",
    .description = "memory is freed and allocated again in each step",
    .detector = "allocator",
    .twin = "from a pool, in stream order",
    .no_graph = true,
    .op = memory_reallocate,
};

static void profiler_busy(Rank *rank, Thread *thread, int op, Planted how)
{
    rank_seed(rank, PURPOSE_PROBLEM(overhead) + ((uint64_t)op << 16) +
                        ((uint64_t)(thread == &rank->main) << 40));
    if (how == PLANTED)
        overhead(rank, thread, "CUPTI buffer flush", 45 * US);
}

static void profiler_starts(Rank *rank, Planted how)
{
    rank_seed(rank, PURPOSE_PROBLEM(overhead));
    if (how == PLANTED_TWIN)
        overhead(rank, &rank->main, "CUPTI buffer flush", 90 * MS);
}

const Problem problem_overhead = {
    .name = "overhead",
    .description = "the profiler empties its buffers at each op",
    .detector = "profiler_overhead",
    .twin = "before the first step",
    .no_graph = true,
    .start = profiler_starts,
    .op = profiler_busy,
};
