// SPDX-License-Identifier: Apache-2.0
// The list of the runs of a folder, on an open terminal.
#ifndef UI_APP_APP_RUNS_H
#define UI_APP_APP_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct app;

// Asks which of options->runs to open. The cursor starts on `*run`, and `problem` is shown ("" for
// none). Sets `*run` to the chosen run, or to SIZE_MAX if the user leaves or a signal asks to end;
// then `*number` is the signal. Returns false if memory runs out.
bool app_pick_run(struct app *app, const char *problem, size_t *run, int *number,
                  struct error *error);

#endif
