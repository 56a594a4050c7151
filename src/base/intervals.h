// SPDX-License-Identifier: Apache-2.0
// An implicit interval tree: rows sorted by start, and one column of maxima.
//
// The row numbers define a binary tree over the sorted rows; max_end of a row is the latest end in
// its subtree. Building takes O(n), a query O(log n), even if some intervals span the whole run.
// The tree keeps pointers to the caller's columns.
#ifndef BASE_INTERVALS_H
#define BASE_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct intervals {
    const int64_t *start, *end; // owned by the caller, in ns; `start` ascends
    uint32_t count;
    int64_t *max_end; // in the arena of intervals_build()
    int levels;       // level of the root: 2^(levels + 1) > count
};

void intervals_build(struct intervals *tree, struct arena *arena, const int64_t *start,
                     const int64_t *end, uint32_t count);

// Returns the innermost interval that contains all of [from, to], both ends included, or
// UINT32_MAX: the one with the greatest start, and of equal starts the last row.
uint32_t intervals_innermost(const struct intervals *tree, int64_t from, int64_t to);

#endif
