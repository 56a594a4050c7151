// SPDX-License-Identifier: Apache-2.0
// The life of the program's state, and where keys and commands enter it.
#include "ui/app_state.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/ops.h"
#include "ui/key.h"

static void message_set(struct app *app, bool is_error, const char *format, va_list arguments)
{
    vsnprintf(app->message, sizeof app->message, format, arguments);
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
    app->is_folded = true;
    app->generation = 1;
    app->scope.device = app->scope.process = ROW_NONE;
    app->scope.adoption = !options->no_adoption;
    struct theme_open open = {app, theme_name(options)};
    if (!arena_run(app->theme_arena, theme_body, &open, error)) {
        app_free(app);
        return NULL;
    }
    return app;
}

static void places_free(struct app *app)
{
    while (app->depth > 0)
        view_free(app->trail[--app->depth]);
    while (app->tab_count > 0)
        view_free(app->tabs[--app->tab_count]);
}

void app_free(struct app *app)
{
    if (!app)
        return;
    places_free(app);
    cache_close(&app->cache);
    for (size_t i = 0; i < app->split_count; i++)
        arena_free(app->splits[i].arena);
    arena_free(app->steps.arena);
    arena_free(app->findings.arena);
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
    const struct split *split = app->scope.split;
    app->is_per_step = split->method != SPLIT_NONE;
    bool has_bounds = options->iter_start != UNKNOWN || options->iter_stop != UNKNOWN;
    if (!is_whole || (!options->iters && !has_bounds))
        return true;
    bool *members = ARENA_ARRAY(app->arena, bool, split->count);
    if (options->iters ? !selection_parse_iterations(split, options->iters, members, error)
                       : !selection_span_iterations(split, options->iter_start, options->iter_stop,
                                                    members, error))
        return false;
    app_choose_set(app, members);
    app->undo_at = app->undo_count = 0;
    return true;
}

struct profile_call {
    struct app *app;
    const struct profile *profile;
    bool keeps_places;
};

// What was worked out from the former profile.
static void derived_forget(struct app *app)
{
    cache_forget(&app->cache);
    for (size_t i = 0; i < app->split_count; i++)
        arena_free(app->splits[i].arena);
    app->split_count = app->set_count = 0;
    app->undo_at = app->undo_count = 0;
    app->scope.split = NULL;
    app->scope.iterations = NULL;
    arena_free(app->steps.arena);
    app->steps = (struct steps){0};
    app->findings.is_known = false;
}

static bool profile_body(void *context, struct error *error)
{
    struct profile_call *call = context;
    struct app *app = call->app;
    const struct view_class *first = &view_summary;
    app->profile = call->profile;
    if (!scope_from_options(app, error))
        return false;
    if (call->keeps_places) {
        app_changed(app);
        return true;
    }
    if (app->options->view && !(first = view_class_find(app->options->view)))
        return error_set(error, ERROR_USAGE, "no view '%s'", app->options->view);
    if (call->profile->stage < STAGE_READY) // what is there first
        first = view_class_find("kernels");
    app_go_to(app, &view_summary);
    if (first != &view_summary)
        app_go_to(app, first);
    return app->depth > 0 || error_set(error, ERROR_MEMORY, "out of memory");
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
    if (!stage->work.launch) { // of nothing is it known who launched it
        size_t count = stage->work.count;
        app->preview.work.launch = ARENA_ARRAY(app->arena, uint32_t, count + 1);
        memset(app->preview.work.launch, 0xff, count * sizeof(uint32_t));
    }
    return &app->preview;
}

bool app_set_profile(struct app *app, const struct profile *stage, struct error *error)
{
    const struct profile *profile = profile_of_stage(app, stage);
    places_free(app);
    derived_forget(app);
    struct profile_call call = {app, profile, false};
    return arena_run(app->arena, profile_body, &call, error);
}

bool app_show_profile(struct app *app, const struct profile *stage, struct error *error)
{
    if (!app->profile || !app->is_touched)
        return app_set_profile(app, stage, error);
    const struct profile *profile = profile_of_stage(app, stage);
    for (size_t i = 0; i < app->depth; i++)
        view_let_go(app->trail[i]);
    for (size_t i = 0; i < app->tab_count; i++)
        view_let_go(app->tabs[i]);
    derived_forget(app);
    struct profile_call call = {app, profile, true};
    return arena_run(app->arena, profile_body, &call, error);
}

// ---- keys and actions --------------------------------------------------------------------------

void app_do(struct app *app, enum action action, const char *argument)
{
    struct view *view = app_top(app);
    if (action == ACTION_NONE || !view)
        return;
    const struct action_row *row = &actions[action];
    if (!(action_scope_kinds[row->scope] & view_kinds(view))) {
        app_say(app, "'%s' means nothing in this view", row->name);
        return;
    }
    if (action == ACTION_FLIP && view->class->flip) {
        const struct view_class *other = view_class_find(view->class->flip);
        if (other && (!other->report || report_find(other->report))) {
            struct selection narrow = view->narrow;
            if (view->label[0])
                app_go_in(app, other, &narrow, view->own, view->label);
            else
                app_go_to(app, other);
        }
        return;
    }
    view_refresh(view);
    // A view may know better, but not when a command brings an argument for the program.
    if (!*argument && view->class->act && view_is_ready(view) && view->class->act(view, action))
        return;
    if (row->run)
        row->run(app, argument);
}

// Everything a key does happens in here, so that running out of memory is a message.
struct input {
    struct app *app;
    uint32_t key;
    const char *line; // a command instead
    int x, y;         // of a click
    bool result;
};

static void key_body(struct app *app, uint32_t key)
{
    struct view *view = app_top(app);
    if (app->box.is_open) {
        box_key(app, key);
    } else if (app->menu.is_open) {
        menu_key(app, key);
    } else if (app->prompt.kind != PROMPT_NONE) {
        prompt_key(app, key);
    } else if (view) {
        enum action action = action_of_key(key, view_kinds(view));
        char argument[2] = {action == ACTION_VIEW ? (char)key : 0, 0}, name[KEY_NAME_SIZE];
        // What follows `/` or `f` is a text, here too: none of it may act as keys.
        enum action elsewhere = action_of_key(key, KIND_TABLE);
        if (action == ACTION_NONE && (elsewhere == ACTION_SEARCH || elsewhere == ACTION_FILTER))
            prompt_open_nothing(app, elsewhere == ACTION_SEARCH ? PROMPT_SEARCH : PROMPT_FILTER);
        else if (action == ACTION_NONE)
            app_say(app, "%s means nothing here; ? lists the keys", key_text(key, name));
        else
            app_do(app, action, argument);
    }
}

static void click_body(struct app *app, int x, int y);

static bool input_inner(void *context, struct error *error)
{
    struct input *input = context;
    (void)error;
    if (input->line)
        input->result = app_run_command(input->app, input->line);
    else if (input->key == KEY_CLICK)
        click_body(input->app, input->x, input->y);
    else
        key_body(input->app, input->key);
    return true;
}

static bool input_outer(void *context, struct error *error)
{
    struct input *input = context;
    return arena_run(input->app->canvas->frame, input_inner, input, error);
}

static bool input_run(struct input *input)
{
    struct error error = {0};
    input->app->message[0] = 0;
    input->app->message_is_error = false;
    if (!arena_run(input->app->arena, input_outer, input, &error)) {
        app_complain(input->app, "%s", error.message);
        return false;
    }
    return input->result;
}

bool app_command_line(struct app *app, const char *line)
{
    return input_run(&(struct input){.app = app, .line = line});
}

void app_key(struct app *app, uint32_t key)
{
    if (key == KEY_NONE_PRESSED || key == KEY_RESIZED)
        return;
    bool was_interrupted = app->is_interrupted;
    app->is_touched = true;
    input_run(&(struct input){.app = app, .key = key});
    if (was_interrupted)
        app->is_interrupted = false;
}

void app_click(struct app *app, int x, int y)
{
    input_run(&(struct input){.app = app, .key = KEY_CLICK, .x = x, .y = y});
}

static void click_body(struct app *app, int x, int y)
{
    struct view *view = app_top(app);
    if (app->box.is_open || app->menu.is_open) {
        app->box.is_open = app->menu.is_open = false;
        return;
    }
    if (!view || app->prompt.kind != PROMPT_NONE || !view->report || view->table.is_dirty)
        return;
    struct area area = app_content(app);
    if (area.height > 4) { // the line over the table
        area.y++;
        area.height--;
    }
    size_t before = view->table.cursor;
    int column = table_click(&view->table, x, y, area);
    if (column >= 0) {
        app_remember(app);
        if (view->table.sort_count && view->table.sort[0].column == column)
            table_act(&view->table, ACTION_INVERT);
        else
            table_sort_by(&view->table, (unsigned)column, true);
    } else if (view->table.cursor == before && y > area.y) {
        app_do(app, ACTION_ENTER, "");
    }
}
