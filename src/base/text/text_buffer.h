// SPDX-License-Identifier: Apache-2.0
// A text of bounded length that is built piece by piece; text beyond its capacity is cut off.
#ifndef BASE_TEXT_TEXT_BUFFER_H
#define BASE_TEXT_TEXT_BUFFER_H

#include <stddef.h>

struct text_buffer { // {.length = 0} is ""
    char bytes[2048];
    size_t length; // without the final NUL
};

__attribute__((format(printf, 2, 3))) void text_buffer_add(struct text_buffer *text,
                                                           const char *format, ...);

#endif
