// SPDX-License-Identifier: Apache-2.0
// Looking up a place in a column that is sorted. O(log n); rows are numbers of the whole column.
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stdint.h>

#include "base/column.h"

// The first row of [low, high) whose value is not below `value`; `high` when all are.
static inline uint32_t search_from(const int64_t *values, uint32_t low, uint32_t high,
                                   int64_t value)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The first row of [low, high) whose value is above `value`; `high` when none is.
static inline uint32_t search_above(const int64_t *values, uint32_t low, uint32_t high,
                                    int64_t value)
{
    return value == INT64_MAX ? high : search_from(values, low, high, value + 1);
}

// The same in a packed column.
static inline uint32_t column_from(struct column64 values, uint32_t low, uint32_t high,
                                   int64_t value)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (AT(values, middle) < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline uint32_t column_above(struct column64 values, uint32_t low, uint32_t high,
                                    int64_t value)
{
    return value == INT64_MAX ? high : column_from(values, low, high, value + 1);
}

#endif
