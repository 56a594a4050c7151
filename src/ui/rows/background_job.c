// SPDX-License-Identifier: Apache-2.0
// A job runs on its own thread, inside arena_run(). Setting `stops` makes its next allocation fail,
// which ends it.
#include "ui/rows/background_job.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/parallel.h"

struct background_job {
    struct arena *arena;
    enum job_priority priority;
    bool (*body)(void *context, struct error *error);
    void *context;
    struct error error;
    bool is_done; // body() returned true
    atomic_bool stops;
    pthread_t thread;
    pthread_mutex_t lock; // guards has_ended
    pthread_cond_t ends;  // uses CLOCK_MONOTONIC
    bool has_ended;       // joining the thread does not block
};

static void *job_thread_run(void *context)
{
    struct background_job *job = context;
    if (job->priority == JOB_BACKGROUND)
        parallel_lower_priority();
    job->is_done = arena_run(job->arena, job->body, job->context, &job->error);
    pthread_mutex_lock(&job->lock);
    job->has_ended = true;
    pthread_cond_signal(&job->ends);
    pthread_mutex_unlock(&job->lock);
    return NULL;
}

static void job_release(struct background_job *job)
{
    pthread_cond_destroy(&job->ends);
    pthread_mutex_destroy(&job->lock);
    free(job);
}

// Creates the lock and the condition. Returns false if the system has none left.
static bool job_init_locks(struct background_job *job)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
        return false;
    bool is_created = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                      pthread_cond_init(&job->ends, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    if (is_created && pthread_mutex_init(&job->lock, NULL) != 0) {
        pthread_cond_destroy(&job->ends);
        is_created = false;
    }
    return is_created;
}

struct background_job *background_job_start(struct arena *arena, enum job_priority priority,
                                            bool (*body)(void *context, struct error *error),
                                            void *context)
{
    struct background_job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->arena = arena;
    job->priority = priority;
    job->body = body;
    job->context = context;
    if (!job_init_locks(job)) {
        free(job);
        return NULL;
    }
    arena_set_stop_flag(arena, &job->stops);
    if (pthread_create(&job->thread, NULL, job_thread_run, job) == 0)
        return job;
    arena_set_stop_flag(arena, NULL);
    job_release(job);
    return NULL;
}

bool background_job_wait(struct background_job *job, long milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += milliseconds * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&job->lock);
    while (!job->has_ended && pthread_cond_timedwait(&job->ends, &job->lock, &until) != ETIMEDOUT)
        ;
    bool has_ended = job->has_ended;
    pthread_mutex_unlock(&job->lock);
    return has_ended;
}

void background_job_stop(struct background_job *job)
{
    atomic_store(&job->stops, true);
}

bool background_job_finish(struct background_job *job, struct error *error)
{
    if (!job)
        return false;
    pthread_join(job->thread, NULL);
    bool is_done = job->is_done && !atomic_load(&job->stops);
    if (!is_done && error)
        *error = job->error;
    arena_set_stop_flag(job->arena, NULL);
    job_release(job);
    return is_done;
}
