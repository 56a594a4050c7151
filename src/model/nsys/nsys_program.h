// SPDX-License-Identifier: Apache-2.0
// The nsys that is installed here, if one is: it alone captures, and reads its own reports.
#ifndef MODEL_NSYS_PROGRAM_H
#define MODEL_NSYS_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

enum { NSYS_PATH_BYTES = PATH_MAX + 128 };

// The first program of that name on the PATH that can be run.
bool program_find(const char *name, char found[NSYS_PATH_BYTES]);
bool nsys_find(char found[NSYS_PATH_BYTES]);

// The first line that `nsys --version` prints; false: none within ten seconds.
bool nsys_version(const char *nsys, char *out, size_t size);

// What `nsys COMMAND --help` prints, "": nothing within ten seconds; and whether it speaks of an option
// ("--export") or of a value.
const char *nsys_help(const char *nsys, const char *command, struct arena *arena);
bool nsys_help_has(const char *help, const char *word);

struct nsys_end {
    int status;        // as a shell tells it, 128 and the number of a signal
    bool is_handed_on; // a signal that ends programs came for this one, and was
};

// Runs nsys with the caller's terminal and waits for it: Ctrl-C is for the two of them, and what else
// ends a program is handed on. False: it could not be started.
bool nsys_run(const char *nsys, const char *const arguments[], struct nsys_end *end,
              struct error *error);

#endif
