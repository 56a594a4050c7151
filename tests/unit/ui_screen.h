// SPDX-License-Identifier: Apache-2.0
// The program on a canvas, without a terminal: keys in, the screen as text out.
#ifndef TESTS_UI_SCREEN_H
#define TESTS_UI_SCREEN_H

#include "model/profile/loader.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/view.h"

// Views that tests go to.
extern const struct view_class view_summary, view_tree, view_kernels, view_iterations,
    view_timeline, view_flame, view_expert, view_help;

// An app as in a script, which never writes over a file. The caller frees it with app_free().
struct app *app_on(const struct profile *profile, int width, int height);
// The same with options of one's own, and without its first frame.
struct app *app_with(const struct app_options *options, const struct profile *profile, int width,
                     int height);
extern const struct app_options app_defaults; // those of app_on()

// Where the session of a file has led; what of it did not apply stands in the box.
struct app *app_after(const struct profile *profile, const char *path, int width, int height);

// A frame after each of these.
void press(struct app *app, const char *keys);      // their names, separated by blanks
void do_command(struct app *app, const char *line); // one that is no mistake
void point_at(struct app *app, uint32_t key, int x, int y);
char *picture(struct app *app); // without messages; the caller frees it
// Below title and tabs: the findings that these count come when there is time.
const char *screen_body(const char *picture);
bool shows(struct app *app, const char *words);

// Makes a folder and goes there: what is copied and saved without a path ends in it. NULL: there is none.
const char *own_folder_enter(void);
int own_folder_remove(void); // leaves it, too; 0 where it is gone

#endif
