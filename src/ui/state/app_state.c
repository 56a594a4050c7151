// SPDX-License-Identifier: Apache-2.0
// The life of the program's state: options, profile, messages.
#include "ui/state/app_state.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/ops/ops.h"
#include "ui/app/candidates.h"
#include "ui/app/keymap.h"
#include "ui/term/key.h"

static void message_set(struct app *app, bool is_error, const char *format, va_list arguments)
{
    char keyed[sizeof app->message + 200]; // names of actions are longer than their keys
    action_format(keyed, sizeof keyed, format);
    vsnprintf(app->message, sizeof app->message, keyed, arguments);
    app->message_is_error = is_error;
    app->complaint = ERROR_USAGE; // whoever knows better says so afterwards
}

void app_say(struct app *app, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    message_set(app, false, format, arguments);
    va_end(arguments);
}

void app_complain(struct app *app, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    message_set(app, true, format, arguments);
    va_end(arguments);
    if (!app->message[0]) // of an arena that there is no memory for nobody has said anything
        snprintf(app->message, sizeof app->message, "out of memory");
}

void app_complain_of(struct app *app, const struct error *error)
{
    app_complain(app, "%s", error->message);
    app->complaint = error->kind;
}

struct guard {
    struct app *app;
    bool (*body)(void *context, struct error *error);
    void *context;
};

static bool guard_frame(void *context, struct error *error)
{
    struct guard *guard = context;
    return arena_run(guard->app->canvas->frame, guard->body, guard->context, error);
}

bool app_guard(struct app *app, bool (*body)(void *context, struct error *error), void *context,
               struct error *error)
{
    struct guard guard = {app, body, context};
    return arena_run(app->arena, guard_frame, &guard, error);
}

// ---- birth and death ---------------------------------------------------------------------------

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
    return theme_load(open->app->theme_arena, open->name, &open->app->theme, error);
}

struct app *app_new(const struct app_options *options, struct error *error)
{
    struct app *app = calloc(1, sizeof *app);
    if (!app) {
        error_set(error, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    app->options = options;
    app->run_wanted = SIZE_MAX;
    app->panes.count = 1;
    app->arena = arena_new(0);
    app->theme_arena = arena_new(1 << 22);
    app->canvas = canvas_new();
    if (!app->arena || !app->theme_arena || !app->canvas) {
        app_free(app);
        error_set(error, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    app->canvas->ascii = options->ascii;
    app->names = options->names;
    app->has_mouse = !options->no_mouse;
    app->is_folded = true;
    app->generation = 1;
    app->scope.device = app->scope.process = ROW_NONE;
    app->scope.adoption = !options->no_adoption;
    app->scope.step_size = options->step_size;
    struct theme_open open = {app, theme_name(options)};
    if (!arena_run(app->theme_arena, theme_body, &open, error)) {
        app_free(app);
        return NULL;
    }
    return app;
}

static void places_free(struct app *app)
{
    while (app_drop_pane(app))
        ;
    while (app->depth > 0)
        view_free(app->trail[--app->depth]);
    while (app->tab_count > 0)
        view_free(app->tabs[--app->tab_count]);
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
    cache_close(&app->cache);
    app_forget_memos(app);
    for (size_t i = 0; i < app->split_count; i++)
        arena_free(app->splits[i].arena);
    candidates_forget(app);
    arena_free(app->why.arena);
    arena_free(app->steps.arena);
    arena_free(app->findings.arena);
    arena_free(app->judged_arena);
    arena_free(app->theme_arena);
    arena_free(app->arena);
    canvas_free(app->canvas);
    free(app);
}

// What the command line chose: steps, set. Before everything is loaded neither can be known.
static bool scope_from_options(struct app *app, struct error *error)
{
    const struct app_options *options = app->options;
    bool is_whole = app->profile->stage == STAGE_READY;
    if (!app_choose_split(app, is_whole && options->key_op ? options->key_op : "(steps as found)",
                          error))
        return false;
    if (!is_whole || !step_choice_is_given(&options->steps))
        return true;
    struct selection chosen = app_selection(app);
    if (!step_choice_apply(&options->steps, app->profile, &chosen, app->arena, error))
        return false;
    app_choose_set(app, chosen.iterations);
    app->undo_at = app->undo_count = 0;
    return true;
}

void app_forget_rows(struct app *app)
{
    struct view *view;
    for (size_t i = 0; (view = app_view_at(app, i)); i++)
        view_let_go(view);
    cache_forget(&app->cache);
    arena_free(app->steps.arena);
    app->steps = (struct steps){0};
    app->findings.is_known = app->why.is_known = false;
    candidates_forget(app);
}

struct profile_call {
    struct app *app;
    const struct profile *stage; // as the loader handed it over
    bool keeps_places;
};

// What was worked out from the former profile.
static void derived_forget(struct app *app)
{
    app_findings_end(app);
    app_drop_baseline(app);
    app_forget_rows(app);
    app_forget_memos(app);
    struct view *view;
    for (size_t i = 0; (view = app_view_at(app, i)); i++) // sets of the former splits
        view->own &= ~(unsigned)OWN_ITERATIONS;
    for (size_t i = 0; i < app->split_count; i++)
        arena_free(app->splits[i].arena);
    app->split_count = app->set_count = 0;
    app->undo_at = app->undo_count = 0;
    app->scope.split = NULL;
    app->scope.iterations = NULL;
}

// Before there are ops there are none: everything may count on the table being there.
static const struct profile *profile_of_stage(struct app *app, const struct profile *stage)
{
    static struct ops no_ops;
    app->stage = stage;
    if (stage->ops)
        return stage;
    app->preview = *stage;
    app->preview.ops = &no_ops;
    if (!HAS(stage->work.launch)) { // of nothing is it known who launched it
        size_t count = stage->work.count;
        uint32_t *none = ARENA_ARRAY(app->arena, uint32_t, count + 1);
        memset(none, 0xff, count * sizeof *none);
        app->preview.work.launch = column32_pack(app->arena, 1, none, NULL, count);
        ARENA_RELEASE(app->arena, none, count + 1);
    }
    return &app->preview;
}

static bool profile_body(void *context, struct error *error)
{
    struct profile_call *call = context;
    struct app *app = call->app;
    const struct view_class *first = &view_summary;
    derived_forget(app); // before app->preview changes: a thread may be reading it
    app->profile = profile_of_stage(app, call->stage);
    if (!scope_from_options(app, error))
        return false;
    if (call->keeps_places) {
        app_changed(app);
        return true;
    }
    if (app->options->view && !(first = view_class_find(app->options->view)))
        return error_set(error, ERROR_USAGE, "no view '%s'", app->options->view);
    if (app->profile->stage < STAGE_READY) // what is there first
        first = view_class_find("kernels");
    app_go_to(app, &view_summary);
    if (first != &view_summary)
        app_go_to(app, first);
    return app->depth > 0 || error_set(error, ERROR_MEMORY, "out of memory");
}

bool app_set_profile(struct app *app, const struct profile *stage, struct error *error)
{
    places_free(app);
    return app_guard(app, profile_body, &(struct profile_call){app, stage, false}, error);
}

bool app_show_profile(struct app *app, const struct profile *stage, struct error *error)
{
    if (!app->profile || !app->is_touched)
        return app_set_profile(app, stage, error);
    return app_guard(app, profile_body, &(struct profile_call){app, stage, true}, error);
}
