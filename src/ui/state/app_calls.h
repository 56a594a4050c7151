// SPDX-License-Identifier: Apache-2.0
// Calls from ui/state up into ui/app, which passes its functions in when it makes the app.
#ifndef UI_STATE_APP_CALLS_H
#define UI_STATE_APP_CALLS_H

#include "ui/host.h"
#include "ui/term/action.h"

struct app;

struct app_calls {
    void (*act)(struct app *app, enum action action, const char *argument);
    void (*key)(struct app *app, uint32_t key);
    bool (*command_line)(struct app *app, const char *line);
    bool (*run_command)(struct app *app, const char *line);
    void (*draw)(struct app *app);
};

// Handles a key as if it was pressed.
void app_key(struct app *app, uint32_t key);
// Runs a command (without its colon) as if it was typed. Returns false if it is wrong.
bool app_command_line(struct app *app, const char *line);
// Draws a frame into the canvas.
void app_draw(struct app *app);

#endif
