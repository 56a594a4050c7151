// SPDX-License-Identifier: Apache-2.0
// Where on this machine a file of the program lies, and editing it.
#ifndef UI_SOURCE_FILE_H
#define UI_SOURCE_FILE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

// The regular file that a capture calls `recorded`: that path, else the longest end of it that
// there is below `root`. NULL: it is not on this machine.
const char *source_file_find(const char *recorded, const char *root, struct arena *arena);

// The words that start an editor at a line (0: none), ended by NULL: `editor` split at blanks, else
// "vi"; "+12"; the path, made "./..." where it could be taken for an option.
char **source_file_argv(const char *editor, const char *path, uint32_t line, struct arena *arena);

// Runs a program without a shell and waits for it. False: it could not be started, or failed.
bool program_run(char *const argv[], struct error *error);

#endif
