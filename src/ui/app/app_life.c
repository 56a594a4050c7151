// SPDX-License-Identifier: Apache-2.0
// Creates and frees the app, and shows a profile, or a stage of one that is being loaded.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/detectors/expert.h"
#include "analysis/steps/step_sets.h"
#include "model/ops/ops.h"
#include "ui/actions/app_panes.h"
#include "ui/app/app_life.h"
#include "ui/app/input.h"
#include "ui/app/keymap.h"
#include "ui/app/lists.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/overlay/tour_state.h"
#include "ui/rows/cache.h"
#include "ui/session/bookmarks.h"
#include "ui/session/session.h"
#include "ui/session/tour.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/candidates_panel.h"
#include "ui/state/colours.h"
#include "ui/state/columns.h"
#include "ui/state/comparing.h"
#include "ui/state/findings.h"
#include "ui/state/messages.h"
#include "ui/state/mouse.h"
#include "ui/state/places.h"
#include "ui/state/requests.h"
#include "ui/state/saving.h"
#include "ui/state/scope.h"
#include "ui/state/script_state.h"
#include "ui/state/splits.h"
#include "ui/state/steps.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/term/canvas.h"
#include "ui/term/theme.h"

static const char *theme_name(const struct app_options *options)
{
    const char *color = options->color ? options->color : "auto";
    const char *no_color = getenv("NO_COLOR");
    if (strcmp(color, "never") == 0 || (strcmp(color, "always") != 0 && no_color && *no_color))
        return "mono";
    return options->theme ? options->theme : "dark";
}

struct theme_open {
    struct app *app;
    const char *name;
};

static bool theme_body(void *context, struct error *error)
{
    struct theme_open *open = context;
    return theme_load(open->app->colours->arena, open->name, &open->app->colours->theme, error);
}

// The app and all its parts, in a single allocation.
struct whole_app {
    struct app app; // first, since app_free() frees it
    struct scope scope;
    struct display display;
    struct splits splits;
    struct undo_list undo;
    struct stored_columns columns;
    struct steps steps;
    struct steps_why why;
    struct cache cache;
    struct findings_state findings;
    struct app_comparing comparing;
    struct compare_load comparing_load;
    struct places places;
    struct bookmark bookmarks[MAX_BOOKMARKS];
    struct session session;
    struct prompt prompt;
    struct menu menu;
    struct box box;
    struct candidates_panel candidates;
    struct tour tour;
    struct messages messages;
    struct mouse mouse;
    struct script_state script;
    struct saving saving;
    struct source_place source;
    struct requests requests;
    struct colours colours;
    struct stages stages;
};

_Static_assert(offsetof(struct whole_app, app) == 0, "app_free() frees it by its first member");

static struct app *app_of(struct whole_app *parts)
{
    struct app *app = &parts->app;
    app->scope = &parts->scope;
    app->display = &parts->display;
    app->splits = &parts->splits;
    app->undo = &parts->undo;
    app->columns = &parts->columns;
    app->steps = &parts->steps;
    app->why = &parts->why;
    app->cache = &parts->cache;
    app->findings = &parts->findings;
    app->comparing = &parts->comparing;
    app->comparing_load = &parts->comparing_load;
    app->places = &parts->places;
    app->bookmarks = parts->bookmarks;
    app->session = &parts->session;
    app->prompt = &parts->prompt;
    app->menu = &parts->menu;
    app->box = &parts->box;
    app->candidates = &parts->candidates;
    app->tour = &parts->tour;
    app->messages = &parts->messages;
    app->mouse = &parts->mouse;
    app->script = &parts->script;
    app->saving = &parts->saving;
    app->source = &parts->source;
    app->requests = &parts->requests;
    app->colours = &parts->colours;
    app->stages = &parts->stages;
    return app;
}

// Allocates an entry for each report and each class of views.
static bool lists_body(void *context, struct error *error)
{
    struct app *app = context;
    (void)error;
    app->columns->layouts = ARENA_ARRAY(app->arena, struct stored_layout, report_count + 1);
    app->places->tabs = ARENA_ARRAY(app->arena, struct view *, view_name_count() + 1);
    return true;
}

static const struct app_calls calls = {
    .act = input_act,
    .key = input_key,
    .command_line = input_command_line,
    .run_command = command_run,
    .draw = frame_draw,
};

struct app *app_new(const struct app_options *options, struct error *error)
{
    struct whole_app *parts = calloc(1, sizeof *parts);
    if (!parts) {
        error_set(error, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    struct app *app = app_of(parts);
    app->calls = &calls;
    app->options = options;
    app->requests->run_wanted = SIZE_MAX;
    app->places->panes.count = 1;
    app->arena = arena_new(0);
    app->colours->arena = arena_new(1 << 22);
    app->canvas = canvas_new();
    if (!app->arena || !app->colours->arena || !app->canvas || !lists_use(error) ||
        !arena_run(app->arena, lists_body, app, error)) {
        app_free(app);
        error_set(error, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    app->canvas->ascii = options->ascii;
    app->display->names = options->names;
    app->mouse->is_on = !options->no_mouse;
    app->display->is_folded = true;
    app->generation = 1;
    app->scope->device = app->scope->process = ROW_NONE;
    app->scope->adoption = !options->no_adoption;
    app->scope->step_size = options->step_size;
    struct theme_open open = {app, theme_name(options)};
    if (!arena_run(app->colours->arena, theme_body, &open, error)) {
        app_free(app);
        return NULL;
    }
    return app;
}

static void places_free(struct app *app)
{
    while (app_drop_pane(app))
        ;
    while (app->places->depth > 0)
        view_free(app->places->trail[--app->places->depth]);
    while (app->places->tab_count > 0)
        view_free(app->places->tabs[--app->places->tab_count]);
}

void app_free(struct app *app)
{
    if (!app)
        return;
    keymap_use(NULL);
    tour_end(app);
    app_findings_end(app);
    app_drop_baseline(app);
    places_free(app);
    cache_close(app->cache);
    app_forget_memos(app);
    for (size_t i = 0; i < app->splits->count; i++)
        arena_free(app->splits->entries[i].arena);
    candidates_forget(app);
    arena_free(app->why->arena);
    arena_free(app->steps->arena);
    arena_free(app->findings->arena);
    arena_free(app->stages->judged_arena);
    arena_free(app->colours->arena);
    arena_free(app->arena);
    canvas_free(app->canvas);
    free(app);
}

// Applies the steps and the set of the command line. Neither is known before the profile is
// complete.
static bool scope_from_options(struct app *app, struct error *error)
{
    const struct app_options *options = app->options;
    bool is_complete = app->profile->stage == STAGE_READY;
    if (!app_choose_split(
            app, is_complete && options->key_op ? options->key_op : "(steps as found)", error))
        return false;
    if (!is_complete || !step_choice_is_given(&options->steps))
        return true;
    struct selection chosen = host_selection(app);
    if (!step_choice_apply(&options->steps, app->profile, &chosen, app->arena, error))
        return false;
    host_select_steps(app, chosen.iterations);
    app->undo->at = app->undo->count = 0;
    return true;
}

void app_forget_rows(struct app *app)
{
    struct view *view;
    for (size_t i = 0; (view = app_view_at(app, i)); i++)
        view_release_profile(view);
    cache_forget(app->cache);
    arena_free(app->steps->arena);
    *app->steps = (struct steps){0};
    app->findings->is_known = app->why->is_known = false;
    candidates_forget(app);
}

struct profile_call {
    struct app *app;
    const struct profile *stage; // as the loader delivered it
    bool keeps_places;
};

// Drops everything derived from the previous profile.
static void derived_forget(struct app *app)
{
    app_findings_end(app);
    app_drop_baseline(app);
    app_forget_rows(app);
    app_forget_memos(app);
    struct view *view;
    for (size_t i = 0; (view = app_view_at(app, i)); i++) // sets of the previous splits
        view->own &= ~(unsigned)OWN_ITERATIONS;
    for (size_t i = 0; i < app->splits->count; i++)
        arena_free(app->splits->entries[i].arena);
    app->splits->count = app->splits->set_count = 0;
    app->undo->at = app->undo->count = 0;
    app->scope->split = NULL;
    app->scope->iterations = NULL;
}

// Returns a stage, or a copy with empty tables in place of missing ones: early stages have no ops,
// but all code relies on that table.
static const struct profile *profile_of_stage(struct app *app, const struct profile *stage)
{
    static struct ops no_ops;
    app->stages->stage = stage;
    if (stage->ops)
        return stage;
    app->stages->preview = *stage;
    app->stages->preview.ops = &no_ops;
    if (!HAS(stage->work.launch)) { // no work has a known launch
        size_t count = stage->work.count;
        uint32_t *none = ARENA_ARRAY(app->arena, uint32_t, count + 1);
        memset(none, 0xff, count * sizeof *none);
        app->stages->preview.work.launch = column32_pack(app->arena, 1, none, NULL, count);
        ARENA_RELEASE(app->arena, none, count + 1);
    }
    return &app->stages->preview;
}

static bool profile_body(void *context, struct error *error)
{
    struct profile_call *call = context;
    struct app *app = call->app;
    const struct view_class *summary = view_class_find("summary"), *first = summary;
    derived_forget(app); // before app->stages->preview changes: a thread may be reading it
    app->profile = profile_of_stage(app, call->stage);
    if (!scope_from_options(app, error))
        return false;
    if (call->keeps_places) {
        app_changed(app);
        return true;
    }
    if (app->options->view && !(first = view_class_find(app->options->view)))
        return error_set(error, ERROR_USAGE, "no view '%s'", app->options->view);
    if (app->profile->stage < STAGE_READY) // kernels are loaded first
        first = view_class_find("kernels");
    host_go_to(app, summary);
    if (first != summary)
        host_go_to(app, first);
    return app->places->depth > 0 || error_set(error, ERROR_MEMORY, "out of memory");
}

bool app_set_profile(struct app *app, const struct profile *stage, struct error *error)
{
    places_free(app);
    return app_guard(app, profile_body, &(struct profile_call){app, stage, false}, error);
}

bool app_show_profile(struct app *app, const struct profile *stage, struct error *error)
{
    if (!app->profile || !app->requests->is_touched)
        return app_set_profile(app, stage, error);
    return app_guard(app, profile_body, &(struct profile_call){app, stage, true}, error);
}
