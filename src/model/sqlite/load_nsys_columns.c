// SPDX-License-Identifier: Apache-2.0
// Columns as they are read, and how they come into the profile in its order.
#include <string.h>

#include "base/scratch.h"
#include "base/sort.h"
#include "model/sqlite/sqlite_file.h"

struct reserve {
    struct arena *arena;
    size_t count, size;
    void *data;
};

static bool reserve_body(void *context, struct error *error)
{
    (void)error;
    struct reserve *reserve = context;
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
        struct reserve reserve = {raw->arena, count, size, NULL};
        if (!raw->arena || !arena_run(raw->arena, reserve_body, &reserve, NULL))
            break;
        raw->data = reserve.data;
        raw->size = size;
        return raw;
    }
    return arena_alloc(nsys->arena, SIZE_MAX, 1); // out of memory: leaves the load
}

void *nsys_raw(struct nsys *nsys, size_t count, size_t size)
{
    return raw_reserve(nsys, count, size)->data;
}

void *nsys_column(struct nsys *nsys, const struct nsys_slices *slices, size_t size)
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

enum { GATHER_ROWS = 1 << 17 }; // that a thread takes at a time

struct gather {
    void *to;
    const void *from;
    const uint32_t *order;
    size_t count, size;
};

static void gather_job(void *context, size_t i)
{
    const struct gather *gather = context;
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

struct column32 nsys_take32(struct nsys *nsys, uint32_t *raw, const uint32_t *order, size_t count)
{
    struct column32 taken = column32_pack(nsys->arena, nsys->threads, raw, order, count);
    nsys_raw_free(nsys, raw);
    return taken;
}

struct column64 nsys_take64(struct nsys *nsys, int64_t *raw, const uint32_t *order, size_t count)
{
    struct column64 taken = column64_pack(nsys->arena, nsys->threads, raw, order, count);
    nsys_raw_free(nsys, raw);
    return taken;
}

void *nsys_take(struct nsys *nsys, void *raw, const uint32_t *order, size_t count, size_t size)
{
    void *taken = arena_alloc(nsys->arena, count, size);
    struct gather gather = {taken, raw, order, count, size};
    if (order)
        parallel_run(nsys->threads, (count + GATHER_ROWS - 1) / GATHER_ROWS, gather_job, &gather);
    else if (count)
        memcpy(taken, raw, count * size);
    nsys_raw_free(nsys, raw);
    return taken;
}

// ---- order --------------------------------------------------------------------------------------

struct ordering {
    const uint32_t *key, *of;
    const int64_t *time, *second;
    uint32_t *order, *first;
    uint32_t count, groups;
    size_t parts;     // of the rows
    size_t stride;    // of a part's places
    uint32_t *places; // [part * stride + group]: rows, then where the next one goes
    size_t sorts;     // each of as many groups
};

static uint32_t group_of(const struct ordering *ordering, uint32_t row)
{
    return ordering->of ? ordering->of[ordering->key[row]] : ordering->key[row];
}

static void count_job(void *context, size_t part)
{
    const struct ordering *ordering = context;
    uint32_t *places = ordering->places + part * ordering->stride;
    uint32_t first = (uint32_t)parallel_first(ordering->count, part, ordering->parts);
    uint32_t end = (uint32_t)parallel_first(ordering->count, part + 1, ordering->parts);
    for (uint32_t i = first; i < end; i++)
        places[group_of(ordering, i)]++;
}

static void place_job(void *context, size_t part)
{
    const struct ordering *ordering = context;
    uint32_t *places = ordering->places + part * ordering->stride;
    uint32_t first = (uint32_t)parallel_first(ordering->count, part, ordering->parts);
    uint32_t end = (uint32_t)parallel_first(ordering->count, part + 1, ordering->parts);
    for (uint32_t i = first; i < end; i++)
        ordering->order[places[group_of(ordering, i)]++] = i;
}

static void sort_job(void *context, size_t sort, struct arena *scratch)
{
    const struct ordering *ordering = context;
    const uint32_t *first = ordering->first;
    size_t g = parallel_first(ordering->groups, sort, ordering->sorts);
    size_t end = parallel_first(ordering->groups, sort + 1, ordering->sorts);
    for (; g < end; g++)
        sort_ids_by_time(ordering->order + first[g], first[g + 1] - first[g], ordering->time,
                         ordering->second, scratch);
}

// Files have the rows of each thread and device in order, whatever lies between them: groups first.
uint32_t *nsys_order(struct nsys *nsys, const uint32_t *key, const uint32_t *of, uint32_t groups,
                     const int64_t *time, const int64_t *second, uint32_t count, uint32_t *first)
{
    enum { SORTS_MOST = 64 };
    enum { LINE = 16 }; // of the cache: what threads count lies in lines of their own
    struct ordering ordering = {.key = key,
                                .of = of,
                                .time = time,
                                .second = second,
                                .order = ARENA_ARRAY(nsys->scratch, uint32_t, count),
                                .first = first,
                                .count = count,
                                .groups = groups,
                                .parts = parallel_parts(count),
                                .stride = (size_t)groups + LINE,
                                .sorts = groups < SORTS_MOST ? groups : SORTS_MOST};
    unsigned threads = ordering.parts > 1 ? nsys->threads : 1;
    // All places together are to take no more room than the order.
    if (ordering.parts * groups > count)
        ordering.parts = 1;
    ordering.places = ARENA_ARRAY(nsys->scratch, uint32_t, ordering.parts * ordering.stride);
    parallel_run(threads, ordering.parts, count_job, &ordering);
    uint32_t at = 0;
    for (uint32_t g = 0; g < groups; g++) {
        first[g] = at;
        for (size_t part = 0; part < ordering.parts; part++) {
            uint32_t *place = &ordering.places[part * ordering.stride + g], rows = *place;
            *place = at;
            at += rows;
        }
    }
    first[groups] = at;
    parallel_run(threads, ordering.parts, place_job, &ordering);
    scratch_jobs(nsys->scratch, threads, ordering.sorts, sort_job, &ordering);
    return ordering.order;
}

struct turning {
    int64_t *times;
    uint32_t count;
    size_t parts;
};

static void turn_job(void *context, size_t part)
{
    const struct turning *turning = context;
    size_t end = parallel_first(turning->count, part + 1, turning->parts);
    for (size_t i = parallel_first(turning->count, part, turning->parts); i < end; i++)
        turning->times[i] = ~turning->times[i];
}

// The latest are the earliest, until they are turned again.
static void turn(const struct nsys *nsys, int64_t *times, uint32_t count)
{
    struct turning turning = {times, count, parallel_parts(count)};
    parallel_run(nsys->threads, turning.parts, turn_job, &turning);
}

uint32_t *nsys_order_outer(struct nsys *nsys, const uint32_t *key, const uint32_t *of,
                           uint32_t groups, const int64_t *start, int64_t *end, uint32_t count,
                           uint32_t *first)
{
    turn(nsys, end, count);
    uint32_t *order = nsys_order(nsys, key, of, groups, start, end, count, first);
    turn(nsys, end, count);
    return order;
}
