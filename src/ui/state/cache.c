// SPDX-License-Identifier: Apache-2.0
#include "ui/state/cache.h"

#include <stdlib.h>
#include <string.h>

#include "ui/state/background_job.h"

enum { CACHE_BYTES = 256 << 20 };

static void cached_free(struct cached *cached)
{
    if (cached) {
        arena_free(cached->arena);
        free(cached);
    }
}

void cache_release(struct cached *cached)
{
    // Rows that were dropped from the cache are freed with their last user.
    if (cached && --cached->users == 0 && cached->used == 0)
        cached_free(cached);
}

static void cache_drop(struct cache *cache, struct cached *cached)
{
    size_t i = 0;
    while (cache->items[i] != cached)
        i++;
    cache->items[i] = cache->items[--cache->count];
    cached_free(cached);
}

// Drops the least recently used item without users. Returns false if all items have users.
static bool cache_drop_one(struct cache *cache)
{
    struct cached *oldest = NULL;
    for (size_t i = 0; i < cache->count; i++)
        if (cache->items[i]->users == 0 && (!oldest || cache->items[i]->used < oldest->used))
            oldest = cache->items[i];
    if (oldest)
        cache_drop(cache, oldest);
    return oldest != NULL;
}

static size_t cache_bytes(const struct cache *cache)
{
    size_t bytes = 0;
    for (size_t i = 0; i < cache->count; i++)
        bytes += arena_bytes(cache->items[i]->arena);
    return bytes;
}

struct selection_copy {
    struct cached *cached;
    const struct selection *selection;
};

static bool copy_body(void *context, struct error *error)
{
    struct selection_copy *selection_copy = context;
    struct cached *cached = selection_copy->cached;
    (void)error;
    cached->selection = *selection_copy->selection;
    if (selection_copy->selection->iterations) {
        size_t count = selection_copy->selection->split->count;
        bool *members = ARENA_ARRAY(cached->arena, bool, count);
        memcpy(members, selection_copy->selection->iterations, count * sizeof *members);
        cached->selection.iterations = members;
    }
    return true;
}

static struct cached *cached_new(const struct report *report, const struct selection *selection,
                                 struct error *error)
{
    struct cached *made = calloc(1, sizeof *made);
    struct arena *arena = arena_new(0);
    if (!made || !arena) {
        free(made);
        arena_free(arena);
        error_set(error, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    made->arena = arena;
    made->report = report;
    if (arena_run(arena, copy_body, &(struct selection_copy){made, selection}, error))
        return made;
    cached_free(made);
    return NULL;
}

// Adds `made` to the cache, and evicts others to make room. Returns false and frees `made` if there
// is no room.
static bool cache_keep(struct cache *cache, struct cached *made, struct error *error)
{
    while (cache->count == MAX_CACHED || cache_bytes(cache) > CACHE_BYTES)
        if (!cache_drop_one(cache))
            break;
    if (cache->count == MAX_CACHED) {
        cached_free(made);
        return error_set(error, ERROR_MEMORY, "out of memory");
    }
    made->used = ++cache->clock;
    cache->items[cache->count++] = made;
    return true;
}

static struct cached *cache_find(const struct cache *cache, const struct report *report,
                                 const struct selection *selection)
{
    for (size_t i = 0; i < cache->count; i++)
        if (cache->items[i]->report == report &&
            selection_equal(&cache->items[i]->selection, selection))
            return cache->items[i];
    return NULL;
}

// ---- building on a thread -----------------------------------------------------------------------

struct building {
    struct cached *made;
    const struct profile *profile;
    struct background_job *job;
};

static bool building_body(void *context, struct error *error)
{
    const struct building *building = context;
    struct cached *made = building->made;
    return report_build(made->report, building->profile, &made->selection, made->arena, &made->rows,
                        error);
}

static bool building_begin(struct cache *cache, const struct report *report,
                           const struct profile *profile, const struct selection *selection)
{
    struct building *building = calloc(1, sizeof *building);
    struct cached *made = building ? cached_new(report, selection, NULL) : NULL;
    if (made) {
        *building = (struct building){.made = made, .profile = profile};
        building->job = background_job_start(made->arena, JOB_FOREGROUND, building_body, building);
    }
    if (made && building->job) {
        cache->building = building;
        return true;
    }
    cached_free(made);
    free(building);
    return false;
}

static bool building_is(const struct cache *cache, const struct report *report,
                        const struct selection *selection)
{
    const struct cached *made = cache->building ? cache->building->made : NULL;
    return made && made->report == report && selection_equal(&made->selection, selection);
}

static void building_end(struct cache *cache)
{
    struct building *building = cache->building;
    struct cached *made = building->made;
    cache->building = NULL;
    if (background_job_finish(building->job, &made->problem) || made->problem.kind == ERROR_MEMORY)
        cache_keep(cache, made, NULL);
    else
        cached_free(made);
    free(building);
}

bool cache_collect(struct cache *cache)
{
    bool is_there = cache->building && background_job_wait(cache->building->job, 0);
    if (is_there)
        building_end(cache);
    return is_there;
}

bool cache_request(struct cache *cache, const struct report *report, const struct profile *profile,
                   const struct selection *selection)
{
    if (cache_find(cache, report, selection))
        return true;
    if (!cache->building) {
        if (!building_begin(cache, report, profile, selection))
            return true;
        if (background_job_wait(cache->building->job, MAX_FRAME_WAIT_MS))
            building_end(cache);
    }
    cache->is_awaited |= building_is(cache, report, selection);
    return !cache->building;
}

void cache_end_frame(struct cache *cache)
{
    if (cache->building && !cache->is_awaited)
        background_job_stop(cache->building->job);
    cache->is_awaited = false;
}

// ---- lookup -------------------------------------------------------------------------------------

struct cached *cache_get(struct cache *cache, const struct report *report,
                         const struct profile *profile, const struct selection *selection,
                         struct error *error)
{
    struct cached *cached = cache_find(cache, report, selection);
    if (!cached && building_is(cache, report, selection)) {
        building_end(cache);
        cached = cache_find(cache, report, selection);
    }
    if (cached && cached->problem.kind != ERROR_NONE) {
        error_set(error, cached->problem.kind, "%s", cached->problem.message);
        cache_drop(cache, cached);
        return NULL;
    }
    if (!cached) {
        cached = cached_new(report, selection, error);
        if (!cached)
            return NULL;
        if (!report_build(report, profile, &cached->selection, cached->arena, &cached->rows,
                          error)) {
            cached_free(cached);
            return NULL;
        }
        if (!cache_keep(cache, cached, error))
            return NULL;
    }
    cached->users++;
    cached->used = ++cache->clock;
    return cached;
}

void cache_forget(struct cache *cache)
{
    if (cache->building) {
        background_job_stop(cache->building->job);
        building_end(cache);
    }
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
