// SPDX-License-Identifier: Apache-2.0
#include "base/bins.h"

struct bins bins_make(size_t count, int64_t (*time_of)(const void *context, size_t i),
                      const void *context, struct arena *arena)
{
    struct bins bins = {.count = count};
    if (count == 0 || count > UINT32_MAX)
        return bins;
    bins.from = time_of(context, 0);
    uint64_t span = (uint64_t)time_of(context, count - 1) - (uint64_t)bins.from;
    while (span >> bins.shift > count / TIMES_PER_BIN)
        bins.shift++;
    bins.last = span >> bins.shift;
    uint32_t *earlier = ARENA_ARRAY(arena, uint32_t, (size_t)bins.last + 2);
    uint64_t next_bin = 0; // first bin whose `before` is not yet known
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bin = ((uint64_t)time_of(context, i) - (uint64_t)bins.from) >> bins.shift;
        for (bin = bin < bins.last ? bin : bins.last; next_bin <= bin; next_bin++)
            earlier[next_bin] = i;
    }
    earlier[next_bin] = (uint32_t)count;
    bins.before = earlier;
    return bins;
}
