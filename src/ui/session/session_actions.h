// SPDX-License-Identifier: Apache-2.0
// The actions of ui/session, for the rows of the list (ui/app/action_list.c). `argument` is what
// follows the command, "" for a key.
#ifndef UI_SESSION_SESSION_ACTIONS_H
#define UI_SESSION_SESSION_ACTIONS_H

struct app;

// tour.c
void app_tour(struct app *app, const char *argument);

// bookmarks.c
void app_bookmark(struct app *app, const char *argument);
void app_jump(struct app *app, const char *argument);
void app_bookmarks(struct app *app, const char *argument);

// session_write.c
void app_session(struct app *app, const char *argument);

#endif
