// SPDX-License-Identifier: Apache-2.0
// The actions of ui/timeline and their conditions, for the rows of ui/app/action_list.c. `argument`
// is the text after the command, "" for a key.
#ifndef UI_TIMELINE_TIMELINE_ACTIONS_H
#define UI_TIMELINE_TIMELINE_ACTIONS_H

#include <stdbool.h>

struct app;
struct view;

// app_timeline.c
void app_timeline(struct app *app, const char *argument);
bool view_has_place(struct view *view); // the row under the cursor has a place on the timeline

// timeline_link.c
bool view_has_link(struct view *view); // the selected item launches or is launched

#endif
