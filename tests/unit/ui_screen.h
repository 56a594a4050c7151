// SPDX-License-Identifier: Apache-2.0
// Runs the program on a canvas without a terminal: tests send keys and read the screen as text.
#ifndef TESTS_UI_SCREEN_H
#define TESTS_UI_SCREEN_H

#include "model/profile/loader.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/view.h"

// Views that tests go to.
extern const struct view_class view_summary, view_tree, view_kernels, view_iterations,
    view_timeline, view_flame, view_expert, view_help;

// Creates an app as in a script, which never overwrites a file. The caller frees it with
// app_free().
struct app *app_on(const struct profile *profile, int width, int height);
// The same with other options and without the first frame.
struct app *app_with(const struct app_options *options, const struct profile *profile, int width,
                     int height);
extern const struct app_options app_defaults; // options of app_on()

// Opens the app where the saved session of a file ends; parts that did not apply are shown in the
// box.
struct app *app_after(const struct profile *profile, const char *path, int width, int height);

// Each of these draws a frame afterwards.
void press(struct app *app, const char *keys);      // key names separated by spaces
void do_command(struct app *app, const char *line); // a valid command
void point_at(struct app *app, uint32_t key, int x, int y);
char *picture(struct app *app); // without messages; the caller frees it
// Returns the part below title and tabs: the counts of findings in them appear only when computed.
const char *screen_body(const char *picture);
bool shows(struct app *app, const char *words);

// Makes a folder and changes into it: files that are written without a path end up there. NULL if
// it fails.
const char *own_folder_enter(void);
int own_folder_remove(void); // leaves and removes the folder; 0 if it is gone

#endif
