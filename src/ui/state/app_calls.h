// SPDX-License-Identifier: Apache-2.0
// What the rooms below ask of ui/app, which hands its functions in when the app is made.
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

// A key as if pressed.
void app_key(struct app *app, uint32_t key);
// A command without its colon, as if typed; false: a mistake.
bool app_command_line(struct app *app, const char *line);
// A frame, into the canvas.
void app_draw(struct app *app);

#endif
