// SPDX-License-Identifier: Apache-2.0
// The actions of ui/app, for the rows of ui/app/action_list.c. `argument` is the text after the
// command, "" for a key.
#ifndef UI_APP_APP_ACTIONS_H
#define UI_APP_APP_ACTIONS_H

struct app;

// app_source.c
void app_edit(struct app *app, const char *argument);
void app_set_source_root(struct app *app, const char *argument);
void app_ncu(struct app *app, const char *argument);

// app_runs.c
void app_choose_run(struct app *app, const char *argument);

// app_input.c
void app_flip(struct app *app, const char *argument);

// app_rules.c
void app_reload(struct app *app, const char *argument);

// app_commands.c
void app_command(struct app *app, const char *argument);
void app_theme(struct app *app, const char *argument);
void app_mouse(struct app *app, const char *argument);
void app_redraw(struct app *app, const char *argument);
void app_suspend(struct app *app, const char *argument);
void app_interrupt(struct app *app, const char *argument);
void app_quit(struct app *app, const char *argument);
void app_quit_now(struct app *app, const char *argument);

#endif
