// SPDX-License-Identifier: Apache-2.0
// Error reporting.
//
// A function that can fail takes a `struct error *`, owned by the caller, as its last parameter and
// returns false (or NULL). Failing takes one line:
//
//     return error_set(error, ERROR_DATA, "%s: no table %s", path, table);
//
// Nothing below main() prints or exits.
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

enum error_kind {
    ERROR_NONE,
    ERROR_USAGE,     // the user asked for something that does not exist: exit status 2
    ERROR_DATA,      // the input cannot be used: exit status 1
    ERROR_IO,        // the file system failed: exit status 1
    ERROR_MEMORY,    // out of memory or over a limit: exit status 1
    ERROR_CANCELLED, // cancelled by the user, or the result is no longer needed: exit status 130
};

struct error {
    enum error_kind kind;
    char message[2000]; // one or more lines, no final newline
};

// Records a failure and returns false. `error` may be NULL.
bool error_set(struct error *error, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
