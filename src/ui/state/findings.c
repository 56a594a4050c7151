// SPDX-License-Identifier: Apache-2.0
// The findings of the current scope. In a terminal a job on a thread computes them; without one
// they are computed when they are asked for.
#include "ui/state/findings.h"

#include <stdlib.h>
#include "analysis/detectors/expert.h"
#include "ui/host.h"
#include "ui/rows/background_job.h"
#include "ui/rows/cache.h"
#include "ui/state/app_state.h"
#include "ui/state/candidates_panel.h"

struct findings_job {
    const struct profile *profile;
    struct selection selection; // its set of steps lives as long as the app
    struct arena *arena;
    struct finding_list list;
    unsigned generation; // app generation at the start of the job
    struct background_job *background;
};

static bool job_body(void *context, struct error *error)
{
    struct findings_job *job = context;
    (void)error;
    job->list = expert_run(job->profile, &job->selection, job->arena);
    return true;
}

static struct findings_job *job_new(struct app *app)
{
    struct findings_job *job = calloc(1, sizeof *job);
    struct arena *arena = arena_new(0);
    if (!job || !arena) {
        free(job);
        arena_free(arena);
        return NULL;
    }
    *job = (struct findings_job){.profile = app->profile,
                                 .selection = host_selection(app),
                                 .arena = arena,
                                 .generation = app->generation};
    return job;
}

static void job_free(struct findings_job *job)
{
    arena_free(job->arena);
    free(job);
}

// Makes the result of `job` (NULL: none) the current findings, and frees the job. `has_failed`: out
// of memory.
static void job_set_result(struct app *app, struct findings_job *job, bool has_failed)
{
    struct findings_state *findings = app->findings;
    arena_free(findings->arena);
    findings->arena = job ? job->arena : NULL;
    findings->list = job && !has_failed ? job->list : (struct finding_list){0};
    findings->generation = job ? job->generation : app->generation;
    findings->split = job ? job->selection.split : NULL;
    findings->has_failed = has_failed;
    findings->is_known = true;
    free(job);
}

// Waits for the end of the job and takes its result, unless the job was stopped.
static void job_end(struct app *app)
{
    struct findings_job *job = app->findings->job;
    struct error error = {0};
    app->findings->job = NULL;
    bool is_done = background_job_finish(job->background, &error);
    if (!is_done && error.kind != ERROR_MEMORY)
        job_free(job);
    else
        job_set_result(app, job, !is_done);
}

// Like job_end(), but only if the job ends within the given time. Returns false if it does not, or
// if there is no job.
static bool job_await(struct app *app, long milliseconds)
{
    bool is_there =
        app->findings->job && background_job_wait(app->findings->job->background, milliseconds);
    if (is_there)
        job_end(app);
    return is_there;
}

void app_findings_end(struct app *app)
{
    struct findings_job *job = app->findings->job;
    if (job) {
        background_job_stop(job->background);
        background_job_finish(job->background, NULL);
        app->findings->job = NULL;
        job_free(job);
    }
    app->findings->list = (struct finding_list){0};
    app->findings->is_known = false;
}

void app_findings_forget(struct app *app, const struct split *split)
{
    const struct findings_state *findings = app->findings;
    if (findings->split == split || (findings->job && findings->job->selection.split == split))
        app_findings_end(app);
}

bool app_findings_arrived(struct app *app)
{
    return job_await(app, 0);
}

static bool findings_are_known(const struct app *app)
{
    return app->findings->is_known && app->findings->generation == app->generation;
}

bool host_findings_pending(const struct app *app)
{
    return app->findings->job || (app->is_live && !findings_are_known(app));
}

// Computes the findings on this thread.
static void findings_compute(struct app *app, struct findings_job *job)
{
    job_set_result(app, job, !job || !arena_run(job->arena, job_body, job, NULL));
}

// Starts a job and takes its result if it ends within this frame. Only one job runs at a time: a
// job of a former generation is stopped, and the frame after its end starts the next. A job that
// ends later is left to app_findings_arrived(), so that the list does not change while it is
// traversed.
static void findings_start(struct app *app)
{
    struct findings_job *job = app->findings->job;
    if (job) {
        if (job->generation != app->generation)
            background_job_stop(job->background);
        return;
    }
    job = job_new(app);
    if (job &&
        (job->background = background_job_start(job->arena, JOB_BACKGROUND, job_body, job))) {
        app->findings->job = job;
        job_await(app, app->cache->building ? 0 : MAX_FRAME_WAIT_MS); // at most one wait per frame
    } else {
        findings_compute(app, job);
    }
}

const struct finding_list *host_findings(struct app *app)
{
    if (findings_are_known(app))
        return &app->findings->list;
    // A partly loaded profile has no findings.
    if (app->profile->stage != STAGE_READY) {
        app_findings_end(app);
        job_set_result(app, NULL, false);
        return &app->findings->list;
    }
    if (app->is_live) {
        if (!app->candidates->is_open) // releasing a preview would have to wait for the job
            findings_start(app);
        return &app->findings->list;
    }
    app_findings_end(app);
    findings_compute(app, job_new(app));
    return &app->findings->list;
}

void host_await_findings(struct app *app)
{
    struct findings_job *job = app->findings->job;
    if (!host_findings_pending(app) || app->profile->stage != STAGE_READY ||
        app->candidates->is_open)
        return;
    if (job && job->generation != app->generation)
        background_job_stop(job->background);
    if (job)
        job_end(app);
    if (!findings_are_known(app))
        findings_compute(app, job_new(app));
}

const char *host_no_findings_text(const struct app *app, bool *is_judged)
{
    *is_judged = false;
    return app->findings->has_failed
               ? "Not judged: out of memory"
               : expert_empty_text(app->profile, &app->findings->list, is_judged);
}
