// SPDX-License-Identifier: Apache-2.0
// Sorting of row ids. Stable; the final tie is broken by the rows' former order.
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

// Less than, equal to or greater than 0, as rows a and b stand in the order wished for.
typedef int sort_compare(const void *context, uint32_t a, uint32_t b);

// Sorts ids[0..count) in place (merge sort, `scratch` arena holds a copy for the time).
void sort_ids(uint32_t *ids, size_t count, sort_compare *compare, const void *context,
              struct arena *scratch);

// Sorts values in place, the least first.
void sort_values(int64_t *values, size_t count);

// Sorts ids in place by key, then by second key where given (NULL: none), the final tie by their
// former order. What is in order, or nearly so, costs one pass, a few runs in order are merged, anything
// else is sorted by radix; `scratch` holds a copy for the time.
void sort_ids_by_time(uint32_t *ids, size_t count, const int64_t *keys, const int64_t *second,
                      struct arena *scratch);
// Ids 0..count-1 sorted so. The result lives in `arena`.
uint32_t *sort_by_time(struct arena *arena, const int64_t *keys, const int64_t *second,
                       size_t count);

#endif
