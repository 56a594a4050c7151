// SPDX-License-Identifier: Apache-2.0
// Stable sorting of row ids: equal rows keep their order.
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

// Returns < 0, 0 or > 0 if row a sorts before, equal to or after row b.
typedef int sort_compare(const void *context, uint32_t a, uint32_t b);

// Sorts ids[0..count) in place by merging. A copy is made in `scratch`.
void sort_ids(uint32_t *ids, size_t count, sort_compare *compare, const void *context,
              struct arena *scratch);

// Sorts values in place, ascending.
void sort_values(int64_t *values, size_t count);
// Returns the median of `count` > 0 sorted values: of an even count the mean of the middle two, a
// half cut off.
static inline int64_t sorted_median(const int64_t *sorted, size_t count)
{
    int64_t below = sorted[(count - 1) / 2], above = sorted[count / 2];
    return below / 2 + above / 2 + (below % 2 + above % 2) / 2; // the sum might overflow
}

// Sorts ids in place by keys[id], then by second[id] unless `second` is NULL. Nearly sorted input
// needs one pass. A copy is made in `scratch`.
void sort_ids_by_time(uint32_t *ids, size_t count, const int64_t *keys, const int64_t *second,
                      struct arena *scratch);
// Returns the ids 0 .. count - 1 sorted in that way, in memory of `arena`.
uint32_t *sort_by_time(struct arena *arena, const int64_t *keys, const int64_t *second,
                       size_t count);

#endif
