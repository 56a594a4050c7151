// SPDX-License-Identifier: Apache-2.0
// Starts another program that neither reads from the terminal nor writes to it.
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

// Starts a program with standard input from /dev/null, output and errors in the file `log`, and
// default signal handling. It runs in a process group of its own, or, if `has_own_ends`, in a
// session of its own, which survives this program and its terminal. `arguments` end with NULL; the
// first is the path of the program. Returns 0 or an errno.
int spawn_quiet(const char *const arguments[], const char *log, bool has_own_ends, pid_t *child);

#endif
