// SPDX-License-Identifier: Apache-2.0
// Columns as they are read, and how they come into the profile in its order.
#include <string.h>

#include "base/sort.h"
#include "model/load_nsys.h"

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

// Files have the rows of each thread and device in order, whatever lies between them: groups first.
uint32_t *nsys_order(struct nsys *nsys, const uint32_t *key, const uint32_t *of, uint32_t groups,
                     const int64_t *time, const int64_t *second, uint32_t count, uint32_t *first)
{
    uint32_t *order = ARENA_ARRAY(nsys->scratch, uint32_t, count);
    uint32_t *next = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)groups + 1);
    memset(first, 0, ((size_t)groups + 1) * sizeof *first);
    for (uint32_t i = 0; i < count; i++)
        first[(of ? of[key[i]] : key[i]) + 1]++;
    for (uint32_t i = 0; i < groups; i++) {
        first[i + 1] += first[i];
        next[i] = first[i];
    }
    for (uint32_t i = 0; i < count; i++)
        order[next[of ? of[key[i]] : key[i]]++] = i;
    for (uint32_t i = 0; i < groups; i++)
        sort_ids_by_time(order + first[i], first[i + 1] - first[i], time, second, nsys->scratch);
    return order;
}
