// SPDX-License-Identifier: Apache-2.0
// A growing byte buffer in an arena, filled before it is written to a file.
//
// Numbers are formatted as printf() would, but mostly without its cost: exports contain tens of
// millions of them.
#ifndef BASE_TEXT_BYTES_H
#define BASE_TEXT_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

struct bytes { // {.arena = arena}: empty
    struct arena *arena;
    char *items; // without a final NUL, except right after bytes_format()
    size_t count, capacity;
};

// Makes room for `size` more bytes (at least 1) and returns their address. The caller writes them
// and increases `count`.
char *bytes_reserve(struct bytes *bytes, size_t size);

static inline void bytes_add(struct bytes *bytes, const char *from, size_t size)
{
    if (size > 0)
        memcpy(bytes_reserve(bytes, size), from, size);
    bytes->count += size;
}
static inline void bytes_char(struct bytes *bytes, char c)
{
    *bytes_reserve(bytes, 1) = c;
    bytes->count++;
}
static inline void bytes_text(struct bytes *bytes, const char *text)
{
    bytes_add(bytes, text, strlen(text));
}
// Appends formatted text, followed by a NUL that `count` does not include.
void bytes_format(struct bytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void bytes_integer(struct bytes *bytes, int64_t value);
void bytes_decimals(struct bytes *bytes, double value, int decimals); // as "%.*f"
void bytes_exact(struct bytes *bytes, double value);                  // as format_exact()

// Writes all bytes and empties the buffer. Returns false on failure (errno).
bool bytes_write(struct bytes *bytes, FILE *file);
// Writes `size` bytes to a file descriptor, repeating partial writes. Returns false on failure
// (errno).
bool bytes_write_fd(int number, const char *from, size_t size);

#endif
