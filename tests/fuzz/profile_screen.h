// SPDX-License-Identifier: Apache-2.0
// The program on a canvas, for fuzzers: keys, commands and the mouse as far as they stay on the
// screen; after each a frame, and what a frame promises.
// Ends the process where a promise is broken.
#ifndef TESTS_FUZZ_PROFILE_SCREEN_H
#define TESTS_FUZZ_PROFILE_SCREEN_H

#include <stdint.h>

struct app;
struct profile;

struct app *screen_open(const struct profile *profile, int width, int height);
// Leaving, writing files and starting programs are not done.
void screen_key(struct app *app, uint32_t key);
void screen_type(struct app *app, const char *text);
void screen_command(struct app *app, const char *line);
void screen_mouse(struct app *app, uint32_t key, int x, int y);
void screen_resize(struct app *app, int width, int height);
// The frame that may be due, before what is on the screen is looked at.
void screen_settle(struct app *app);

// What a session says of where one is leads to the same view again, where all of it applies.
void screen_check_session(struct app *app);

// A view with some keys, by `choices`: over many inputs all.
void screen_exercise(const struct profile *profile, unsigned choices);

#endif
