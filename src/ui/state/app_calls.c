// SPDX-License-Identifier: Apache-2.0
#include "ui/state/app_calls.h"

#include "ui/state/app_state.h"
#include "ui/term/action.h"

void host_do_action(struct app *app, enum action action, const char *argument)
{
    app->calls->act(app, action, argument);
}

void app_key(struct app *app, uint32_t key)
{
    app->calls->key(app, key);
}

bool app_command_line(struct app *app, const char *line)
{
    return app->calls->command_line(app, line);
}

bool host_run_command(struct app *app, const char *line)
{
    return app->calls->run_command(app, line);
}

void app_draw(struct app *app)
{
    app->calls->draw(app);
}
