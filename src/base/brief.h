// SPDX-License-Identifier: Apache-2.0
// A text that is put together piece by piece in room of its own: what does not fit any more is cut off.
#ifndef BASE_BRIEF_H
#define BASE_BRIEF_H

#include <stddef.h>

struct brief { // {.length = 0}: ""
    char bytes[2048];
    size_t length; // without the NUL
};

__attribute__((format(printf, 2, 3))) void brief_add(struct brief *text, const char *format, ...);

#endif
