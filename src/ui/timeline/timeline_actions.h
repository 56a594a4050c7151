// SPDX-License-Identifier: Apache-2.0
// The actions of ui/timeline, for the rows of ui/app/action_list.c. `argument` is the text after
// the command, "" for a key.
#ifndef UI_TIMELINE_TIMELINE_ACTIONS_H
#define UI_TIMELINE_TIMELINE_ACTIONS_H

struct app;

// app_timeline.c
void app_timeline(struct app *app, const char *argument);

#endif
