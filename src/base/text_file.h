// SPDX-License-Identifier: Apache-2.0
// A file of text to be shown: a regular file of bounded size, its bytes as they are and where its
// lines begin. What is printed of it goes through text_safe().
#ifndef BASE_TEXT_FILE_H
#define BASE_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

struct text_file {     // in the arena that it was read into
    const char *bytes; // with a NUL behind the last
    size_t length;
    size_t count;  // lines
    size_t *first; // byte at which each begins, and one more: the end
};

bool text_file_is_regular(const char *path); // or a link to one

// False: it is none, cannot be read, or has more than `most` bytes.
bool text_file_read(const char *path, size_t most, struct arena *arena, struct text_file *file,
                    struct error *error);

// The same without its lines: bytes and length only.
bool text_file_bytes(const char *path, size_t most, struct arena *arena, struct text_file *file,
                     struct error *error);

// A line without its end, from 0 on.
const char *text_file_line(const struct text_file *file, size_t line, size_t *length);

#endif
