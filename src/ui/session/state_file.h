// SPDX-License-Identifier: Apache-2.0
// Small files that the program keeps from one run to the next, in $XDG_STATE_HOME/dlprof-tui,
// else in ~/.local/state/dlprof-tui; never next to a profile.
//
// They are optional: a folder that cannot be written is silently ignored.
#ifndef UI_SESSION_STATE_FILE_H
#define UI_SESSION_STATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"

// Creates an empty file of that name. Returns true if it did not exist before, that is, the first
// time.
bool state_file_create_once(const char *name, struct arena *arena);

// Returns the content of the file, NUL-terminated and cut at `most` bytes; NULL if there is none.
char *state_file_read(const char *name, size_t most, struct arena *arena);

// Writes the file atomically, readable by its owner only.
bool state_file_write(const char *name, bool (*write)(void *context, FILE *file), void *context,
                      struct arena *arena);

#endif
