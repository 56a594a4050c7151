// SPDX-License-Identifier: Apache-2.0
// What the program keeps from one run to the next: small files in $XDG_STATE_HOME/dlprof-tui, else
// in ~/.local/state/dlprof-tui; never beside a profile.
//
// Nothing depends on them: a folder that cannot be written is not worth a word.
#ifndef UI_STATE_FILE_H
#define UI_STATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"

// Makes an empty file of that name. True: it was not there before, so that this is the first time.
bool state_file_mark(const char *name, struct arena *arena);

// The file's bytes with a closing 0, at most `most` of them; NULL: there is none.
char *state_file_read(const char *name, size_t most, struct arena *arena);

// Whole or not at all, readable by its owner alone.
bool state_file_write(const char *name, bool (*write)(void *context, FILE *file), void *context,
                      struct arena *arena);

#endif
