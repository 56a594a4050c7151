// SPDX-License-Identifier: Apache-2.0
// Immutable packed columns of integers (frame of reference with bit packing).
//
// Neighbouring rows have similar values: times a few ms apart, references to rows nearby, a handful
// of names. A column is stored in blocks of COLUMN_BLOCK rows. A block has its least value and, for
// each row, a code: the difference to it, in as many bits as the largest difference needs. A block
// of equal values occupies 32 bytes. Read a value with AT(column, row), in any order. A column
// never changes once it is packed.
#ifndef BASE_COLUMN_H
#define BASE_COLUMN_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

enum {
    COLUMN_BLOCK = 128,
    COLUMN_UNIT = COLUMN_BLOCK / 8, // size in bytes of a block whose codes have one bit
};

// COLUMN_NONE32 and COLUMN_NONE64 mean "no value". They are stored as code 0, so that they do not
// widen the codes of a block.
#define COLUMN_NONE32 UINT32_MAX
#define COLUMN_NONE64 INT64_MIN

struct column_block {
    int64_t base; // value = base + code; with has_none code 0 is COLUMN_NONE
    uint32_t at;  // position of its first code, in units of COLUMN_UNIT bytes
    // Highest bit of a code: at most 56, so that one unaligned read contains the whole code, or 63.
    uint8_t last;
    bool has_none;
};

struct packed {
    const struct column_block *blocks; // NULL if the column does not exist
    const unsigned char *codes;
};

struct column32 { // of uint32_t: row numbers, ids
    struct packed packed;
};

struct column64 { // of int64_t: times, bytes
    struct packed packed;
};

// Packs values[order[i]], or values[i] if `order` is NULL, for all i < count, on up to `threads`
// threads. The column belongs to the arena.
struct column32 column32_pack(struct arena *arena, unsigned threads, const uint32_t *values,
                              const uint32_t *order, size_t count);
struct column64 column64_pack(struct arena *arena, unsigned threads, const int64_t *values,
                              const uint32_t *order, size_t count);

// Packs values that arrive one at a time, so that the column never exists unpacked. The data grows
// in `scratch`, preferably an arena_temp().
struct column_writer;
struct column_writer *column_begin(struct arena *scratch);
void column64_put(struct column_writer *writer, int64_t value);
void column32_put(struct column_writer *writer, uint32_t value);
struct column64 column64_end(struct column_writer *writer, struct arena *arena);
struct column32 column32_end(struct column_writer *writer, struct arena *arena);

// Copies a column into another arena.
struct column32 column32_copy(struct arena *arena, struct column32 column, size_t count);
struct column64 column64_copy(struct arena *arena, struct column64 column, size_t count);

// Unpacks a column into an array of `arena`, for code that reads it in random order.
uint32_t *column32_unpack(struct arena *arena, struct column32 column, size_t count);
int64_t *column64_unpack(struct arena *arena, struct column64 column, size_t count);

// Return the least and greatest of the first `count` values. `count` is at least 1 and no value may
// be COLUMN_NONE. Most blocks are answered from their header.
int64_t column64_min(const struct column64 *column, size_t count);
int64_t column64_max(const struct column64 *column, size_t count);

// True if the column exists.
#define HAS(column) ((column).packed.blocks != NULL)
#ifdef __cppcheck__ // cppcheck does not know _Generic
int64_t column_value(struct packed packed, size_t row);
#define AT(column, row) column_value((column).packed, row)
#else
#define AT(column, row) \
    _Generic((column), struct column32 : column32_at, struct column64 : column64_at)(&(column), row)
#endif

// Returns the code of a row, see column_block.base.
static inline uint64_t column_code(const unsigned char *codes, const struct column_block *block,
                                   size_t row)
{
    size_t bit = row % COLUMN_BLOCK * (block->last + 1u);
    uint64_t word;
    memcpy(&word, codes + (size_t)block->at * COLUMN_UNIT + bit / 8, sizeof word);
    return le64toh(word) >> bit % 8 & ((UINT64_C(2) << block->last) - 1);
}

static inline uint32_t column32_at(const struct column32 *column, size_t row)
{
    const struct column_block *block = &column->packed.blocks[row / COLUMN_BLOCK];
    uint64_t code = column_code(column->packed.codes, block, row);
    return code || !block->has_none ? (uint32_t)((uint64_t)block->base + code) : COLUMN_NONE32;
}

static inline int64_t column64_at(const struct column64 *column, size_t row)
{
    const struct column_block *block = &column->packed.blocks[row / COLUMN_BLOCK];
    uint64_t code = column_code(column->packed.codes, block, row);
    return code || !block->has_none ? (int64_t)((uint64_t)block->base + code) : COLUMN_NONE64;
}

#endif
