// SPDX-License-Identifier: Apache-2.0
// Finds a source file on this machine by the path in a capture, and runs an editor on it.
#ifndef UI_TERM_SOURCE_FILE_H
#define UI_TERM_SOURCE_FILE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

// Returns the regular file that a capture calls `recorded`: that path, or the longest suffix of
// it that exists below `root`; NULL if there is none.
const char *source_file_find(const char *recorded, const char *root, struct arena *arena);

// Returns the NULL-terminated argv that opens `path` at `line` (0: no line): `editor` split at
// blanks or "vi", then "+12", then the path, prefixed with "./" where it could be taken for an
// option.
char **source_file_argv(const char *editor, const char *path, uint32_t line, struct arena *arena);

// Runs a program without a shell and waits for it. Returns false if it cannot be started or
// fails.
bool program_run(char *const argv[], struct error *error);

#endif
