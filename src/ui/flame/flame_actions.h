// SPDX-License-Identifier: Apache-2.0
// The actions of ui/flame, for the rows of ui/app/action_list.c. `argument` is the text after the
// command, "" for a key.
#ifndef UI_FLAME_FLAME_ACTIONS_H
#define UI_FLAME_FLAME_ACTIONS_H

struct app;

// app_flame.c
void app_show_boxes(struct app *app, const char *argument);
void app_enter_as(struct app *app, const char *argument);
void app_show_in_tree(struct app *app, const char *argument);

#endif
