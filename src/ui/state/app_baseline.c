// SPDX-License-Identifier: Apache-2.0
// Actions that choose the baseline of the comparison and show or hide the comparison.
#include <inttypes.h>
#include <string.h>

#include "analysis/compare/baseline.h"
#include "analysis/report/memo.h"
#include "analysis/reports/report_list.h"
#include "analysis/steps/step_sets.h"
#include "base/parse/expr.h"
#include "model/open/open.h"
#include "model/profile/ranks.h"
#include "ui/host.h"
#include "ui/rows/cache.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/comparing.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/script_state.h"
#include "ui/state/splits.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/term/canvas.h"

// Frees the baseline and the comparison reports, but not the profile. Tables and cached rows that
// point to them are dropped first.
static void baseline_forget(struct app *app)
{
    struct view *view;
    for (size_t i = 0; (view = app_view_at(app, i)); i++)
        view_show_base(view);
    cache_forget(app->cache);
    app_comparing_forget_memo(app); // it refers to a split in the arena
    arena_free(app->comparing->arena);
    app->comparing->arena = NULL;
    app->comparing->baseline = NULL;
    app_changed(app);
}

void app_drop_baseline(struct app *app)
{
    if (!app->comparing->arena)
        return;
    baseline_forget(app);
    profile_free(app->comparing->loaded);
    *app->comparing = (struct app_comparing){0};
}

// ---- making a baseline -------------------------------------------------------------------------

struct baseline_build {
    struct app *app;
    struct app_comparing *comparing;
};

static bool comparing_body(void *context, struct error *error)
{
    struct baseline_build *build = context;
    struct app_comparing *comparing = build->comparing;
    struct baseline_request request = comparing->request;
    struct selection like = host_selection(build->app);
    const char *key = app_split_name(build->app);
    comparing->baseline = ARENA_NEW(comparing->arena, struct baseline);
    comparing->reports =
        ARENA_ARRAY(comparing->arena, const struct report *, COMPARING_UNITS *report_count);
    if (comparing->loaded) // both sides are split the same way
        request.split = split_called(request.profile, key, comparing->arena);
    if (strcmp(key, comparing->key) != 0)
        request.iters = NULL; // they number the steps of another split
    return baseline_init(comparing->baseline, &request, &like, comparing->arena, error);
}

static bool comparing_make(struct app *app, struct app_comparing *comparing, struct error *error)
{
    struct baseline_build build = {app, comparing};
    comparing->arena = arena_new(0);
    if (!comparing->arena)
        return error_set(error, ERROR_MEMORY, "out of memory");
    if (arena_run(comparing->arena, comparing_body, &build, error)) {
        comparing->request.path = comparing->loaded ? comparing->baseline->name : NULL;
        if (comparing->loaded)
            comparing_memo_open(comparing, app->is_live);
        return true;
    }
    arena_free(comparing->arena);
    return false;
}

static bool baseline_set(struct app *app, struct app_comparing *comparing, struct error *error)
{
    snprintf(comparing->key, sizeof comparing->key, "%s", app_split_name(app));
    comparing->is_shown = true;
    if (!comparing_make(app, comparing, error))
        return false;
    app_drop_baseline(app);
    *app->comparing = *comparing;
    app_changed(app);
    return true;
}

// Shows a message if anything makes the two sides hard to compare.
static bool say_notes(void *context, struct error *error)
{
    struct app *app = context;
    struct arena *arena = app->comparing->arena;
    struct selection selection = host_selection(app);
    struct compared compared;
    (void)error;
    selection.baseline = host_baseline(app);
    compare_init(&compared, app->profile, &selection, arena);
    const char *text = "", *note;
    for (size_t i = 0; (note = compare_note_text(&compared, i, arena)); i++)
        text = arena_format(arena, "%s%s%s", text, *text ? "; " : "", note);
    if (*text)
        host_say(app, "%s", text);
    return true;
}

bool app_compare_with(struct app *app, const struct profile *loaded, const char *path,
                      struct error *error)
{
    const struct app_options *options = app->options;
    bool is_first = path && options->baseline && strcmp(path, options->baseline) == 0;
    bool is_asked = is_first || !loaded; // the options apply to this baseline
    struct app_comparing comparing = {.loaded = loaded,
                                      .request = {
                                          .profile = loaded ? loaded : app->profile,
                                          .path = loaded ? path : NULL,
                                          .beside = options->path,
                                          .iters = is_asked ? options->baseline_iters : NULL,
                                          .gpu = is_asked ? options->baseline_gpu : UNKNOWN,
                                          .process = is_asked ? options->baseline_process : UNKNOWN,
                                      }};
    snprintf(comparing.path, sizeof comparing.path, "%s", loaded ? path : "");
    // By default two runs are compared by the usual steps of both.
    bool is_chosen = step_choice_is_given(&options->steps) ||
                     app->scope->iterations != app_default_set(app, app->comparing->loaded);
    const bool *usual = loaded && !is_chosen ? app_default_set(app, true) : app->scope->iterations;
    if (!baseline_set(app, &comparing, error))
        return false;
    host_select_steps(app, usual);                          // cannot fail: the set is kept already
    arena_run(app->comparing->arena, say_notes, app, NULL); // out of memory: no message
    return true;
}

void app_comparing_follow(struct app *app)
{
    struct error error = {0};
    struct app_comparing comparing = *app->comparing;
    if (!comparing.loaded)
        return;
    comparing.memo = NULL; // belongs to the former split
    if (comparing_make(app, &comparing, &error)) {
        baseline_forget(app);
        *app->comparing = comparing;
    } else {
        app_drop_baseline(app);
        host_complain(app, "compared with nothing: %s", error.message);
    }
}

// Makes the current steps, GPU and process the baseline; it does not follow later changes of scope.
static void baseline_from_scope(struct app *app)
{
    struct error error = {0};
    struct app_comparing comparing = {
        .request = {.profile = app->profile, .gpu = UNKNOWN, .process = UNKNOWN}};
    if (app->profile->stage != STAGE_READY) {
        host_say(app, "steps are not known before all is loaded");
        return;
    }
    if (!baseline_set(app, &comparing, &error)) {
        host_complain(app, "%s", error.message);
        return;
    }
    struct baseline *baseline = app->comparing->baseline;
    baseline->selection.device = app->scope->device;
    baseline->selection.process = app->scope->process;
    baseline->follows_scope = false;
    baseline->name = "before";
    host_say(app,
             "this is A now: what you look at next is B, beside it ({deltas}: the figures alone)");
}

static bool load(struct app *app, const char *path, struct error *error)
{
    struct load_request request = load_request_of(app->options->request, path);
    request.no_subprocess = app->script->follows_session;
    request.progress = NULL;
    const struct profile *loaded = profile_load(&request, error);
    if (loaded && app_compare_with(app, loaded, path, error))
        return true;
    profile_free(loaded);
    return false;
}

// Selects the usual steps before the other profile is loaded, so that figures do not change then.
static void choose_usual(struct app *app)
{
    if (!step_choice_is_given(&app->options->steps))
        host_select_steps(app, app_default_set(app, true));
    app->undo->at = app->undo->count = 0;
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
    if (!app->is_live)
        return load(app, options->baseline, error);
    snprintf(app->comparing_load->wanted, sizeof app->comparing_load->wanted, "%s",
             options->baseline);
    return true;
}

void app_take_baseline(struct app *app, const char *argument)
{
    struct error error = {0};
    if (strcmp(argument, "off") == 0) {
        app->comparing_load->stops = true;
        host_say(app, host_baseline(app) ? "compared with nothing" : "nothing was compared");
        app_drop_baseline(app);
    } else if (!*argument) {
        baseline_from_scope(app);
    } else if (app->profile->stage != STAGE_READY) {
        host_say(app, "first this profile must be loaded");
    } else if (app->is_live) { // app.c loads it on a thread
        snprintf(app->comparing_load->wanted, sizeof app->comparing_load->wanted, "%s", argument);
    } else if (!load(app, argument, &error)) {
        host_complain(app, "%s", error.message);
    }
}

void app_deltas(struct app *app, const char *argument)
{
    struct app_comparing *comparing = app->comparing;
    // If this profile is loaded, a load in progress can only be that of the baseline.
    bool is_loading = app->profile->stage == STAGE_READY && app->messages->loading[0];
    if (!comparing->baseline && (app->comparing_load->wanted[0] || is_loading)) {
        host_say(app, "what to compare with is being loaded");
        return;
    }
    if (!comparing->baseline) {
        host_say(app, "nothing to compare with: {baseline} takes the present steps, :baseline FILE "
                      "a profile");
        return;
    }
    bool is_evidence = host_top_view(app)->is_evidence,
         wanted = is_evidence || !comparing->is_shown;
    if (!host_parse_switch(app, argument, &wanted) ||
        (wanted == comparing->is_shown && !is_evidence))
        return;
    comparing->is_shown = wanted;
    host_top_view(app)->is_evidence = false;
    app_changed(app);
    if (comparing->is_shown)
        host_say(app, "%s", app_baseline_text(app, app->canvas->frame));
    else
        host_say(app, "the figures alone; {deltas} brings the comparison back");
}
