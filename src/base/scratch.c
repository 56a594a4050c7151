// SPDX-License-Identifier: Apache-2.0
// Runs functions with temporary arenas. Each arena must be entered by arena_run(), so a run with
// two scratch arenas nests two of them. A failure in a scratch arena is raised again in `keep`, by
// a request that cannot succeed.
#include "base/scratch.h"

#include "base/parallel.h"

struct scratch_job {
    void (*body)(void *context, struct arena *scratch);
    void *context;
    struct arena *scratch;
};

static bool run_body(void *context, struct error *error)
{
    struct scratch_job *job = context;
    (void)error;
    job->body(job->context, job->scratch);
    return true;
}

static bool run_guarded(void *context, struct error *error)
{
    struct scratch_job *job = context;
    return arena_run(job->scratch, run_body, job, error);
}

struct two_scratches {
    void (*body)(void *context, struct arena *scratch, struct arena *temporary);
    void *context;
    struct arena *scratch, *temporary;
};

static bool run_two(void *context, struct error *error)
{
    struct two_scratches *job = context;
    (void)error;
    job->body(job->context, job->scratch, job->temporary);
    return true;
}

static bool guard_temporary(void *context, struct error *error)
{
    struct two_scratches *job = context;
    return arena_run(job->temporary, run_two, job, error);
}

static bool guard_both(void *context, struct error *error)
{
    struct two_scratches *job = context;
    return arena_run(job->scratch, guard_temporary, job, error);
}

void scratch_run_two(struct arena *keep,
                     void (*body)(void *context, struct arena *scratch, struct arena *temporary),
                     void *context)
{
    struct two_scratches job = {body, context, arena_temp(keep), arena_temp(keep)};
    bool done = job.scratch && job.temporary && arena_run(keep, guard_both, &job, NULL);
    arena_free(job.scratch);
    arena_free(job.temporary);
    if (!done)
        arena_alloc(keep, SIZE_MAX, SIZE_MAX);
}

void scratch_run(struct arena *keep, void (*body)(void *context, struct arena *scratch),
                 void *context)
{
    struct scratch_job job = {body, context, arena_temp(keep)};
    bool done = job.scratch && arena_run(keep, run_guarded, &job, NULL);
    arena_free(job.scratch);
    if (!done) // raises the failure in `keep`
        arena_alloc(keep, SIZE_MAX, SIZE_MAX);
}

// ---- parallel jobs -----------------------------------------------------------------------------

struct scratch_batch {
    const struct arena *keep;
    void (*body)(void *context, size_t i, struct arena *scratch);
    void *context;
    atomic_bool has_failed; // a job ran out of memory or was stopped
};

struct batch_job {
    const struct scratch_batch *jobs;
    size_t i;
    struct arena *scratch;
};

static bool run_batch_body(void *context, struct error *error)
{
    const struct batch_job *job = context;
    (void)error;
    job->jobs->body(job->jobs->context, job->i, job->scratch);
    return true;
}

static void run_batch_job(void *context, size_t i)
{
    struct scratch_batch *jobs = context;
    if (atomic_load(&jobs->has_failed)) // the others need not be done
        return;
    struct batch_job job = {jobs, i, arena_temp(jobs->keep)};
    if (!job.scratch || !arena_run(job.scratch, run_batch_body, &job, NULL))
        atomic_store(&jobs->has_failed, true);
    arena_free(job.scratch);
}

void scratch_jobs(struct arena *keep, unsigned threads, size_t count,
                  void (*body)(void *context, size_t i, struct arena *scratch), void *context)
{
    struct scratch_batch jobs = {.keep = keep, .body = body, .context = context};
    parallel_run(threads, count, run_batch_job, &jobs);
    if (atomic_load(&jobs.has_failed))
        arena_alloc(keep, SIZE_MAX, SIZE_MAX);
}
