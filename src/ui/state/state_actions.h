// SPDX-License-Identifier: Apache-2.0
// The actions of ui/state, for the table of actions (ui/app/action_list.c). `argument` is the text
// after the command name; "" for a key. Group `x` is in app_x.c.
#ifndef UI_STATE_STATE_ACTIONS_H
#define UI_STATE_STATE_ACTIONS_H

struct app;

// sets
void app_set(struct app *app, const char *argument);
void app_go_step(struct app *app, const char *argument);
void app_all(struct app *app, const char *argument);
void app_steady(struct app *app, const char *argument);
void app_kind(struct app *app, const char *argument);
void app_warm_up(struct app *app, const char *argument);
void app_outliers(struct app *app, const char *argument);
void app_start(struct app *app, const char *argument);
void app_stop(struct app *app, const char *argument);
void app_previous_step(struct app *app, const char *argument);
void app_next_step(struct app *app, const char *argument);

// (candidates.c)
void app_key_op(struct app *app, const char *argument);

// baseline
void app_take_baseline(struct app *app, const char *argument);
void app_deltas(struct app *app, const char *argument);

#endif
