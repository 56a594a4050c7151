// SPDX-License-Identifier: Apache-2.0
// Columns of numbers and texts in few bytes, for files.
//
// A number is written as how far it lies from what a reader already knows (enum coded_from); of all
// rows first the nearest byte, then the next, as many as the farthest needs; and all of that goes
// through zlib. Far bytes are mostly 0 and take nothing, near ones of times are noise and stay as they
// are, and what repeats with each step of a training run is found again.
#ifndef BASE_CODED_H
#define BASE_CODED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum coded_from {
    CODED_FROM_ZERO,
    CODED_FROM_LAST, // value
    CODED_FROM_END,  // of the row before: its value and its length
    CODED_FROMS
};

struct coded {           // how a column is written
    uint8_t from, bytes; // enum coded_from; bytes of a row
    bool has_none;       // COLUMN_NONE64 is among the values
    uint64_t size;       // bytes as they are written
};

// Room that `bytes` bytes take at most.
size_t coded_room(size_t bytes);

// Writes a column to `out`, which has coded_room(8 * count) bytes. `lengths` may be NULL: rows have
// none. False: out of memory.
bool coded_write(const int64_t *values, const int64_t *lengths, size_t count, unsigned char *out,
                 struct coded *coded, struct arena *scratch);

// Reads it again. False: these are not the bytes of such a column.
bool coded_read(const struct coded *coded, const unsigned char *from, const int64_t *lengths,
                size_t count, int64_t *values, struct arena *scratch);

// The same for plain bytes.
bool coded_write_bytes(const void *bytes, size_t count, unsigned char *out, uint64_t *size);
bool coded_read_bytes(const unsigned char *from, uint64_t size, void *bytes, size_t count);

#endif
