// SPDX-License-Identifier: Apache-2.0
// Messages, and what is forgotten when the profile changes.
#include "ui/state/app_state.h"

#include <stdarg.h>

#include "analysis/detect/expert.h"
#include "ui/host.h"
#include "ui/state/cache.h"
#include "ui/state/candidates.h"
#include "ui/state/findings.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/steps.h"
#include "ui/state/view.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"

static void message_set(struct app *app, bool is_error, const char *format, va_list arguments)
{
    char keyed[sizeof app->messages->text + 200]; // names of actions are longer than their keys
    action_format(keyed, sizeof keyed, format);
    vsnprintf(app->messages->text, sizeof app->messages->text, keyed, arguments);
    app->messages->is_error = is_error;
    app->messages->kind = ERROR_USAGE; // whoever knows better says so afterwards
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
    if (!app->messages->text[0]) // of an arena that there is no memory for nobody has said anything
        snprintf(app->messages->text, sizeof app->messages->text, "out of memory");
}

void app_complain_of(struct app *app, const struct error *error)
{
    app_complain(app, "%s", error->message);
    app->messages->kind = error->kind;
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
    cache_forget(app->cache);
    arena_free(app->steps->arena);
    *app->steps = (struct steps){0};
    app->findings->is_known = app->why->is_known = false;
    candidates_forget(app);
}
