// SPDX-License-Identifier: Apache-2.0
// Before and after: what the screen is compared with, and whether it shows that.
#include <inttypes.h>
#include <string.h>

#include "analysis/baseline.h"
#include "base/expr.h"
#include "ui/app_state.h"

const struct baseline *app_baseline(const struct app *app)
{
    return app->comparing.baseline;
}

static bool is_per_step(const struct app *app)
{
    return app->scope.split->method != SPLIT_NONE &&
           app_baseline(app)->selection.split->method != SPLIT_NONE;
}

const char *app_comparing_unit(const struct app *app)
{
    return is_per_step(app) ? "per step and GPU" : "per GPU";
}

const struct report *app_comparison(struct app *app, const struct report *base)
{
    struct app_comparing *comparing = &app->comparing;
    if (!comparing->baseline || !comparing->is_shown || !base)
        return NULL;
    for (size_t i = 0; i < report_count; i++) {
        if (reports[i] != base)
            continue;
        size_t at = 2 * i + is_per_step(app);
        if (!comparing->reports[at])
            comparing->reports[at] =
                compare_report(base, is_per_step(app) ? "step" : NULL, comparing->arena);
        return comparing->reports[at];
    }
    return NULL;
}

const char *app_comparing_text(struct app *app, struct arena *arena)
{
    const struct baseline *baseline = app_baseline(app);
    const struct selection *selection = &baseline->selection;
    const struct split *split = selection->split;
    const char *text = arena_format(arena, "A: %s", baseline->name);
    if (selection->iterations)
        text = arena_format(arena, "%s, set %s of %u", text,
                            set_format(arena, selection->iterations, split->number, split->count),
                            split->count);
    else if (split->method != SPLIT_NONE)
        text = arena_format(arena, "%s, all %u", text, split->count);
    if (selection->process != ROW_NONE)
        text = arena_format(arena, "%s, process %u", text,
                            baseline->profile->processes[selection->process].pid);
    if (selection->device != ROW_NONE)
        text = arena_format(arena, "%s, GPU %" PRId64, text,
                            device_number(baseline->profile, selection->device));
    return text;
}

// ---- taking one --------------------------------------------------------------------------------

static void show_base(struct view *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        view_show_base(list[i]);
}

void app_drop_baseline(struct app *app)
{
    struct app_comparing *comparing = &app->comparing;
    if (!comparing->arena)
        return;
    // Nothing may point into it any more: no table, no rows that are kept.
    show_base(app->trail, app->depth);
    show_base(app->tabs, app->tab_count);
    cache_forget(&app->cache);
    profile_free(comparing->loaded);
    arena_free(comparing->arena);
    *comparing = (struct app_comparing){0};
    app_changed(app);
}

struct taking {
    struct app *app;
    struct arena *arena;
    struct baseline_request request;
    struct baseline *baseline;
    const struct report **reports;
};

static bool take_body(void *context, struct error *error)
{
    struct taking *taking = context;
    struct selection like = app_selection(taking->app);
    taking->baseline = ARENA_NEW(taking->arena, struct baseline);
    taking->reports = ARENA_ARRAY(taking->arena, const struct report *, 2 * report_count);
    return baseline_make(taking->baseline, &taking->request, &like, taking->arena, error);
}

static bool take(struct app *app, struct taking *taking, struct error *error)
{
    taking->app = app;
    taking->arena = arena_new(0);
    if (!taking->arena)
        return error_set(error, ERROR_MEMORY, "out of memory");
    if (!arena_run(taking->arena, take_body, taking, error)) {
        arena_free(taking->arena);
        return false;
    }
    app_drop_baseline(app);
    app->comparing = (struct app_comparing){
        .baseline = taking->baseline, .reports = taking->reports, .arena = taking->arena};
    return true;
}

bool app_compare_with(struct app *app, const struct profile *loaded, const char *path,
                      struct error *error)
{
    const struct app_options *options = app->options;
    bool is_first = path && options->baseline && strcmp(path, options->baseline) == 0;
    struct taking taking = {
        .request = {
            .profile = loaded ? loaded : app->profile,
            .path = loaded ? path : NULL,
            .key = options->key_op,
            .iters = is_first || !loaded ? options->baseline_iters : NULL,
            .gpu = is_first || !loaded ? options->baseline_gpu : UNKNOWN,
            .process = is_first || !loaded ? options->baseline_process : UNKNOWN,
        }};
    if (!take(app, &taking, error))
        return false;
    app->comparing.loaded = loaded;
    app->comparing.is_shown = true;
    app_changed(app);
    return true;
}

// The present steps, GPU and process, which stay where they are when the screen moves on.
static void take_present(struct app *app)
{
    struct error error = {0};
    struct taking taking = {
        .request = {.profile = app->profile, .gpu = UNKNOWN, .process = UNKNOWN}};
    if (app->profile->stage != STAGE_READY) {
        app_say(app, "steps are not known before all is loaded");
        return;
    }
    if (!take(app, &taking, &error)) {
        app_complain(app, "%s", error.message);
        return;
    }
    struct baseline *baseline = app->comparing.baseline;
    baseline->selection.device = app->scope.device;
    baseline->selection.process = app->scope.process;
    baseline->follows_scope = false;
    baseline->name = "before";
    app->comparing.is_shown = true;
    app_changed(app);
    app_say(app, "this is A now: what you look at next is B, beside it (B: the figures alone)");
}

static bool load(struct app *app, const char *path, struct error *error)
{
    struct load_request request = *app->options->request;
    request.path = path;
    request.progress = NULL;
    const struct profile *loaded = profile_load(&request, error);
    if (loaded && app_compare_with(app, loaded, path, error))
        return true;
    profile_free(loaded);
    return false;
}

// Whoever compares two runs wants the usual step of both.
static void choose_usual(struct app *app)
{
    struct selection selection = app_selection(app);
    const struct app_options *options = app->options;
    if (options->iters || options->iter_start != UNKNOWN || options->iter_stop != UNKNOWN)
        return;
    const bool *usual = selection_usual(app->profile, &selection, app->canvas->frame);
    if (usual)
        app_choose_set(app, usual);
    app->undo_at = app->undo_count = 0;
}

bool app_start_comparing(struct app *app, struct error *error)
{
    const struct app_options *options = app->options;
    bool is_within = options->baseline_iters || options->baseline_gpu != UNKNOWN ||
                     options->baseline_process != UNKNOWN;
    if (!options->baseline && !is_within)
        return true;
    choose_usual(app);
    if (!options->baseline)
        return app_compare_with(app, NULL, NULL, error);
    if (app->is_script)
        return load(app, options->baseline, error);
    snprintf(app->comparing_wanted, sizeof app->comparing_wanted, "%s", options->baseline);
    return true;
}

void app_take_baseline(struct app *app, const char *argument)
{
    struct error error = {0};
    if (strcmp(argument, "off") == 0) {
        app->stops_loading = true;
        app_say(app, app_baseline(app) ? "compared with nothing" : "nothing was compared");
        app_drop_baseline(app);
    } else if (!*argument) {
        take_present(app);
    } else if (app->profile->stage != STAGE_READY) {
        app_say(app, "first this profile must be loaded");
    } else if (!app->is_script) { // beside the keyboard, see app.c
        snprintf(app->comparing_wanted, sizeof app->comparing_wanted, "%s", argument);
    } else if (load(app, argument, &error)) {
        app_say(app, "%s", app_comparing_text(app, app->canvas->frame));
    } else {
        app_complain(app, "%s", error.message);
    }
}

void app_deltas(struct app *app, const char *argument)
{
    (void)argument;
    struct app_comparing *comparing = &app->comparing;
    if (!comparing->baseline) {
        app_say(app,
                "nothing to compare with: b takes the present steps, :baseline FILE a profile");
        return;
    }
    comparing->is_shown = !comparing->is_shown;
    app_changed(app);
    if (comparing->is_shown)
        app_say(app, "%s", app_comparing_text(app, app->canvas->frame));
    else
        app_say(app, "the figures alone; B brings the comparison back");
}
