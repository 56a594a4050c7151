// SPDX-License-Identifier: Apache-2.0
// Where keys and commands enter, and how a frame is drawn: what app_calls.h hands to the rooms below.
#ifndef UI_INPUT_H
#define UI_INPUT_H

#include "ui/term/action.h"

struct app;
struct canvas;

void input_act(struct app *app, enum action action, const char *argument);
void input_key(struct app *app, uint32_t key);
bool input_command_line(struct app *app, const char *line);
bool command_run(struct app *app, const char *line); // app_commands.c
void frame_draw(struct app *app);                    // app_frame.c
void prompt_key(struct app *app, uint32_t key);      // prompt_keys.c
void prompt_draw(struct app *app, struct canvas *canvas, int y);

#endif
