// SPDX-License-Identifier: Apache-2.0
// The actions of ui/views, for the rows of the list (ui/app/action_list.c). `argument` is what
// follows the command, "" for a key.
#ifndef UI_VIEWS_VIEWS_ACTIONS_H
#define UI_VIEWS_VIEWS_ACTIONS_H

struct app;

// view_iterations.c
void app_by_gpu(struct app *app, const char *argument);

#endif
