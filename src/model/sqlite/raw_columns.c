// SPDX-License-Identifier: Apache-2.0
// Raw columns: arrays with the values of rows in the order in which they are read. They are sorted
// and then copied to the profile in that order.
#include <string.h>

#include "base/scratch.h"
#include "base/sort.h"
#include "model/sqlite/sqlite_file.h"

struct raw_request {
    struct arena *arena;
    size_t count, size;
    void *data;
};

static bool reserve_body(void *context, struct error *error)
{
    (void)error;
    struct raw_request *reserve = context;
    reserve->data = arena_alloc(reserve->arena, reserve->count, reserve->size);
    return true;
}

static struct raw_column *raw_reserve(struct nsys *nsys, size_t count, size_t size)
{
    for (size_t i = 0; i < NSYS_RAW; i++) {
        struct raw_column *raw = &nsys->raw[i];
        if (raw->arena)
            continue;
        raw->arena = arena_new(0);
        struct raw_request reserve = {raw->arena, count, size, NULL};
        if (!raw->arena || !arena_run(raw->arena, reserve_body, &reserve, NULL))
            break;
        raw->data = reserve.data;
        raw->size = size;
        return raw;
    }
    // Fails: jumps out of the load with "out of memory".
    return arena_alloc(nsys->arena, SIZE_MAX, 1);
}

void *nsys_raw_alloc(struct nsys *nsys, size_t count, size_t size)
{
    return raw_reserve(nsys, count, size)->data;
}

void *nsys_raw_column(struct nsys *nsys, const struct table_slices *slices, size_t size)
{
    struct raw_column *raw = raw_reserve(nsys, slices->rows, size);
    raw->of = slices;
    return raw->data;
}

void nsys_raw_free(struct nsys *nsys, void *data)
{
    for (size_t i = 0; i < NSYS_RAW; i++) {
        if (nsys->raw[i].data == data && data) {
            arena_free(nsys->raw[i].arena);
            nsys->raw[i] = (struct raw_column){0};
            return;
        }
    }
}

enum { GATHER_ROWS = 1 << 17 }; // rows per job

struct gather_context {
    void *to;
    const void *from;
    const uint32_t *order;
    size_t count, size;
};

static void gather_job(void *context, size_t i)
{
    const struct gather_context *gather = context;
    const uint32_t *order = gather->order;
    size_t from = i * GATHER_ROWS, left = gather->count - from;
    size_t end = from + (left < GATHER_ROWS ? left : GATHER_ROWS);
    switch (gather->size) {
    case 1:
        for (size_t at = from; at < end; at++)
            ((uint8_t *)gather->to)[at] = ((const uint8_t *)gather->from)[order[at]];
        break;
    case 2:
        for (size_t at = from; at < end; at++)
            ((uint16_t *)gather->to)[at] = ((const uint16_t *)gather->from)[order[at]];
        break;
    case 4:
        for (size_t at = from; at < end; at++)
            ((uint32_t *)gather->to)[at] = ((const uint32_t *)gather->from)[order[at]];
        break;
    default:
        for (size_t at = from; at < end; at++)
            ((uint64_t *)gather->to)[at] = ((const uint64_t *)gather->from)[order[at]];
        break;
    }
}

struct column32 nsys_gather32(struct nsys *nsys, uint32_t *raw, const uint32_t *order, size_t count)
{
    struct column32 gathered = column32_pack(nsys->arena, nsys->threads, raw, order, count);
    nsys_raw_free(nsys, raw);
    return gathered;
}

struct column64 nsys_gather64(struct nsys *nsys, int64_t *raw, const uint32_t *order, size_t count)
{
    struct column64 gathered = column64_pack(nsys->arena, nsys->threads, raw, order, count);
    nsys_raw_free(nsys, raw);
    return gathered;
}

void *nsys_gather(struct nsys *nsys, void *raw, const uint32_t *order, size_t count, size_t size)
{
    void *gathered = arena_alloc(nsys->arena, count, size);
    struct gather_context gather = {gathered, raw, order, count, size};
    if (order)
        parallel_run(nsys->threads, (count + GATHER_ROWS - 1) / GATHER_ROWS, gather_job, &gather);
    else if (count)
        memcpy(gathered, raw, count * size);
    nsys_raw_free(nsys, raw);
    return gathered;
}

// ---- order --------------------------------------------------------------------------------------

struct order_job {
    const uint32_t *key, *of;
    const int64_t *time, *second;
    uint32_t *order, *first;
    uint32_t count, groups;
    size_t parts;  // number of parts that the rows are divided into
    size_t stride; // distance between the counters of two parts
    // [part * stride + group]: first the number of rows, then the position of the next one.
    uint32_t *cursors;
    size_t sorts; // number of jobs, each of which sorts several groups
};

static uint32_t group_of(const struct order_job *job, uint32_t row)
{
    return job->of ? job->of[job->key[row]] : job->key[row];
}

static void count_job(void *context, size_t part)
{
    const struct order_job *job = context;
    uint32_t *cursors = job->cursors + part * job->stride;
    uint32_t first = (uint32_t)parallel_first(job->count, part, job->parts);
    uint32_t end = (uint32_t)parallel_first(job->count, part + 1, job->parts);
    for (uint32_t i = first; i < end; i++)
        cursors[group_of(job, i)]++;
}

static void distribute_job(void *context, size_t part)
{
    const struct order_job *job = context;
    uint32_t *cursors = job->cursors + part * job->stride;
    uint32_t first = (uint32_t)parallel_first(job->count, part, job->parts);
    uint32_t end = (uint32_t)parallel_first(job->count, part + 1, job->parts);
    for (uint32_t i = first; i < end; i++)
        job->order[cursors[group_of(job, i)]++] = i;
}

static void sort_job(void *context, size_t sort, struct arena *scratch)
{
    const struct order_job *job = context;
    const uint32_t *first = job->first;
    size_t g = parallel_first(job->groups, sort, job->sorts);
    size_t end = parallel_first(job->groups, sort + 1, job->sorts);
    for (; g < end; g++)
        sort_ids_by_time(job->order + first[g], first[g + 1] - first[g], job->time, job->second,
                         scratch);
}

// Distributes the rows to the groups, in parallel parts, then sorts each group. The second step is
// fast, since the rows of a thread or device are nearly in order in the file.
uint32_t *nsys_order(struct nsys *nsys, const uint32_t *key, const uint32_t *of, uint32_t groups,
                     const int64_t *time, const int64_t *second, uint32_t count, uint32_t *first)
{
    enum { MAX_SORTS = 64 };
    // Elements per cache line: the counters of two threads are in different lines.
    enum { LINE_ITEMS = 16 };
    struct order_job job = {.key = key,
                            .of = of,
                            .time = time,
                            .second = second,
                            .order = ARENA_ARRAY(nsys->scratch, uint32_t, count),
                            .first = first,
                            .count = count,
                            .groups = groups,
                            .parts = parallel_parts(count),
                            .stride = (size_t)groups + LINE_ITEMS,
                            .sorts = groups < MAX_SORTS ? groups : MAX_SORTS};
    unsigned threads = job.parts > 1 ? nsys->threads : 1;
    // The counters must not take more memory than the order.
    if (job.parts * groups > count)
        job.parts = 1;
    job.cursors = ARENA_ARRAY(nsys->scratch, uint32_t, job.parts * job.stride);
    parallel_run(threads, job.parts, count_job, &job);
    uint32_t at = 0;
    for (uint32_t g = 0; g < groups; g++) {
        first[g] = at;
        for (size_t part = 0; part < job.parts; part++) {
            uint32_t *cursor = &job.cursors[part * job.stride + g], rows = *cursor;
            *cursor = at;
            at += rows;
        }
    }
    first[groups] = at;
    parallel_run(threads, job.parts, distribute_job, &job);
    scratch_jobs(nsys->scratch, threads, job.sorts, sort_job, &job);
    return job.order;
}

struct complement_context {
    int64_t *times;
    uint32_t count;
    size_t parts;
};

static void complement_job(void *context, size_t part)
{
    const struct complement_context *work = context;
    size_t end = parallel_first(work->count, part + 1, work->parts);
    for (size_t i = parallel_first(work->count, part, work->parts); i < end; i++)
        work->times[i] = ~work->times[i];
}

// Complements the times, which reverses their order. A second call restores them.
static void complement(const struct nsys *nsys, int64_t *times, uint32_t count)
{
    struct complement_context work = {times, count, parallel_parts(count)};
    parallel_run(nsys->threads, work.parts, complement_job, &work);
}

uint32_t *nsys_order_outer(struct nsys *nsys, const uint32_t *key, const uint32_t *of,
                           uint32_t groups, const int64_t *start, int64_t *end, uint32_t count,
                           uint32_t *first)
{
    complement(nsys, end, count);
    uint32_t *order = nsys_order(nsys, key, of, groups, start, end, count, first);
    complement(nsys, end, count);
    return order;
}
