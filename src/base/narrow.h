// SPDX-License-Identifier: Apache-2.0
// A column of int64 in four bytes a row.
//
// Ids are counted up: nearly all lie within 2^31 of one another. A cell is the distance from a base; the few values that are too far away are kept beside, with their rows.
#ifndef BASE_NARROW_H
#define BASE_NARROW_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct narrow {
    int64_t base;
    uint32_t *cells; // NULL: no row has a value
    struct arena *arena;
    struct narrow_far *far; // by row
    size_t far_count, far_capacity;
};

enum { NARROW_FAR = -1 };

// A column of `count` rows around `middle`, whose cells are not set. Memory is the arena's.
void narrow_open(struct narrow *narrow, struct arena *arena, size_t count, int64_t middle);
// Sets rows in ascending order, each once.
void narrow_set(struct narrow *narrow, uint32_t row, int64_t value);
int64_t narrow_far(const struct narrow *narrow, uint32_t row);

static inline int64_t narrow_at(const struct narrow *narrow, uint32_t row)
{
    uint32_t cell = narrow->cells[row];
    return cell != (uint32_t)NARROW_FAR ? (int64_t)((uint64_t)narrow->base + cell)
                                        : narrow_far(narrow, row);
}

#endif
