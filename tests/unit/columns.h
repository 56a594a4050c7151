// SPDX-License-Identifier: Apache-2.0
// Columns that a test fills or changes row by row: each value has a word of its own.
#ifndef TESTS_COLUMNS_H
#define TESTS_COLUMNS_H

#include "base/column.h"

static inline struct packed packed_loose(struct arena *arena, size_t count)
{
    size_t blocks = count / COLUMN_BLOCK + 1;
    struct column_block *block = ARENA_ARRAY(arena, struct column_block, blocks);
    for (size_t i = 0; i < blocks; i++)
        block[i] = (struct column_block){.at = (uint32_t)i * 64, .last = 63};
    uint64_t *codes = ARENA_ARRAY(arena, uint64_t, blocks * COLUMN_BLOCK + 1);
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

// Of a column made so.
#define SET(column, row, value) (((uint64_t *)(column).packed.codes)[row] = (uint64_t)(value))

// Makes a column of a profile one that SET() changes.
#define LOOSEN(arena, column, count)                                         \
    do {                                                                     \
        struct packed loose = packed_loose(arena, count);                    \
        for (size_t loose_row = 0; loose_row < (count); loose_row++)         \
            ((uint64_t *)loose.codes)[loose_row] =                           \
                HAS(column) ? (uint64_t)AT(column, loose_row) : UINT64_C(0); \
        (column).packed = loose;                                             \
    } while (0)

#endif
