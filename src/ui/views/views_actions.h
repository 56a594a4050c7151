// SPDX-License-Identifier: Apache-2.0
// The actions of ui/views, for the rows of ui/app/action_list.c. `argument` is the text after the
// command, "" for a key.
#ifndef UI_VIEWS_VIEWS_ACTIONS_H
#define UI_VIEWS_VIEWS_ACTIONS_H

#include <stdint.h>

struct app;
struct view;

// view_iterations.c
void app_by_gpu(struct app *app, const char *argument);

// Opens the op tree of one step, with a set of its own (view_iterations.c).
void view_enter_step(struct view *view, uint32_t step);

#endif
