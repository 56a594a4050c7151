// SPDX-License-Identifier: Apache-2.0
// Bytes put one behind the other, in an arena: what is to be written, before it is.
//
// Numbers are put as printf() would, mostly without its cost: exports hold them by the ten million.
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

struct bytes { // {.arena = arena}: empty
    struct arena *arena;
    char *items; // no NUL behind them, unless bytes_format() put the last ones
    size_t count, capacity;
};

// Room for `size` more, at least 1; returns where they go.
char *bytes_room(struct bytes *bytes, size_t size);

static inline void bytes_add(struct bytes *bytes, const char *from, size_t size)
{
    if (size > 0)
        memcpy(bytes_room(bytes, size), from, size);
    bytes->count += size;
}
static inline void bytes_char(struct bytes *bytes, char c)
{
    *bytes_room(bytes, 1) = c;
    bytes->count++;
}
static inline void bytes_text(struct bytes *bytes, const char *text)
{
    bytes_add(bytes, text, strlen(text));
}
// Leaves a NUL behind the bytes, which is not counted.
void bytes_format(struct bytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void bytes_integer(struct bytes *bytes, int64_t value);
void bytes_decimals(struct bytes *bytes, double value, int decimals); // "%.*f"
void bytes_exact(struct bytes *bytes, double value);                  // format_exact()

// Writes all and is empty again. False: it failed (errno).
bool bytes_write(struct bytes *bytes, FILE *file);
// To an open file, by its number, whatever part of it each write takes. False: it failed (errno).
bool bytes_send(int number, const char *from, size_t size);

#endif
