// SPDX-License-Identifier: Apache-2.0
// Finds and runs the installed nsys program, which captures profiles and reads its own reports.
#ifndef MODEL_NSYS_NSYS_PROGRAM_H
#define MODEL_NSYS_NSYS_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

enum { NSYS_PATH_BYTES = PATH_MAX + 128 };

// Finds the first executable file of that name on the PATH.
bool program_find(const char *name, char found[NSYS_PATH_BYTES]);
bool nsys_find(char found[NSYS_PATH_BYTES]);

// Reads the first line that `nsys --version` prints. Returns false if none comes within ten
// seconds.
bool nsys_version(const char *nsys, char *out, size_t size);

// nsys_help() returns the output of `nsys COMMAND --help`, or "" if none comes within ten seconds.
// nsys_help_has() returns true if it mentions an option ("--export") or a value.
const char *nsys_help(const char *nsys, const char *command, struct arena *arena);
bool nsys_help_has(const char *help, const char *word);

struct nsys_exit_state {
    int status; // as in a shell: exit status, or 128 plus the signal
    // a terminating signal came for this program and was forwarded to nsys
    bool is_signal_forwarded;
};

// Runs nsys on the caller's terminal and waits for it. Both processes receive Ctrl-C; other
// terminating signals are forwarded to nsys. Returns false if it could not be started.
bool nsys_run(const char *nsys, const char *const arguments[], struct nsys_exit_state *end,
              struct error *error);

#endif
