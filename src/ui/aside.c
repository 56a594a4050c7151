// SPDX-License-Identifier: Apache-2.0
#include "ui/aside.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct aside {
    struct arena *arena;
    bool (*body)(void *context, struct error *error);
    void *context;
    struct error error;
    bool is_done;   // as body() said
    bool has_ended; // and the thread was joined
    atomic_bool stops;
    pthread_t thread;
};

static void *aside_run(void *context)
{
    struct aside *aside = context;
    aside->is_done = arena_run(aside->arena, aside->body, aside->context, &aside->error);
    return NULL;
}

struct aside *aside_begin(struct arena *arena, bool (*body)(void *context, struct error *error),
                          void *context)
{
    struct aside *aside = calloc(1, sizeof *aside);
    if (!aside)
        return NULL;
    aside->arena = arena;
    aside->body = body;
    aside->context = context;
    arena_stop_by(arena, &aside->stops);
    if (pthread_create(&aside->thread, NULL, aside_run, aside) == 0)
        return aside;
    arena_stop_by(arena, NULL);
    free(aside);
    return NULL;
}

bool aside_await(struct aside *aside, long milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until); // the other one may be set back while a frame waits
    until.tv_nsec += milliseconds * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (!aside->has_ended)
        aside->has_ended = pthread_clockjoin_np(aside->thread, NULL, CLOCK_MONOTONIC, &until) == 0;
    return aside->has_ended;
}

void aside_stop(struct aside *aside)
{
    atomic_store(&aside->stops, true);
}

bool aside_end(struct aside *aside, struct error *error)
{
    if (!aside)
        return false;
    if (!aside->has_ended)
        pthread_join(aside->thread, NULL);
    bool is_done = aside->is_done && !atomic_load(&aside->stops);
    if (!is_done && error)
        *error = aside->error;
    arena_stop_by(aside->arena, NULL);
    free(aside);
    return is_done;
}
