// SPDX-License-Identifier: Apache-2.0
// The findings of what is looked at, and going to the rows that prove them.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ui/state/app_state.h"
#include "ui/state/aside.h"

struct findings_job {
    const struct profile *profile;
    struct selection selection; // of a set that lives as long as the app
    struct arena *arena;
    struct finding_list list;
    unsigned generation; // of the app when it began
    struct aside *aside;
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
                                 .selection = app_selection(app),
                                 .arena = arena,
                                 .generation = app->generation};
    return job;
}

static void job_drop(struct findings_job *job)
{
    arena_free(job->arena);
    free(job);
}

// What a job found, or nothing where there is none, is what is known. Failed: for want of memory.
static void job_take(struct app *app, struct findings_job *job, bool has_failed)
{
    struct cached_findings *findings = &app->findings;
    arena_free(findings->arena);
    findings->arena = job ? job->arena : NULL;
    findings->list = job && !has_failed ? job->list : (struct finding_list){0};
    findings->generation = job ? job->generation : app->generation;
    findings->split = job ? job->selection.split : NULL;
    findings->has_failed = has_failed;
    findings->is_known = true;
    free(job);
}

// Takes what the job found, if that is still what is looked at, once it has ended.
static void job_end(struct app *app)
{
    struct findings_job *job = app->findings.job;
    struct error error = {0};
    app->findings.job = NULL;
    bool is_done = aside_end(job->aside, &error);
    if (!is_done && error.kind != ERROR_MEMORY)
        job_drop(job);
    else
        job_take(app, job, !is_done);
}

// The same of one that ends within that time; false: not there yet.
static bool job_await(struct app *app, long milliseconds)
{
    bool is_there = app->findings.job && aside_await(app->findings.job->aside, milliseconds);
    if (is_there)
        job_end(app);
    return is_there;
}

void app_findings_end(struct app *app)
{
    struct findings_job *job = app->findings.job;
    if (job) {
        aside_stop(job->aside);
        aside_end(job->aside, NULL);
        app->findings.job = NULL;
        job_drop(job);
    }
    app->findings.list = (struct finding_list){0};
    app->findings.is_known = false;
}

void app_findings_forget(struct app *app, const struct split *split)
{
    const struct cached_findings *findings = &app->findings;
    if (findings->split == split || (findings->job && findings->job->selection.split == split))
        app_findings_end(app);
}

bool app_findings_arrived(struct app *app)
{
    return job_await(app, 0);
}

static bool findings_are_known(const struct app *app)
{
    return app->findings.is_known && app->findings.generation == app->generation;
}

bool app_findings_pending(const struct app *app)
{
    return app->findings.job || (app->is_live && !findings_are_known(app));
}

// No thread, or nobody to look at something else meanwhile.
static void findings_make(struct app *app, struct findings_job *job)
{
    job_take(app, job, !job || !arena_run(job->arena, job_body, job, NULL));
}

// In the frame if they come that soon, else later. One job at a time: that of a former generation
// stops, and the frame after its end begins the next. What it has found meanwhile is left to
// app_findings_arrived(): a list that is gone through does not change.
static void findings_start(struct app *app)
{
    struct findings_job *job = app->findings.job;
    if (job) {
        if (job->generation != app->generation)
            aside_stop(job->aside);
        return;
    }
    job = job_new(app);
    if (job && (job->aside = aside_begin(job->arena, ASIDE_PATIENT, job_body, job))) {
        app->findings.job = job;
        job_await(app, app->cache.building ? 0 : ASIDE_PATIENCE_MS); // one wait a frame
    } else {
        findings_make(app, job);
    }
}

const struct finding_list *app_findings(struct app *app)
{
    if (findings_are_known(app))
        return &app->findings.list;
    // Nothing is judged by half a profile.
    if (app->profile->stage != STAGE_READY) {
        app_findings_end(app);
        job_take(app, NULL, false);
        return &app->findings.list;
    }
    if (app->is_live) {
        if (!app->candidates.is_open) // what is only looked at would wait for them when it goes
            findings_start(app);
        return &app->findings.list;
    }
    app_findings_end(app);
    findings_make(app, job_new(app));
    return &app->findings.list;
}

void app_findings_await(struct app *app)
{
    struct findings_job *job = app->findings.job;
    if (!app_findings_pending(app) || app->profile->stage != STAGE_READY || app->candidates.is_open)
        return;
    if (job && job->generation != app->generation)
        aside_stop(job->aside);
    if (job)
        job_end(app);
    if (!findings_are_known(app))
        findings_make(app, job_new(app));
}

const char *app_findings_none(const struct app *app, bool *is_judged)
{
    *is_judged = false;
    return app->findings.has_failed
               ? "Not judged: out of memory"
               : expert_empty_text(app->profile, &app->findings.list, is_judged);
}

void app_finding_rows(struct view *view, const struct finding *finding)
{
    if (finding->filter)
        view->table.is_filter_from_link = table_set_filter(&view->table, finding->filter, NULL);
    if (finding->sort)
        table_sort_named(&view->table, finding->sort, NULL);
}

static void open_finding(struct app *app, const struct finding *finding)
{
    if (!finding->opens) {
        app_say(app, "%s",
                finding->severity != SEVERITY_NOT_JUDGED ? "no rows behind this finding"
                : finding->flag
                    ? "not judged: {capture-line} shows the capture line that would tell more"
                    : finding->recommendation);
        return;
    }
    const struct view *before = app_top(app);
    app_enter(app, finding->opens, &finding->evidence, finding->detector->title);
    struct view *view = app_top(app);
    if (view == before)
        return; // which said why
    // Walking on replaces the proof: Esc leads to where one was before the first of them.
    if (before->is_proof)
        app_drop_below(app);
    view->is_proof = view->is_evidence = true; // before it has any rows
    snprintf(view->opened, sizeof view->opened, "next-finding %s", finding->id);
    if (strlen(finding->id) + sizeof "next-finding " > sizeof view->opened)
        view->opened[0] = 0;
    if (view->report)
        app_finding_rows(view, finding);
}

static bool can_step_to(const struct finding *finding)
{
    return finding->opens && !finding->detector->is_about_capture && !finding_is_folded(finding);
}

// Where one goes on from: the finding under the cursor of a list, if somebody has moved it there
// since `(` and `)` were pressed last, else the one opened last. Places from 1 on, 0: before the first.
static size_t step_from(struct app *app, const struct finding_list *findings, int direction)
{
    const struct view *view = app_top(app);
    const struct finding *finding =
        view->class->finding ? view->class->finding(app_top(app)) : NULL;
    size_t place = finding ? (size_t)(finding - findings->items) + 1 : 0;
    bool is_moved = place > 0 && place != app->findings_left_at;
    app->findings_left_at = place > 0 ? place : app->findings_left_at;
    if (is_moved)
        return direction > 0 ? place - 1 : place; // begins with it, or goes back from it
    return app->finding_at <= findings->count ? app->finding_at : 0;
}

// The finding of a number, as lists show them, or of a name; 0: there is none.
static size_t finding_called(const struct finding_list *findings, const char *name)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        char number[24];
        snprintf(number, sizeof number, "%zu", expert_number(findings, finding));
        if (strcmp(finding->id, name) == 0 || strcmp(number, name) == 0)
            return i + 1;
    }
    return 0;
}

static void step_finding(struct app *app, int direction)
{
    const struct finding_list *findings = app_findings(app);
    size_t count = 0, place = 0;
    for (size_t i = 0; i < findings->count; i++)
        count += can_step_to(&findings->items[i]);
    if (count == 0) {
        app_say(app, "no findings with rows to open");
        return;
    }
    size_t at = step_from(app, findings, direction);
    do
        at = direction > 0 ? at % findings->count + 1 : at > 1 ? at - 1 : findings->count;
    while (!can_step_to(&findings->items[at - 1]));
    for (size_t i = 0; i < at; i++)
        place += can_step_to(&findings->items[i]);
    const struct finding *finding = &findings->items[at - 1];
    app->finding_at = at;
    app_say(app, "%zu of %zu: %s", place, count,
            text_display_units(app->canvas->frame, finding->problem, app->canvas->ascii));
    open_finding(app, finding);
}

void app_open_finding(struct app *app, const struct finding *finding)
{
    app->finding_at = (size_t)(finding - app_findings(app)->items) + 1;
    app->findings_left_at = app->finding_at;
    open_finding(app, finding);
}

// That of a number or name.
static void go_finding(struct app *app, const char *name)
{
    const struct finding_list *findings = app_findings(app);
    size_t at = finding_called(findings, name);
    const struct finding *finding = at > 0 ? &findings->items[at - 1] : NULL;
    if (!finding || !finding->opens) {
        app_complain(app, finding ? "no rows behind finding '%s'" : "there is no finding '%s'",
                     name);
        return;
    }
    app_say(app, "%s",
            text_display_units(app->canvas->frame, finding->problem, app->canvas->ascii));
    app_open_finding(app, finding);
}

void app_next_finding(struct app *app, const char *argument)
{
    app_findings_await(app);
    if (*argument)
        go_finding(app, argument);
    else
        step_finding(app, 1);
}

void app_previous_finding(struct app *app, const char *argument)
{
    (void)argument;
    app_findings_await(app);
    step_finding(app, -1);
}
