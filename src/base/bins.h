// SPDX-License-Identifier: Apache-2.0
// Where among ascending times one lies, without a search over all of them: time is cut into bins of the
// same length, about one for BINS_ROOM times, and of each it is known how many lie before it. Where times
// lie unevenly there are more in a bin, among which is searched: O(log n) at most.
#ifndef BASE_BINS_H
#define BASE_BINS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { BINS_ROOM = 8 };

struct bins {
    size_t count;           // of times
    int64_t from;           // where the first bin begins: the first time
    unsigned shift;         // a bin is 1 << shift long
    uint64_t last;          // bin that holds any
    const uint32_t *before; // [bin] how many times lie before it; [last + 1]: all of them.
                            // NULL: there are more than it can tell, or none
};

// Of `count` times, which ascend; of others what is told is wrong, but within `count`.
struct bins bins_make(size_t count, int64_t (*time_of)(const void *context, size_t i),
                      const void *context, struct arena *arena);

struct bins_place {
    size_t low, high;
};

// How many times lie before `time`: as many as `low` at least, `high` at most.
static inline struct bins_place bins_find(const struct bins *bins, int64_t time)
{
    if (!bins->before)
        return (struct bins_place){0, bins->count};
    if (time < bins->from)
        return (struct bins_place){0, 0};
    uint64_t bin = ((uint64_t)time - (uint64_t)bins->from) >> bins->shift;
    if (bin > bins->last)
        return (struct bins_place){bins->count, bins->count};
    return (struct bins_place){bins->before[bin], bins->before[bin + 1]};
}

#endif
