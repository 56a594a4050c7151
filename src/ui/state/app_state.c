// SPDX-License-Identifier: Apache-2.0
// Messages, and what is forgotten when the profile changes.
#include "ui/state/app_state.h"

#include <stdarg.h>

#include "ui/state/candidates.h"

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
