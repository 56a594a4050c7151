// SPDX-License-Identifier: Apache-2.0
// An index that speeds up searches in ascending times.
//
// The time axis is divided into equal bins, about one for every TIMES_PER_BIN times, and for each
// bin the number of earlier times is stored. A lookup then searches within one bin only. If the
// times are unevenly spread, a bin may contain many of them, so a search costs at most O(log n).
#ifndef BASE_BINS_H
#define BASE_BINS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { TIMES_PER_BIN = 8 }; // average number of times in a bin

struct bins {
    size_t count;   // number of times
    int64_t from;   // start of the first bin: the first time
    unsigned shift; // a bin is 1 << shift long
    uint64_t last;  // last bin that holds a time
    // before[bin] is the number of times before the bin; before[last + 1] is `count`. NULL if there
    // are no times or more than UINT32_MAX.
    const uint32_t *before;
};

// Builds the index of `count` ascending times. If they do not ascend the answers are wrong, but
// stay within `count`.
struct bins bins_make(size_t count, int64_t (*time_of)(const void *context, size_t i),
                      const void *context, struct arena *arena);

struct bins_bounds {
    size_t low, high;
};

// Returns bounds on the number of times before `time`: at least `low`, at most `high`.
static inline struct bins_bounds bins_find(const struct bins *bins, int64_t time)
{
    if (!bins->before)
        return (struct bins_bounds){0, bins->count};
    if (time < bins->from)
        return (struct bins_bounds){0, 0};
    uint64_t bin = ((uint64_t)time - (uint64_t)bins->from) >> bins->shift;
    if (bin > bins->last)
        return (struct bins_bounds){bins->count, bins->count};
    return (struct bins_bounds){bins->before[bin], bins->before[bin + 1]};
}

#endif
