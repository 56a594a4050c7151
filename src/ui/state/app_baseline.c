// SPDX-License-Identifier: Apache-2.0
// Before and after: what the screen is compared with, and whether it shows that.
#include <inttypes.h>
#include <string.h>

#include "analysis/compare/baseline.h"
#include "analysis/report/memo.h"
#include "analysis/reports/report_list.h"
#include "base/parse/expr.h"
#include "model/open/open.h"
#include "model/profile/ranks.h"
#include "ui/state/app_state.h"

const struct baseline *app_baseline(const struct app *app)
{
    return app->comparing.baseline;
}

static const char *unit_of(const struct app *app)
{
    return compare_unit(app_baseline(app)->selection.split, app->scope.split);
}

const char *app_comparing_one(const struct app *app)
{
    const char *unit = unit_of(app);
    return unit ? unit : "capture";
}

const char *app_comparing_unit(const struct app *app, const struct report *report,
                               struct arena *arena)
{
    return compare_parts_text(report, unit_of(app), arena);
}

// Comparisons of a report: by what its sums are parts of.
static size_t place_of_unit(struct app_comparing *comparing, const char *unit)
{
    size_t u = 0;
    while (u + 1 < COMPARING_UNITS && comparing->units[u] && strcmp(comparing->units[u], unit) != 0)
        u++;
    comparing->units[u] = unit;
    return u;
}

struct wanted {
    struct app_comparing *comparing;
    const struct report *base, **made;
    const char *unit;
};

static bool report_body(void *context, struct error *error)
{
    struct wanted *wanted = context;
    (void)error;
    *wanted->made = compare_report(wanted->base, wanted->unit, wanted->comparing->arena);
    return true;
}

const struct report *app_comparison(struct app *app, const struct report *base)
{
    struct app_comparing *comparing = &app->comparing;
    size_t i = 0;
    if (!comparing->baseline || !comparing->is_shown || !base)
        return NULL;
    while (i < report_count && reports[i] != base)
        i++;
    if (i == report_count)
        return NULL;
    const char *unit = unit_of(app);
    size_t place = place_of_unit(comparing, unit ? unit : "");
    const struct report **made = &comparing->reports[COMPARING_UNITS * i + place];
    struct wanted wanted = {comparing, base, made, unit};
    struct error error = {0};
    if (!*made && !arena_run(comparing->arena, report_body, &wanted, &error))
        app_complain(app, "%s", error.message);
    return *made;
}

const char *app_comparing_text(struct app *app, struct arena *arena)
{
    const struct baseline *baseline = app_baseline(app);
    const struct selection *selection = &baseline->selection;
    const struct split *split = selection->split, *other = app->scope.split;
    const char *text = arena_format(arena, "A: %s", baseline->name);
    // What cuts the steps is said of B, and here where it is something else.
    bool is_alike = split->method == other->method && strcmp(split->key, other->key) == 0;
    const char *all = is_alike ? arena_format(arena, "%u", split->count) : split->text;
    if (selection->iterations)
        text = arena_format(arena, "%s, set %s of %s", text,
                            set_format(arena, selection->iterations, split->number, split->count),
                            all);
    else if (split->method != SPLIT_NONE || !is_alike)
        text = arena_format(arena, "%s, %s%s", text, split->count > 1 ? "all " : "", all);
    if (selection->process != ROW_NONE)
        text = arena_format(
            arena, "%s, %s", text,
            process_label(baseline->profile, selection->process, (char[PROCESS_LABEL_SIZE]){0}));
    if (selection->device != ROW_NONE)
        text = arena_format(arena, "%s, GPU %" PRId64, text,
                            device_number(baseline->profile, selection->device));
    struct selection scope = app_selection(app);
    if (!baseline_has_scope(baseline, app->profile, &scope))
        text = arena_format(arena, "%s: has no such %s", text,
                            app->scope.process == ROW_NONE  ? "GPU"
                            : app->scope.device == ROW_NONE ? "process"
                                                            : "process or GPU");
    return text;
}

// Baseline and reports go, but not the profile: nothing may point to them any more, no table, no
// rows that are kept.
static void forget_made(struct app *app)
{
    struct view *view;
    for (size_t i = 0; (view = app_view_at(app, i)); i++)
        view_show_base(view);
    cache_forget(&app->cache);
    app_comparing_forget_memo(app); // of a split that lies in the arena
    arena_free(app->comparing.arena);
    app->comparing.arena = NULL;
    app->comparing.baseline = NULL;
    app_changed(app);
}

void app_drop_baseline(struct app *app)
{
    if (!app->comparing.arena)
        return;
    forget_made(app);
    profile_free(app->comparing.loaded);
    app->comparing = (struct app_comparing){0};
}

// ---- what is kept of the other profile ---------------------------------------------------------

void app_comparing_forget_memo(struct app *app)
{
    memo_free(app->comparing.memo);
    app->comparing.memo = NULL;
    if (app->comparing.baseline)
        app->comparing.baseline->selection.memo = NULL;
}

static void memo_open(struct app_comparing *comparing, bool is_live)
{
    struct baseline *baseline = comparing->baseline;
    comparing->memo = memo_new(baseline->profile, baseline->selection.split);
    baseline->selection.memo = comparing->memo;
    if (comparing->memo && is_live)
        memo_set_async(comparing->memo);
}

void app_comparing_open_memo(struct app *app)
{
    if (app->comparing.baseline && app->comparing.loaded)
        memo_open(&app->comparing, app->is_live);
}

void app_comparing_work_memo(struct app *app)
{
    struct memo *memo = app->comparing.memo;
    if (memo) {
        memo_set_async(memo);
        memo_run_queue(memo);
    }
}

// ---- taking one --------------------------------------------------------------------------------

struct making {
    struct app *app;
    struct app_comparing *comparing;
};

static bool make_body(void *context, struct error *error)
{
    struct making *making = context;
    struct app_comparing *comparing = making->comparing;
    struct baseline_request request = comparing->request;
    struct selection like = app_selection(making->app);
    const char *key = app_split_name(making->app);
    comparing->baseline = ARENA_NEW(comparing->arena, struct baseline);
    comparing->reports =
        ARENA_ARRAY(comparing->arena, const struct report *, COMPARING_UNITS *report_count);
    if (comparing->loaded) // the steps of both sides are cut by the same
        request.split = split_called(request.profile, key, comparing->arena);
    if (strcmp(key, comparing->key) != 0)
        request.iters = NULL; // numbers of other steps
    return baseline_init(comparing->baseline, &request, &like, comparing->arena, error);
}

static bool comparing_make(struct app *app, struct app_comparing *comparing, struct error *error)
{
    struct making making = {app, comparing};
    comparing->arena = arena_new(0);
    if (!comparing->arena)
        return error_set(error, ERROR_MEMORY, "out of memory");
    if (arena_run(comparing->arena, make_body, &making, error)) {
        comparing->request.path = comparing->loaded ? comparing->baseline->name : NULL;
        if (comparing->loaded)
            memo_open(comparing, app->is_live);
        return true;
    }
    arena_free(comparing->arena);
    return false;
}

static bool take(struct app *app, struct app_comparing *comparing, struct error *error)
{
    snprintf(comparing->key, sizeof comparing->key, "%s", app_split_name(app));
    comparing->is_shown = true;
    if (!comparing_make(app, comparing, error))
        return false;
    app_drop_baseline(app);
    app->comparing = *comparing;
    app_changed(app);
    return true;
}

// What makes the sides hard to compare, if anything does.
static bool say_notes(void *context, struct error *error)
{
    struct app *app = context;
    struct arena *arena = app->comparing.arena;
    struct selection selection = app_selection(app);
    struct compared compared;
    (void)error;
    selection.baseline = app_baseline(app);
    compare_init(&compared, app->profile, &selection, arena);
    const char *text = "", *note;
    for (size_t i = 0; (note = compare_note_text(&compared, i, arena)); i++)
        text = arena_format(arena, "%s%s%s", text, *text ? "; " : "", note);
    if (*text)
        app_say(app, "%s", text);
    return true;
}

bool app_compare_with(struct app *app, const struct profile *loaded, const char *path,
                      struct error *error)
{
    const struct app_options *options = app->options;
    bool is_first = path && options->baseline && strcmp(path, options->baseline) == 0;
    bool is_asked = is_first || !loaded; // for what the options say
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
    // Whoever compares two runs wants the usual steps of both, unless some were chosen.
    bool is_chosen = step_choice_is_given(&options->steps) ||
                     app->scope.iterations != app_first_set(app, app->comparing.loaded);
    const bool *usual = loaded && !is_chosen ? app_first_set(app, true) : app->scope.iterations;
    if (!take(app, &comparing, error))
        return false;
    app_choose_set(app, usual);                            // needs no memory: it is kept already
    arena_run(app->comparing.arena, say_notes, app, NULL); // no memory: nothing is said
    return true;
}

void app_comparing_follow(struct app *app)
{
    struct error error = {0};
    struct app_comparing comparing = app->comparing;
    if (!comparing.loaded)
        return;
    comparing.memo = NULL; // of the split before
    if (comparing_make(app, &comparing, &error)) {
        forget_made(app);
        app->comparing = comparing;
    } else {
        app_drop_baseline(app);
        app_complain(app, "compared with nothing: %s", error.message);
    }
}

// The present steps, GPU and process, which stay where they are when the screen moves on.
static void take_present(struct app *app)
{
    struct error error = {0};
    struct app_comparing comparing = {
        .request = {.profile = app->profile, .gpu = UNKNOWN, .process = UNKNOWN}};
    if (app->profile->stage != STAGE_READY) {
        app_say(app, "steps are not known before all is loaded");
        return;
    }
    if (!take(app, &comparing, &error)) {
        app_complain(app, "%s", error.message);
        return;
    }
    struct baseline *baseline = app->comparing.baseline;
    baseline->selection.device = app->scope.device;
    baseline->selection.process = app->scope.process;
    baseline->follows_scope = false;
    baseline->name = "before";
    app_say(app,
            "this is A now: what you look at next is B, beside it ({deltas}: the figures alone)");
}

static bool load(struct app *app, const char *path, struct error *error)
{
    struct load_request request = load_request_of(app->options->request, path);
    request.no_subprocess = app->follows_session;
    request.progress = NULL;
    const struct profile *loaded = profile_load(&request, error);
    if (loaded && app_compare_with(app, loaded, path, error))
        return true;
    profile_free(loaded);
    return false;
}

// Before the other profile is there, so that figures stay as they are then.
static void choose_usual(struct app *app)
{
    if (!step_choice_is_given(&app->options->steps))
        app_choose_set(app, app_first_set(app, true));
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
    if (!app->is_live)
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
    } else if (app->is_live) { // beside the keyboard, see app.c
        snprintf(app->comparing_wanted, sizeof app->comparing_wanted, "%s", argument);
    } else if (!load(app, argument, &error)) {
        app_complain(app, "%s", error.message);
    }
}

void app_deltas(struct app *app, const char *argument)
{
    struct app_comparing *comparing = &app->comparing;
    // Once this profile is there, what is being loaded is the other one.
    bool is_loading = app->profile->stage == STAGE_READY && app->loading[0];
    if (!comparing->baseline && (app->comparing_wanted[0] || is_loading)) {
        app_say(app, "what to compare with is being loaded");
        return;
    }
    if (!comparing->baseline) {
        app_say(app, "nothing to compare with: {baseline} takes the present steps, :baseline FILE "
                     "a profile");
        return;
    }
    bool is_evidence = app_top(app)->is_evidence, wanted = is_evidence || !comparing->is_shown;
    if (!app_switch(app, argument, &wanted) || (wanted == comparing->is_shown && !is_evidence))
        return;
    comparing->is_shown = wanted;
    app_top(app)->is_evidence = false;
    app_changed(app);
    if (comparing->is_shown)
        app_say(app, "%s", app_comparing_text(app, app->canvas->frame));
    else
        app_say(app, "the figures alone; {deltas} brings the comparison back");
}
