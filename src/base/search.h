// SPDX-License-Identifier: Apache-2.0
// Binary search in sorted columns and arrays. Rows are absolute row numbers.
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stdint.h>

#include "base/column.h"

// from(): returns the first row of [low, high) whose value is >= `value`, or `high`.
#define DEFINE_SEARCH_FROM(from, type, value_of)                                         \
    static inline uint32_t from(type values, uint32_t low, uint32_t high, int64_t value) \
    {                                                                                    \
        while (low < high) {                                                             \
            uint32_t middle = low + (high - low) / 2;                                    \
            if (value_of(values, middle) < value)                                        \
                low = middle + 1;                                                        \
            else                                                                         \
                high = middle;                                                           \
        }                                                                                \
        return low;                                                                      \
    }

// above(): returns the first row of [low, high) whose value is > `value`, or `high`.
#define DEFINE_SEARCH(from, above, type, value_of)                                        \
    DEFINE_SEARCH_FROM(from, type, value_of)                                              \
                                                                                          \
    static inline uint32_t above(type values, uint32_t low, uint32_t high, int64_t value) \
    {                                                                                     \
        return value == INT64_MAX ? high : from(values, low, high, value + 1);            \
    }

#define SEARCH_ITEM(values, row) (values)[row]
DEFINE_SEARCH(search_from, search_above, const int64_t *, SEARCH_ITEM)
DEFINE_SEARCH(column_from, column_above, struct column64, AT)
#undef SEARCH_ITEM
#undef DEFINE_SEARCH

#endif
