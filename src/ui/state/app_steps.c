// SPDX-License-Identifier: Apache-2.0
// Computes the figures of the steps on demand and keeps them until the scope changes.
#include <inttypes.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/steps/step_sets.h"
#include "analysis/steps/step_slowest.h"
#include "ui/host.h"
#include "ui/state/app_state.h"
#include "ui/state/scope.h"
#include "ui/state/steps.h"
#include "ui/term/canvas.h"

struct steps_context {
    struct app *app;
    struct steps *steps;
};

static bool steps_body(void *context, struct error *error)
{
    struct steps_context *figures = context;
    struct steps *steps = figures->steps;
    const struct app *app = figures->app;
    (void)error;
    struct selection selection = host_selection(app);
    selection.iterations = NULL; // every step, selected or not
    steps->parts = breakdown_iterations(app->profile, &selection, &breakdown_gpu, steps->arena);
    steps->duration_ns = step_durations(app->scope->split, steps->parts, steps->arena);
    steps->host_ns = step_host_periods(app->profile, &selection, steps->arena);
    steps->sets = step_sets_of(app->scope->split, steps->duration_ns, steps->arena);
    return true;
}

const struct steps *app_steps(struct app *app)
{
    struct steps *steps = app->steps;
    const struct scope *scope = app->scope;
    if (steps->arena && steps->split == scope->split && steps->device == scope->device &&
        steps->process == scope->process)
        return steps;
    if (!steps->arena)
        steps->arena = arena_new(0);
    static const struct steps none;
    if (!steps->arena)
        return &none;
    arena_reset(steps->arena);
    steps->split = scope->split;
    steps->device = scope->device;
    steps->process = scope->process;
    steps->count = scope->split->count;
    steps->has_statistics = false;
    steps->devices = NULL;
    steps->device_count = 0;
    steps->slowest = NULL;
    struct steps_context call = {app, steps};
    if (!arena_run(steps->arena, steps_body, &call, NULL))
        steps->count = 0;
    return steps;
}

static bool devices_body(void *context, struct error *error)
{
    struct steps_context *figures = context;
    struct steps *steps = figures->steps;
    const struct profile *profile = figures->app->profile;
    struct selection selection = host_selection(figures->app);
    (void)error;
    selection.iterations = NULL;
    steps->devices = ARENA_ARRAY(steps->arena, struct steps_device, profile->device_count + 1);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (figures->app->scope->device != ROW_NONE && figures->app->scope->device != d)
            continue;
        selection.device = d;
        struct breakdown *parts =
            breakdown_iterations(profile, &selection, &breakdown_gpu, steps->arena);
        int64_t longest = 0;
        for (uint32_t i = 0; i < steps->count; i++)
            longest = parts[i].window_ns > longest ? parts[i].window_ns : longest;
        if (longest == 0)
            continue;
        int64_t *duration_ns = ARENA_ARRAY(steps->arena, int64_t, (size_t)steps->count + 1);
        for (uint32_t i = 0; i < steps->count; i++)
            duration_ns[i] = parts[i].window_ns > 0 ? parts[i].window_ns : UNKNOWN;
        steps->devices[d] = (struct steps_device){parts, duration_ns};
    }
    steps->device_count = profile->device_count;
    return true;
}

const struct steps *app_steps_by_device(struct app *app)
{
    enum { MAX_FIGURES = 4 << 20 }; // steps times GPUs; bounds the memory for the chart
    const struct steps *current = app_steps(app);
    struct steps *steps = app->steps;
    if (current == steps && !steps->devices &&
        (uint64_t)app->profile->device_count * steps->count <= MAX_FIGURES) {
        struct steps_context call = {app, steps};
        if (!arena_run(steps->arena, devices_body, &call, NULL))
            steps->device_count = 0;
    }
    return current;
}

static bool slowest_body(void *context, struct error *error)
{
    struct steps_context *call = context;
    struct selection selection = host_selection(call->app);
    (void)error;
    call->steps->slowest = steps_slowest(call->app->profile, &selection, call->steps->arena);
    return true;
}

const struct steps_slowest *app_steps_slowest(struct app *app)
{
    struct steps *steps = app->steps;
    if (app_steps(app) != steps)
        return NULL;
    if (!steps->slowest)
        arena_run(steps->arena, slowest_body, &(struct steps_context){app, steps}, NULL);
    return steps->slowest;
}

// Returns the current figures with the statistics of the selected steps; NULL: there are none.
static const struct steps *with_statistics(struct app *app)
{
    const struct steps *now = app_steps(app);
    const struct scope *scope = app->scope;
    struct steps *steps = app->steps;
    if (now != steps || steps->count != scope->split->count)
        return NULL;
    if (!steps->has_statistics || steps->statistics_of != scope->iterations) {
        steps->statistics = step_statistics_of(steps->duration_ns, scope->iterations, steps->count,
                                               app->canvas->frame);
        steps->norms =
            step_norms_of(scope->split, steps->duration_ns, scope->iterations, app->canvas->frame);
    }
    steps->has_statistics = true;
    steps->statistics_of = scope->iterations;
    return steps;
}

struct step_statistics app_step_statistics(struct app *app)
{
    const struct steps *steps = with_statistics(app);
    return steps ? steps->statistics
                 : (struct step_statistics){.worst = ROW_NONE, .median = ROW_NONE};
}

struct step_norms app_step_norms(struct app *app)
{
    const struct steps *steps = with_statistics(app);
    return steps ? steps->norms
                 : (struct step_norms){.split = app->scope->split, .worst = ROW_NONE};
}

const char *app_out_text(struct app *app, enum omitted_steps_form form, struct arena *arena)
{
    const struct steps *steps = app_steps(app);
    if (steps->count != app->scope->split->count)
        return NULL;
    struct step_norms norms = app_step_norms(app);
    return omitted_steps_text(app->scope->split, steps->duration_ns, app->scope->iterations,
                              &steps->sets, &norms, form, arena);
}

const char *host_step_name(const struct app *app, uint32_t iteration, struct arena *arena)
{
    return arena_format(arena, "#%" PRId64, app->scope->split->number[iteration]);
}

char *host_step_label(const struct app *app, uint32_t iteration, struct arena *arena)
{
    const struct split *split = app->scope->split;
    return arena_format(arena, "%s %" PRId64, split_words_of(split)->one, split->number[iteration]);
}

const char *host_step_title(const struct app *app, uint32_t iteration, struct arena *arena)
{
    if (app->scope->split->method == SPLIT_NONE)
        return app->profile->lacks_times ? "GPU work, added up" : "First to last GPU work";
    char *title = host_step_label(app, iteration, arena);
    title[0] = (char)(title[0] - 'a' + 'A');
    return title;
}

const char *app_outlier_text(struct app *app, size_t most, struct arena *arena)
{
    const struct steps *steps = app_steps(app);
    struct step_norms norms = app_step_norms(app);
    const char *text = "";
    size_t found = 0;
    for (uint32_t i = 0; i < steps->count; i++) {
        if (!host_step_is_selected(app, i) || !step_stands_out(&norms, i, steps->duration_ns[i]) ||
            steps->duration_ns[i] < step_norm(&norms, i)->median_ns)
            continue;
        if (found++ == most)
            return arena_format(arena, "%s ...", text);
        text = arena_format(arena, "%s%s%s", text, *text ? " " : "", host_step_name(app, i, arena));
    }
    return text;
}
