// SPDX-License-Identifier: Apache-2.0
// The entry points of keys, commands and drawing, which app_calls.h hands to the rooms below.
#ifndef UI_APP_INPUT_H
#define UI_APP_INPUT_H

#include <stddef.h>

#include "ui/term/action.h"

struct app;
struct canvas;
struct prompt;

void input_act(struct app *app, enum action action, const char *argument);
void input_key(struct app *app, uint32_t key);
bool input_command_line(struct app *app, const char *line);
bool command_run(struct app *app, const char *line); // app_commands.c
void frame_draw(struct app *app);                    // app_frame.c
// Returns true if the key is for a view whose part of the profile is still being loaded. Such a key
// must be kept, or it would be lost.
bool app_key_is_early(const struct app *app, uint32_t key);
// Mouse input at a position; `key` satisfies key_is_mouse() (app_mouse.c).
void app_point(struct app *app, uint32_t key, int x, int y);
void app_click(struct app *app, int x, int y);
void app_add_zone(struct app *app, int x, int y, int width, uint32_t key); // call while drawing
// The bodies of key and mouse input; the caller handles out of memory.
void app_key_body(struct app *app, uint32_t key);
void app_point_body(struct app *app, uint32_t key, int x, int y);
void prompt_key(struct app *app, uint32_t key);         // prompt_keys.c
enum action prompt_action(const struct prompt *prompt); // the action whose argument is typed
void prompt_insert(struct prompt *prompt, const char *bytes, size_t count); // at the cursor
void prompt_draw(struct app *app, struct canvas *canvas, int y);

#endif
