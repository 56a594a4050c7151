// SPDX-License-Identifier: Apache-2.0
// Saturating addition. Time of ranges that are nested thousands deep counts thousands of times, so
// that a sum can exceed 64 bits.
#ifndef BASE_SUMS_H
#define BASE_SUMS_H

#include <stdint.h>

static inline int64_t add_saturating(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return b < 0 ? INT64_MIN + 1 : INT64_MAX;
    return sum;
}

#endif
