// SPDX-License-Identifier: Apache-2.0
// Starts another program that neither reads the terminal nor writes to it.
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

// With nothing to read, in a process group of its own (`is_apart`: in a session of its own, which the
// end of this program or of its terminal does not end), signals as usual, and what it prints in the file
// `log`. `arguments` end with NULL; the first is a path. 0, or an errno.
int spawn_quiet(const char *const arguments[], const char *log, bool is_apart, pid_t *child);

#endif
