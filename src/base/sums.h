// SPDX-License-Identifier: Apache-2.0
// Sums that stop at the largest number instead of running over: what is nested thousands deep
// counts the same time thousands of times.
#ifndef BASE_SUMS_H
#define BASE_SUMS_H

#include <stdint.h>

static inline int64_t sum_capped(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return b < 0 ? INT64_MIN + 1 : INT64_MAX;
    return sum;
}

#endif
