// SPDX-License-Identifier: Apache-2.0
#include "ui/state/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include "ui/host.h"
#include "ui/state/app_state.h"
#include "ui/term/action.h"

static void message_set(struct app *app, bool is_error, const char *format, va_list arguments)
{
    char keyed[sizeof app->messages->text + 200]; // action names are longer than their keys
    action_format(keyed, sizeof keyed, format);
    vsnprintf(app->messages->text, sizeof app->messages->text, keyed, arguments);
    app->messages->is_error = is_error;
    app->messages->kind = ERROR_USAGE; // the caller may set another kind
}

void host_say(struct app *app, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    message_set(app, false, format, arguments);
    va_end(arguments);
}

void host_complain(struct app *app, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    message_set(app, true, format, arguments);
    va_end(arguments);
    if (!app->messages->text[0]) // the error of a failed arena_new() has no message
        snprintf(app->messages->text, sizeof app->messages->text, "out of memory");
}

void host_complain_error(struct app *app, const struct error *error)
{
    host_complain(app, "%s", error->message);
    app->messages->kind = error->kind;
}
