// SPDX-License-Identifier: Apache-2.0
// Writes views and pages to files.
#ifndef UI_ACTIONS_APP_SAVE_H
#define UI_ACTIONS_APP_SAVE_H

#include "ui/overlay/prompt.h"

struct app;

const char *app_file_stem(struct app *app); // of the profile, to build file names
void app_write_view(struct app *app, const char *path, bool force);
// Returns true if the file may be written. If it exists, the user is asked, and the action of
// `asked_by` is repeated with `force`; a script is refused. Input files are never replaced.
bool app_may_write(struct app *app, const char *path, bool force, enum prompt_kind asked_by);
void app_write_page(struct app *app, const char *path, bool force);

#endif
