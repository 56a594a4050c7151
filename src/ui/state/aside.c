// SPDX-License-Identifier: Apache-2.0
#include "ui/state/aside.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/parallel.h"

struct aside {
    struct arena *arena;
    enum aside_haste haste;
    bool (*body)(void *context, struct error *error);
    void *context;
    struct error error;
    bool is_done; // as body() said
    atomic_bool stops;
    pthread_t thread;
    pthread_mutex_t lock; // of what follows
    pthread_cond_t ends;  // by a clock that nobody sets
    bool has_ended;       // the thread is to be joined, which takes no time
};

static void *aside_run(void *context)
{
    struct aside *aside = context;
    if (aside->haste == ASIDE_PATIENT)
        parallel_lower_priority();
    aside->is_done = arena_run(aside->arena, aside->body, aside->context, &aside->error);
    pthread_mutex_lock(&aside->lock);
    aside->has_ended = true;
    pthread_cond_signal(&aside->ends);
    pthread_mutex_unlock(&aside->lock);
    return NULL;
}

static void aside_free(struct aside *aside)
{
    pthread_cond_destroy(&aside->ends);
    pthread_mutex_destroy(&aside->lock);
    free(aside);
}

// The lock and what it is waited for with; false: the system has none left.
static bool aside_init(struct aside *aside)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
        return false;
    bool is_made = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                   pthread_cond_init(&aside->ends, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    if (is_made && pthread_mutex_init(&aside->lock, NULL) != 0) {
        pthread_cond_destroy(&aside->ends);
        is_made = false;
    }
    return is_made;
}

struct aside *aside_begin(struct arena *arena, enum aside_haste haste,
                          bool (*body)(void *context, struct error *error), void *context)
{
    struct aside *aside = calloc(1, sizeof *aside);
    if (!aside)
        return NULL;
    aside->arena = arena;
    aside->haste = haste;
    aside->body = body;
    aside->context = context;
    if (!aside_init(aside)) {
        free(aside);
        return NULL;
    }
    arena_set_stop_flag(arena, &aside->stops);
    if (pthread_create(&aside->thread, NULL, aside_run, aside) == 0)
        return aside;
    arena_set_stop_flag(arena, NULL);
    aside_free(aside);
    return NULL;
}

bool aside_await(struct aside *aside, long milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += milliseconds * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&aside->lock);
    while (!aside->has_ended &&
           pthread_cond_timedwait(&aside->ends, &aside->lock, &until) != ETIMEDOUT)
        ;
    bool has_ended = aside->has_ended;
    pthread_mutex_unlock(&aside->lock);
    return has_ended;
}

void aside_stop(struct aside *aside)
{
    atomic_store(&aside->stops, true);
}

bool aside_end(struct aside *aside, struct error *error)
{
    if (!aside)
        return false;
    pthread_join(aside->thread, NULL);
    bool is_done = aside->is_done && !atomic_load(&aside->stops);
    if (!is_done && error)
        *error = aside->error;
    arena_set_stop_flag(aside->arena, NULL);
    aside_free(aside);
    return is_done;
}
