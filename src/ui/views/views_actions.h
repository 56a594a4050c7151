// SPDX-License-Identifier: Apache-2.0
// The actions of ui/views, for the rows of ui/app/action_list.c. `argument` is the text after the
// command, "" for a key.
#ifndef UI_VIEWS_VIEWS_ACTIONS_H
#define UI_VIEWS_VIEWS_ACTIONS_H

struct app;

// view_iterations.c
void app_by_gpu(struct app *app, const char *argument);

#endif
