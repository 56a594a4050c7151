// SPDX-License-Identifier: Apache-2.0
// An interval tree without nodes: rows sorted by start and one column of maxima.
//
// The tree is implied by the row numbers (an implicit binary tree over the sorted rows); max_end
// of a row is the latest end in its subtree. Building costs one pass, a query O(log n), also when
// some intervals are as long as the whole run. The tree keeps pointers to the caller's columns.
#ifndef MODEL_INTERVALS_H
#define MODEL_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct intervals {
    const int64_t *start, *end; // the caller's, ns; start ascending
    uint32_t count;
    int64_t *max_end; // in the arena given
    int levels;       // of the root: 2^(levels + 1) > count
};

void intervals_build(struct intervals *tree, struct arena *arena, const int64_t *start,
                     const int64_t *end, uint32_t count);

// The innermost interval (greatest start; among those the last row) that contains all of
// [from, to], both ends included, or UINT32_MAX.
uint32_t intervals_innermost(const struct intervals *tree, int64_t from, int64_t to);

#endif
