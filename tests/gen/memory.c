// SPDX-License-Identifier: Apache-2.0
//
// Memory that programs allocate through the driver.
#include "fail.h"
#include "sim.h"

enum { EVENT_ALLOCATE, EVENT_FREE };
enum { KIND_PINNED = 1, KIND_DEVICE = 2, KIND_STATIC = 5 };
#define FIRST_ADDRESS 0x7f0000000000LL
#define POOL_ADDRESS  0x55d000001000LL

static void event_row(Rank *rank, int64_t time_ns, int operation, const Held *held,
                      int64_t correlation, const char *name)
{
    if (!rank->world->recording)
        return;
    int64_t *row = writer_add(rank->world->writer, TABLE_MEMORY, time_ns, time_ns, name);
    row[ROW_ID] = rank->process->global_pid;
    row[ROW_DEVICE] = rank->device.ordinal;
    row[ROW_CONTEXT] = rank->device.context;
    row[ROW_ADDRESS] = held->address;
    row[ROW_BYTES] = held->bytes;
    row[ROW_KIND] = held->kind;
    row[ROW_OPERATION] = operation;
    row[ROW_CORRELATION] = correlation;
    if (held->is_pooled) {
        row[ROW_STREAM] = rank->device.compute.id;
        row[ROW_POOL] = POOL_ADDRESS;
    }
}

static Held held_new(Rank *rank, int64_t bytes, int kind, bool is_pooled)
{
    Held held = {FIRST_ADDRESS + ((int64_t)rank->index << 40) + rank->allocated, bytes, kind,
                 is_pooled};
    rank->allocated += bytes;
    return held;
}

void memory_allocate(Rank *rank, Thread *thread, ApiId api, int64_t ns, int64_t bytes)
{
    int64_t correlation = api_call(rank, thread, api, ns);
    if (!rank->world->scenario->memory_events)
        return;
    if (rank->held_count == HELD_MAX)
        fail("more than %d allocations are held", HELD_MAX);
    Held held = held_new(rank, bytes, api == API_HOST_ALLOC ? KIND_PINNED : KIND_DEVICE,
                         api == API_MALLOC_ASYNC);
    rank->held[rank->held_count++] = held;
    event_row(rank, thread->now_ns - 200, EVENT_ALLOCATE, &held, correlation, NULL);
}

static void free_latest(Rank *rank, const Thread *thread, bool is_pooled, int64_t correlation)
{
    int at = rank->held_count - 1;
    while (at >= 0 && (rank->held[at].is_pooled != is_pooled || rank->held[at].kind != KIND_DEVICE))
        at--;
    if (at < 0 || !rank->world->scenario->memory_events)
        return;
    event_row(rank, thread->now_ns - 200, EVENT_FREE, &rank->held[at], correlation, NULL);
    rank->held_count--;
    for (; at < rank->held_count; at++)
        rank->held[at] = rank->held[at + 1];
}

void memory_free(Rank *rank, Thread *thread)
{
    int64_t correlation = device_wait_call(rank, thread, API_FREE, 60 * US);
    free_latest(rank, thread, false, correlation);
}

void memory_free_async(Rank *rank, Thread *thread, int64_t ns)
{
    int64_t correlation = api_call(rank, thread, API_FREE_ASYNC, ns);
    free_latest(rank, thread, true, correlation);
}

void memory_static(Rank *rank, const char *name, int64_t bytes)
{
    Held held = held_new(rank, bytes, KIND_STATIC, false);
    if (rank->world->scenario->memory_events)
        event_row(rank, rank->main.now_ns, EVENT_ALLOCATE, &held, 0, name);
}
