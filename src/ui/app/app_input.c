// SPDX-License-Identifier: Apache-2.0
// The entry of keys, mouse and commands: maps each to its action and calls the code that does it.
#include <string.h>

#include "analysis/reports/report_list.h"
#include "ui/actions/actions.h"
#include "ui/actions/candidates.h"
#include "ui/app/app_actions.h"
#include "ui/app/input.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/overlay/tour_state.h"
#include "ui/session/session_calls.h"
#include "ui/session/tour.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/candidates_panel.h"
#include "ui/state/messages.h"
#include "ui/state/requests.h"
#include "ui/state/script_state.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/key.h"

// Switches to the other face of the same rows, unless the view does it itself. `on` and `off` are
// only for a view with two faces.
void app_flip(struct app *app, const char *argument)
{
    struct view *view = host_top_view(app);
    bool has_faces = view->class->is_flipped, is_on = has_faces && view->class->is_flipped(view),
         wanted = !is_on;
    if (*argument && !has_faces)
        host_complain(app, "'flip' takes no word in this view");
    if (app->messages->is_error || !host_parse_switch(app, argument, &wanted))
        return;
    if (*argument && wanted != is_on)
        host_do_action(app, ACTION_FLIP, "");
    if (*argument || !view->class->flip)
        return;
    const char *label;
    const struct view_class *other = view_flip(view, &label);
    if (!other || (other->report && !report_find(other->report)))
        return;
    struct selection narrow = view->narrow;
    if (view->label[0])
        host_open_view(app, other, &narrow, view->own, view->label);
    else
        host_go_to(app, other);
}

void input_act(struct app *app, enum action action, const char *argument)
{
    struct view *view = host_top_view(app);
    if (action == ACTION_NONE || !view)
        return;
    const struct action_row *row = &actions[action];
    if (!(action_scope_kinds[row->scope] & view_kinds(view))) {
        host_say(app, "'%s' means nothing in this view", row->name);
        return;
    }
    if (app->script->follows_session &&
        row->reach != REACH_SCREEN) { // also reached from a row of the help
        host_complain(app, "no command of sessions");
        return;
    }
    if (!view->is_late || !row->ignores_rows || (row->waits_in & view_kinds(view)))
        view_refresh(view);
    if (!row->ignores_rows && view->report) // new rows have not been part of any frame yet
        table_update(&view->table, NULL);
    if (!row->ignores_rows && view->class->lists_findings)
        host_await_findings(app);
    char outer[sizeof app->script->doing];
    memcpy(outer, app->script->doing, sizeof outer);
    snprintf(app->script->doing, sizeof app->script->doing, "%s%s%.150s", row->name,
             *argument ? " " : "", argument);
    // The view handles an action first, except a command with an argument for the program.
    bool is_done = !*argument && view->class->act && view_is_ready(view) && !view->is_late &&
                   view->class->act(view, action);
    if (!is_done && row->run)
        row->run(app, argument);
    memcpy(app->script->doing, outer, sizeof outer);
}

// The arguments of input_body(). All input runs inside it, so that running out of memory becomes a
// message.
struct input {
    struct app *app;
    uint32_t key;
    const char *line; // a command instead of a key
    bool has_place;   // of the mouse
    int x, y;
    bool result;
};

void app_key_body(struct app *app, uint32_t key)
{
    struct view *view = host_top_view(app);
    if (app->tour->text && !app->tour->is_running) {
        tour_key(app, key);
        return;
    }
    if (app->box->is_open && app->box->form == BOX_HINT && !first_run_key(app, key))
        return;
    if (app->box->is_open) {
        box_key(app, key);
    } else if (app->menu->is_open) {
        menu_key(app, key);
    } else if (app->prompt->kind != PROMPT_NONE) {
        prompt_key(app, key);
    } else if (app->candidates->is_open) {
        candidates_key(app, key);
    } else if (view) {
        enum action action = action_of_key(key, view_kinds(view));
        bool is_digit = key >= '0' && key <= '9';
        char argument[2] = {action == ACTION_VIEW && is_digit ? (char)key : 0, 0},
             name[KEY_NAME_SIZE], help[KEY_NAME_SIZE];
        // In a view without rows, the text typed after `/` or `f` is still read as a text, so that
        // its letters do not act as keys.
        enum action elsewhere = action_of_key(key, KIND_TABLE);
        if (action == ACTION_NONE && (elsewhere == ACTION_SEARCH || elsewhere == ACTION_FILTER))
            prompt_open_nothing(app, elsewhere == ACTION_SEARCH ? PROMPT_SEARCH : PROMPT_FILTER);
        else if (action == ACTION_NONE && is_digit)
            app_view(app, (char[]){(char)key, 0});
        else if (action == ACTION_NONE)
            host_say(app, "%s means nothing here; %s lists the keys", key_text(key, name),
                     action_first_key(ACTION_HELP, help));
        else
            host_do_action(app, action, argument);
    }
}

bool app_key_is_early(const struct app *app, uint32_t key)
{
    const struct view *view = host_top_view(app);
    bool is_covered = app->tour->text || app->box->is_open || app->menu->is_open ||
                      app->prompt->kind != PROMPT_NONE || app->candidates->is_open;
    if (!view || is_covered || view_is_ready(view))
        return false;
    enum action action = action_of_key(key, view_kinds(view));
    if (action == ACTION_NONE)
        return false;
    // ACTION_ENTER has a function for a command with a word; without a word the view handles it.
    bool is_for_view = !actions[action].run || action == ACTION_ENTER;
    return is_for_view || actions[action].scope != SCOPE_EVERYWHERE;
}

static bool input_body(void *context, struct error *error)
{
    struct input *input = context;
    (void)error;
    if (input->line)
        candidates_close(input->app);
    if (input->line)
        input->result = host_run_command(input->app, input->line);
    else if (input->has_place)
        app_point_body(input->app, input->key, input->x, input->y);
    else
        app_key_body(input->app, input->key);
    return true;
}

static bool input_run(struct input *input)
{
    struct error error = {0};
    input->app->messages->text[0] = 0;
    input->app->messages->is_error = false;
    if (!app_guard(input->app, input_body, input, &error)) {
        host_complain(input->app, "%s", error.message);
        return false;
    }
    tour_continue(input->app);
    return input->result;
}

bool input_command_line(struct app *app, const char *line)
{
    return input_run(&(struct input){.app = app, .line = line});
}

void input_key(struct app *app, uint32_t key)
{
    if (key == KEY_NONE_PRESSED || key == KEY_RESIZED || key == KEY_NOTHING)
        return;
    bool was_interrupted = app->requests->is_interrupted;
    app->requests->is_touched = true;
    input_run(&(struct input){.app = app, .key = key});
    if (was_interrupted)
        app->requests->is_interrupted = false;
}

void app_point(struct app *app, uint32_t key, int x, int y)
{
    app->requests->is_touched = true;
    input_run(&(struct input){.app = app, .key = key, .has_place = true, .x = x, .y = y});
}

void app_click(struct app *app, int x, int y)
{
    app_point(app, KEY_CLICK, x, y);
}
