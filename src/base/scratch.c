// SPDX-License-Identifier: Apache-2.0
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
    void (*body)(void *context, struct arena *scratch, struct arena *brief);
    void *context;
    struct arena *scratch, *brief;
};

static bool run_two(void *context, struct error *error)
{
    struct two_scratches *job = context;
    (void)error;
    job->body(job->context, job->scratch, job->brief);
    return true;
}

static bool guard_brief(void *context, struct error *error)
{
    struct two_scratches *job = context;
    return arena_run(job->brief, run_two, job, error);
}

static bool guard_both(void *context, struct error *error)
{
    struct two_scratches *job = context;
    return arena_run(job->scratch, guard_brief, job, error);
}

void scratch_run_two(struct arena *keep,
                     void (*body)(void *context, struct arena *scratch, struct arena *brief),
                     void *context)
{
    struct two_scratches job = {body, context, arena_brief(keep), arena_brief(keep)};
    bool done = job.scratch && job.brief && arena_run(keep, guard_both, &job, NULL);
    arena_free(job.scratch);
    arena_free(job.brief);
    if (!done)
        arena_alloc(keep, SIZE_MAX, SIZE_MAX);
}

void scratch_run(struct arena *keep, void (*body)(void *context, struct arena *scratch),
                 void *context)
{
    struct scratch_job job = {body, context, arena_brief(keep)};
    bool done = job.scratch && arena_run(keep, run_guarded, &job, NULL);
    arena_free(job.scratch);
    if (!done) // on to whoever guards `keep`
        arena_alloc(keep, SIZE_MAX, SIZE_MAX);
}

// ---- side by side ------------------------------------------------------------------------------

struct jobs {
    const struct arena *keep;
    void (*body)(void *context, size_t i, struct arena *scratch);
    void *context;
    atomic_bool is_out; // of memory, or stopped
};

struct one_job {
    const struct jobs *jobs;
    size_t i;
    struct arena *scratch;
};

static bool one_body(void *context, struct error *error)
{
    const struct one_job *job = context;
    (void)error;
    job->jobs->body(job->jobs->context, job->i, job->scratch);
    return true;
}

static void run_one(void *context, size_t i)
{
    struct jobs *jobs = context;
    if (atomic_load(&jobs->is_out)) // the others need not be done
        return;
    struct one_job job = {jobs, i, arena_brief(jobs->keep)};
    if (!job.scratch || !arena_run(job.scratch, one_body, &job, NULL))
        atomic_store(&jobs->is_out, true);
    arena_free(job.scratch);
}

void scratch_jobs(struct arena *keep, unsigned threads, size_t count,
                  void (*body)(void *context, size_t i, struct arena *scratch), void *context)
{
    struct jobs jobs = {.keep = keep, .body = body, .context = context};
    parallel_run(threads, count, run_one, &jobs);
    if (atomic_load(&jobs.is_out))
        arena_alloc(keep, SIZE_MAX, SIZE_MAX);
}
