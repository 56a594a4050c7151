// SPDX-License-Identifier: Apache-2.0
// Commands, themes, and quitting.
#include <string.h>

#include "base/text/nearest.h"
#include "ui/actions/actions.h"
#include "ui/actions/app_panes.h"
#include "ui/app/app_actions.h"
#include "ui/app/input.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/colours.h"
#include "ui/state/messages.h"
#include "ui/state/mouse.h"
#include "ui/state/places.h"
#include "ui/state/requests.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/term/action.h"
#include "ui/term/theme.h"

// Returns the i-th word that can be a command: names of actions, then names of views.
static const char *command_word(size_t i)
{
    return i < action_count ? actions[i].name : view_name(i - action_count);
}

static void complain_of(struct app *app, const char *word, size_t fits)
{
    const char *nearest = nearest_word(word, command_word, action_count + view_name_count());
    if (fits > 1)
        host_complain(app, "'%s' begins several commands; Tab lists them", word);
    else if (nearest)
        host_complain(app, "no command '%s'; did you mean '%s'?", word, nearest);
    else
        host_complain(app, "no command '%s'; {help} lists them all, Tab completes", word);
}

bool command_run(struct app *app, const char *line)
{
    char word[64];
    line += strspn(line, " :");
    size_t length = strcspn(line, " ");
    if (length == 0)
        return true;
    if (length >= sizeof word) {
        host_complain(app, "no command '%.40s...'", line);
        return false;
    }
    memcpy(word, line, length);
    word[length] = 0;
    const char *argument = line + length + strspn(line + length, " ");
    if (strspn(word, "0123456789") == length && !*argument) { // as in vim: goes to a row
        if (!view_is(host_top_view(app), "iterations"))
            host_go_to(app, view_class_find("iterations"));
        app_go_step(app, word);
        return !app->messages->is_error;
    }
    size_t fits;
    enum action action = command_action(word, &fits);
    if (action == ACTION_NONE) {
        const struct view_class *class = *argument || fits > 1 ? NULL : view_class_find(word);
        if (class && length > 2) {
            host_go_to(app, class);
            return true;
        }
        const struct view_class *shown = fits == 0 && length > 2 ? view_class_find(word) : NULL;
        if (shown) {
            host_complain(app, "'%s' is a view and takes nothing after it", word);
            return false;
        }
        complain_of(app, word, fits);
        return false;
    }
    if (*argument && !actions[action].argument) {
        host_complain(app, "'%s' takes nothing after it", actions[action].name);
        return false;
    }
    host_do_action(app, action, argument);
    return !app->messages->is_error;
}

void app_command(struct app *app, const char *argument)
{
    (void)argument;
    prompt_open(app, PROMPT_COMMAND, "");
}

struct theme_call {
    struct app *app;
    const char *name; // NULL: the next theme
    struct arena *arena;
    struct theme theme;
};

static bool theme_body(void *context, struct error *error)
{
    struct theme_call *call = context;
    const char *name = call->name;
    if (!name) {
        const char *const *names;
        size_t count = theme_list(call->arena, &names), at = 0;
        while (at < count && strcmp(names[at], call->app->colours->theme.name) != 0)
            at++;
        name = count ? names[(at + 1) % count] : "dark";
    }
    return theme_load(call->arena, name, &call->theme, error);
}

void app_theme(struct app *app, const char *argument)
{
    struct error error = {0};
    struct theme_call call = {app, *argument ? argument : NULL, arena_new(1 << 22), {0}};
    if (!call.arena || !arena_run(call.arena, theme_body, &call, &error)) {
        host_complain(app, "%s", error.message);
        arena_free(call.arena);
        return;
    }
    arena_free(app->colours->arena);
    app->colours->arena = call.arena;
    app->colours->theme = call.theme;
    app->colours->serial++;
    host_say(app, "theme: %s, %s", app->colours->theme.name, app->colours->theme.doc);
}

void app_mouse(struct app *app, const char *argument)
{
    (void)argument;
    app->mouse->is_on = !app->mouse->is_on;
    host_say(app, "%s",
             app->mouse->is_on ? "the mouse is the program's: wheel, click, double click, drag"
                               : "the mouse is the terminal's: it selects text");
}

void app_redraw(struct app *app, const char *argument)
{
    (void)argument;
    app->requests->wants_redraw = true;
}

void app_suspend(struct app *app, const char *argument)
{
    (void)argument;
    app->requests->wants_suspend = true;
}

void app_interrupt(struct app *app, const char *argument)
{
    (void)argument;
    if (app->requests->is_interrupted) {
        app->requests->is_done = true;
        app->requests->status = 130;
        return;
    }
    app->requests->is_interrupted = true;
    host_say(app, "C-c again quits");
}

void app_quit(struct app *app, const char *argument)
{
    if (app->places->depth > 1 || host_top_view(app) != host_front_view(app))
        app_back(app, argument);
    else if (!app_drop_pane(app))
        app->requests->is_done = true;
}

void app_quit_now(struct app *app, const char *argument)
{
    (void)argument;
    app->requests->is_done = true;
}
