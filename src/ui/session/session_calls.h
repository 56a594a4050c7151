// SPDX-License-Identifier: Apache-2.0
// What ui/app calls of sessions, scripts and the first run.
#ifndef UI_SESSION_SESSION_CALLS_H
#define UI_SESSION_SESSION_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/error.h"

struct app;

// What is found again the next time (app_memory.c): at the start, and at the end.
void app_recall(struct app *app);
void app_memorize(struct app *app);
void app_recall_anew(struct app *app); // the columns as they are now are not the person's own

void app_write_session(struct app *app, const char *path, bool force); // session_write.c

// The first time (first_run.c): shown once, if that can be remembered; a key that means something is
// not swallowed by it: true.
void first_run_greet(struct app *app);
void first_run_hint(struct app *app);
bool first_run_key(struct app *app, uint32_t key);
// Commands of former runs (history.c).
void history_load(struct app *app);
void history_save(struct app *app);

// Scripts (script.c): runs lines; "dump" prints the screen, unless `out` is NULL. False: a line could
// not be understood, or did not do what it says.
enum { SCRIPT_LINE = 8192 }; // bytes
bool script_run(struct app *app, FILE *script, FILE *out, struct error *error);
bool script_line(struct app *app, char *line, int number, FILE *out, struct error *error);
// The same in a terminal: it stops at notes until Enter.
bool script_play(struct app *app, FILE *script, struct error *error);
void script_dump(struct app *app, FILE *out);

#endif
