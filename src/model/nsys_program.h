// SPDX-License-Identifier: Apache-2.0
// The nsys that is installed here, if one is: it alone reads its own reports.
#ifndef MODEL_NSYS_PROGRAM_H
#define MODEL_NSYS_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { NSYS_PATH_BYTES = PATH_MAX + 128 };

// The first nsys on the PATH that can be run.
bool nsys_find(char found[NSYS_PATH_BYTES]);

// The first line that `nsys --version` prints; false: none within ten seconds.
bool nsys_version(const char *nsys, char *out, size_t size);

#endif
