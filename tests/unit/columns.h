// SPDX-License-Identifier: Apache-2.0
// Columns that a test fills or changes row by row: each value is stored in a 64-bit word of its
// own.
#ifndef TESTS_COLUMNS_H
#define TESTS_COLUMNS_H

#include "base/column.h"

static inline struct packed packed_loose(struct arena *arena, size_t count)
{
    enum { BITS = 64 }; // width of a value in bits, which is also the number of units of a block
    size_t blocks = count / COLUMN_BLOCK + 1;
    struct column_block *block = ARENA_ARRAY(arena, struct column_block, blocks);
    for (size_t i = 0; i < blocks; i++)
        block[i] = (struct column_block){.at = (uint32_t)i * BITS, .last = BITS - 1};
    uint64_t *codes = ARENA_ARRAY(arena, uint64_t, blocks * COLUMN_BLOCK);
    return (struct packed){block, (const unsigned char *)codes};
}

static inline struct column32 column32_loose(struct arena *arena, size_t count)
{
    return (struct column32){packed_loose(arena, count)};
}

static inline struct column64 column64_loose(struct arena *arena, size_t count)
{
    return (struct column64){packed_loose(arena, count)};
}

// Sets one row of a column made by this header.
#define SET(column, row, value) \
    (((uint64_t *)(column).packed.codes)[row] = htole64((uint64_t)(value)))

#endif
