// SPDX-License-Identifier: Apache-2.0
// Reads a text file for display: a regular file of limited size, as raw bytes with the offsets of
// its lines. Printed text must pass through text_safe().
#ifndef BASE_TEXT_TEXT_FILE_H
#define BASE_TEXT_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

// A text file in memory of the arena that it was read into.
struct text_file {
    const char *bytes; // followed by a NUL
    size_t length;
    size_t count;  // number of lines
    size_t *first; // offset of each line, and first[count] is the end
};

bool text_file_is_regular(const char *path); // true for a link to one, too

// Fails if it is not a regular file, cannot be read, or has more than `max_bytes` bytes.
bool text_file_read_lines(const char *path, size_t max_bytes, struct arena *arena,
                          struct text_file *file, struct error *error);

// The same without the lines: sets only bytes and length.
bool text_file_bytes(const char *path, size_t max_bytes, struct arena *arena,
                     struct text_file *file, struct error *error);

// Returns a line (0-based) without its line ending.
const char *text_file_line(const struct text_file *file, size_t line, size_t *length);

#endif
