// SPDX-License-Identifier: Apache-2.0
// Marking a program of PyTorch: the words that run its script with python/dlprof_tui_markers.py, which
// is installed with this program.
#ifndef CLI_MARKERS_H
#define CLI_MARKERS_H

#include "cli/cli.h"

// Where in the words of a program the two below go: behind the interpreter and its own options. False:
// ERROR_USAGE, no interpreter of Python that runs a script or a module.
bool cli_markers_place(char *const *words, int count, int *place, struct error *error);

// The file. False: it is not installed.
bool cli_markers_find(const char **file, struct arena *arena, struct error *error);

#endif
