// SPDX-License-Identifier: Apache-2.0
// --markers: runs a PyTorch script through python/dlprof_tui_markers.py, which is installed with
// this program.
#ifndef CLI_CLI_MARKERS_H
#define CLI_CLI_MARKERS_H

#include "cli/cli.h"

// Finds the index in the words of a program where the marker script goes: after the interpreter
// and its options. Returns false with ERROR_USAGE if it is not Python running a script or a
// module.
bool cli_markers_place(char *const *words, int count, int *place, struct error *error);

// Finds the marker script. Returns false if it is not installed.
bool cli_markers_find(const char **file, struct arena *arena, struct error *error);

#endif
