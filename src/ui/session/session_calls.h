// SPDX-License-Identifier: Apache-2.0
// Functions of ui/session that ui/app calls: state kept between runs, sessions, scripts, first run.
#ifndef UI_SESSION_SESSION_CALLS_H
#define UI_SESSION_SESSION_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/error.h"

struct app;

// Column layouts kept between runs (column_memory.c): read at the start, written at the end.
void app_load_layouts(struct app *app);
void app_save_layouts(struct app *app);
// Makes the current layouts count as unchanged, so that they are not written
void app_rebase_layouts(struct app *app);

void app_write_session(struct app *app, const char *path, bool force); // session_write.c

// The hint of the first run (first_run.c). first_run_greet() shows it once, if that can be
// recorded. first_run_key() closes it and returns true if the key should also have its usual
// effect.
void first_run_greet(struct app *app);
void first_run_hint(struct app *app);
bool first_run_key(struct app *app, uint32_t key);
// The command history of former runs (history.c).
void history_load(struct app *app);
void history_save(struct app *app);

// Scripts (script.c). Run the lines; "dump" prints the screen unless `out` is NULL. Return false if
// a line cannot be parsed or its command fails.
enum { SCRIPT_LINE = 8192 }; // maximum bytes of a line
bool script_run(struct app *app, FILE *script, FILE *out, struct error *error);
bool script_line(struct app *app, char *line, int number, FILE *out, struct error *error);
// Runs a script in a terminal, stopping at notes until Enter.
bool script_play(struct app *app, FILE *script, struct error *error);
void script_dump(struct app *app, FILE *out);

#endif
