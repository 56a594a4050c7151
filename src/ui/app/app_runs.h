// SPDX-License-Identifier: Apache-2.0
// The list of the runs of a folder, on a terminal that is open.
#ifndef UI_APP_APP_RUNS_H
#define UI_APP_APP_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct app;

// Asks which of options->runs is to be opened, with the cursor on *run and what went wrong before (""). Of
// that *run is the answer, SIZE_MAX: none, or *number is of a signal that asks to end. False: memory ended.
bool app_pick_run(struct app *app, const char *problem, size_t *run, int *number,
                  struct error *error);

#endif
