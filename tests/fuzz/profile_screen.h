// SPDX-License-Identifier: Apache-2.0
// The program on a canvas, for fuzzers: keys, commands and the mouse, except actions that quit,
// write files or start programs. After each of them a frame is drawn and its invariants are
// checked. A broken invariant aborts the process.
#ifndef TESTS_FUZZ_PROFILE_SCREEN_H
#define TESTS_FUZZ_PROFILE_SCREEN_H

#include <stdint.h>

struct app;
struct profile;

struct app *screen_open(const struct profile *profile, int width, int height);
void screen_key(struct app *app, uint32_t key);
void screen_type(struct app *app, const char *text);
void screen_command(struct app *app, const char *line);
void screen_mouse(struct app *app, uint32_t key, int x, int y);
void screen_resize(struct app *app, int width, int height);
// Draws a pending frame before the screen is inspected.
void screen_settle(struct app *app);

// Checks that a session of the current place leads to the same view if all of it applies.
void screen_check_session(struct app *app);

// Exercises a view with some keys chosen by `choices`; many inputs cover all.
void screen_exercise(const struct profile *profile, unsigned choices);

#endif
