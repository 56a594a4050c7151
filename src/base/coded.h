// SPDX-License-Identifier: Apache-2.0
// Compresses columns of numbers and texts for files.
//
// A number is stored as its difference from a value that the reader already knows (enum
// coded_from), with the sign folded into the low bit. The bytes of all rows are stored by
// significance: first the lowest byte of each row, then the next one, as many as the largest
// difference needs. The result is compressed with zlib. High bytes are mostly 0 and take no room,
// low bytes of times are noise and stay as they are, and data that repeats in each training step is
// found by zlib.
#ifndef BASE_CODED_H
#define BASE_CODED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum coded_from {
    CODED_FROM_ZERO,
    CODED_FROM_PREVIOUS, // difference to the value of the row before
    CODED_FROM_END,      // difference to the end of the row before: its value plus its length
    CODED_FROM_COUNT
};

struct coded {           // how a column is stored
    uint8_t from, bytes; // enum coded_from; bytes per row
    bool has_none;       // COLUMN_NONE64 is among the values
    uint64_t size;       // compressed size in bytes
};

// Returns the largest compressed size of `bytes` bytes.
size_t coded_max_bytes(size_t bytes);

// Compresses a column into `out`, which has coded_max_bytes(8 * count) bytes. `lengths` is NULL if
// rows have no length. Returns false when out of memory.
bool coded_write(const int64_t *values, const int64_t *lengths, size_t count, unsigned char *out,
                 struct coded *coded, struct arena *scratch);

// Decompresses a column. Returns false if the bytes are damaged.
bool coded_read(const struct coded *coded, const unsigned char *from, const int64_t *lengths,
                size_t count, int64_t *values, struct arena *scratch);

// The same for raw bytes.
bool coded_write_bytes(const void *bytes, size_t count, unsigned char *out, uint64_t *size);
bool coded_read_bytes(const unsigned char *from, uint64_t size, void *bytes, size_t count);

#endif
