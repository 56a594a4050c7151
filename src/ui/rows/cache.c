// SPDX-License-Identifier: Apache-2.0
// Cached rows of reports (cache.h). An entry has users, which hold its rows, and `used`, the time
// of its last request. Entries without users are evicted, the least recently used first, when there
// are MAX_CACHED or they take more than CACHE_BYTES. At most one entry is being built on a thread.
#include "ui/rows/cache.h"

#include <stdlib.h>
#include <string.h>

#include "ui/rows/background_job.h"

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
    // used == 0: the entry was dropped from the cache while it had users.
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
    struct selection_copy *copy = context;
    struct cached *cached = copy->cached;
    (void)error;
    cached->selection = *copy->selection;
    if (copy->selection->iterations) {
        size_t count = copy->selection->split->count;
        bool *members = ARENA_ARRAY(cached->arena, bool, count);
        memcpy(members, copy->selection->iterations, count * sizeof *members);
        cached->selection.iterations = members;
    }
    return true;
}

static struct cached *cached_new(const struct report *report, const struct selection *selection,
                                 struct error *error)
{
    struct cached *cached = calloc(1, sizeof *cached);
    struct arena *arena = arena_new(0);
    if (!cached || !arena) {
        free(cached);
        arena_free(arena);
        error_set(error, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    cached->arena = arena;
    cached->report = report;
    if (arena_run(arena, copy_body, &(struct selection_copy){cached, selection}, error))
        return cached;
    cached_free(cached);
    return NULL;
}

// Adds an entry to the cache and evicts others to make room. Returns false and frees the entry if
// there is no room.
static bool cache_add(struct cache *cache, struct cached *cached, struct error *error)
{
    while (cache->count == MAX_CACHED || cache_bytes(cache) > CACHE_BYTES)
        if (!cache_drop_one(cache))
            break;
    if (cache->count == MAX_CACHED) {
        cached_free(cached);
        return error_set(error, ERROR_MEMORY, "out of memory");
    }
    cached->used = ++cache->clock;
    cache->items[cache->count++] = cached;
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

struct building { // an entry that a thread builds
    struct cached *cached;
    const struct profile *profile;
    struct background_job *job;
};

static bool building_body(void *context, struct error *error)
{
    const struct building *building = context;
    struct cached *cached = building->cached;
    return report_build(cached->report, building->profile, &cached->selection, cached->arena,
                        &cached->rows, error);
}

static bool building_begin(struct cache *cache, const struct report *report,
                           const struct profile *profile, const struct selection *selection)
{
    struct building *building = calloc(1, sizeof *building);
    struct cached *cached = building ? cached_new(report, selection, NULL) : NULL;
    if (cached) {
        *building = (struct building){.cached = cached, .profile = profile};
        building->job =
            background_job_start(cached->arena, JOB_FOREGROUND, building_body, building);
    }
    if (cached && building->job) {
        cache->building = building;
        return true;
    }
    cached_free(cached);
    free(building);
    return false;
}

static bool is_being_built(const struct cache *cache, const struct report *report,
                           const struct selection *selection)
{
    const struct cached *cached = cache->building ? cache->building->cached : NULL;
    return cached && cached->report == report && selection_equal(&cached->selection, selection);
}

static void building_end(struct cache *cache)
{
    struct building *building = cache->building;
    struct cached *cached = building->cached;
    cache->building = NULL;
    if (background_job_finish(building->job, &cached->problem) ||
        cached->problem.kind == ERROR_MEMORY)
        cache_add(cache, cached, NULL);
    else
        cached_free(cached);
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
    cache->is_awaited |= is_being_built(cache, report, selection);
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
    if (!cached && is_being_built(cache, report, selection)) {
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
        if (!cache_add(cache, cached, error))
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
