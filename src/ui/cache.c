// SPDX-License-Identifier: Apache-2.0
#include "ui/cache.h"

#include <stdlib.h>
#include <string.h>

enum { CACHE_BYTES = 256 << 20 };

bool selection_equal(const struct selection *a, const struct selection *b)
{
    return a->split == b->split && a->process == b->process && a->device == b->device &&
           a->node == b->node && a->with_backward == b->with_backward &&
           a->is_folded == b->is_folded && a->adoption == b->adoption && a->names == b->names &&
           a->name == b->name && a->function == b->function && a->shape == b->shape &&
           a->op == b->op && a->op_type == b->op_type && a->api_name == b->api_name &&
           a->range_name == b->range_name && a->line == b->line && a->thread == b->thread &&
           a->copies == b->copies && a->memory == b->memory && a->step == b->step &&
           a->baseline == b->baseline && a->idle_cause == b->idle_cause &&
           (!a->iterations) == (!b->iterations) &&
           (!a->iterations ||
            memcmp(a->iterations, b->iterations, a->split->count * sizeof(bool)) == 0);
}

static void cached_free(struct cached *cached)
{
    if (cached) {
        arena_free(cached->arena);
        free(cached);
    }
}

void cache_release(struct cached *cached)
{
    // One that the cache forgot goes with its last user.
    if (cached && --cached->users == 0 && cached->used == 0)
        cached_free(cached);
}

// Drops what was not asked for longest, of what nobody holds. False: all are held.
static bool cache_drop_one(struct cache *cache)
{
    size_t oldest = cache->count;
    for (size_t i = 0; i < cache->count; i++)
        if (cache->items[i]->users == 0 &&
            (oldest == cache->count || cache->items[i]->used < cache->items[oldest]->used))
            oldest = i;
    if (oldest == cache->count)
        return false;
    cached_free(cache->items[oldest]);
    cache->items[oldest] = cache->items[--cache->count];
    return true;
}

static size_t cache_bytes(const struct cache *cache)
{
    size_t bytes = 0;
    for (size_t i = 0; i < cache->count; i++)
        bytes += arena_bytes(cache->items[i]->arena);
    return bytes;
}

struct copying {
    struct cached *cached;
    const struct selection *selection;
};

static bool copy_body(void *context, struct error *error)
{
    struct copying *copying = context;
    struct cached *cached = copying->cached;
    (void)error;
    cached->selection = *copying->selection;
    if (copying->selection->iterations) {
        size_t count = copying->selection->split->count;
        bool *members = ARENA_ARRAY(cached->arena, bool, count);
        memcpy(members, copying->selection->iterations, count * sizeof *members);
        cached->selection.iterations = members;
    }
    return true;
}

struct cached *cache_get(struct cache *cache, const struct report *report,
                         const struct profile *profile, const struct selection *selection,
                         struct error *error)
{
    cache->clock++;
    for (size_t i = 0; i < cache->count; i++) {
        struct cached *known = cache->items[i];
        if (known->report == report && selection_equal(&known->selection, selection)) {
            known->users++;
            known->used = cache->clock;
            return known;
        }
    }
    while (cache->count == CACHE_MAX || cache_bytes(cache) > CACHE_BYTES)
        if (!cache_drop_one(cache))
            break;
    struct cached *made = calloc(1, sizeof *made);
    struct arena *arena = arena_new(0);
    if (!made || !arena || cache->count == CACHE_MAX) {
        free(made);
        arena_free(arena);
        error_set(error, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    made->arena = arena;
    made->report = report;
    struct copying copying = {made, selection};
    if (!arena_run(arena, copy_body, &copying, error) ||
        !report_build(report, profile, &made->selection, arena, &made->rows, error)) {
        cached_free(made);
        return NULL;
    }
    made->users = 1;
    made->used = cache->clock;
    cache->items[cache->count++] = made;
    return made;
}

void cache_forget(struct cache *cache)
{
    for (size_t i = 0; i < cache->count; i++) {
        cache->items[i]->used = 0;
        if (cache->items[i]->users == 0)
            cached_free(cache->items[i]);
    }
    cache->count = 0;
}

void cache_close(struct cache *cache)
{
    cache_forget(cache);
}
