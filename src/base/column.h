// SPDX-License-Identifier: Apache-2.0
// Columns of numbers in as few bits as their neighbours need.
//
// Rows that stand together have values that lie together: times a few ms apart, references to rows
// nearby, a handful of names. A column is kept in blocks of COLUMN_BLOCK rows: the least value of
// the block, and how far each row's lies above it, in as many bits as the farthest takes. A block
// whose rows are all alike takes 32 bytes. What is there is read with AT(column, row), in any order;
// a column never changes once it is packed.
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
    COLUMN_UNIT = COLUMN_BLOCK / 8, // bytes of one bit of all rows
};

#define COLUMN_NONE32 UINT32_MAX // values that take no room of their own wherever the others lie
#define COLUMN_NONE64 INT64_MIN

struct column_block {
    int64_t base; // of code 0, unless that says none
    uint32_t at;  // its first code, in units
    uint8_t last; // highest bit of a code: up to 56, that one read gets it whole, or 63
    bool has_none;
};

struct packed {
    const struct column_block *blocks; // NULL: the column is not there
    const unsigned char *codes;
};

struct column32 { // of uint32_t: rows, ids
    struct packed packed;
};

struct column64 { // of int64_t: times, bytes
    struct packed packed;
};

// The column of values[order[i]] for all i below `count` (order NULL: of values[i]), made by that
// many threads. Its memory is the arena's.
struct column32 column32_pack(struct arena *arena, unsigned threads, const uint32_t *values,
                              const uint32_t *order, size_t count);
struct column64 column64_pack(struct arena *arena, unsigned threads, const int64_t *values,
                              const uint32_t *order, size_t count);

// A column whose values come one by one, which never stands unpacked; what is written grows in `scratch`,
// best an arena_brief().
struct column_writer;
struct column_writer *column_begin(struct arena *scratch);
void column64_put(struct column_writer *writer, int64_t value);
void column32_put(struct column_writer *writer, uint32_t value);
struct column64 column64_end(struct column_writer *writer, struct arena *arena);
struct column32 column32_end(struct column_writer *writer, struct arena *arena);

// The same column with memory of another arena.
struct column32 column32_copy(struct arena *arena, struct column32 column, size_t count);
struct column64 column64_copy(struct arena *arena, struct column64 column, size_t count);

// Its values again, as plain numbers of `arena`, for what goes over them in another order.
uint32_t *column32_unpack(struct arena *arena, struct column32 column, size_t count);
int64_t *column64_unpack(struct arena *arena, struct column64 column, size_t count);

// The least and the greatest of `count` values, at least one, none of which is none: most blocks are
// not looked into.
int64_t column64_least(const struct column64 *column, size_t count);
int64_t column64_most(const struct column64 *column, size_t count);

// Whether the column is there, as a pointer to one might be NULL.
#define HAS(column) ((column).packed.blocks != NULL)
// The value of a row.
#ifdef __cppcheck__ // which does not know _Generic
int64_t column_value(struct packed packed, size_t row);
#define AT(column, row) column_value((column).packed, row)
#else
#define AT(column, row) \
    _Generic((column), struct column32 : column32_at, struct column64 : column64_at)(&(column), row)
#endif

// 0: none where the block has some, otherwise the base.
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
