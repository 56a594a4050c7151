// SPDX-License-Identifier: Apache-2.0
// Intervals of selected iterations.
#include "analysis/report/selected_intervals.h"

#include "base/sort.h"

struct selected_intervals selected_intervals_of(const struct selection *selection,
                                                struct arena *arena)
{
    const struct split *split = selection->split;
    struct selected_intervals stretches = {0};
    if (!selection->iterations) {
        stretches.count = 1;
        stretches.start = ARENA_NEW(arena, int64_t);
        stretches.stop = ARENA_NEW(arena, int64_t);
        *stretches.start = INT64_MIN;
        *stretches.stop = INT64_MAX;
        return stretches;
    }
    uint32_t *order = sort_by_time(arena, split->start, split->stop, split->count);
    stretches.start = ARENA_ARRAY(arena, int64_t, split->count);
    stretches.stop = ARENA_ARRAY(arena, int64_t, split->count);
    for (uint32_t i = 0; i < split->count; i++) {
        if (!selection->iterations[order[i]])
            continue;
        int64_t stop = split->stop[order[i]];
        uint32_t at = stretches.count++;
        stretches.start[at] = split->start[order[i]];
        stretches.stop[at] =
            at > 0 && stretches.stop[at - 1] > stop ? stretches.stop[at - 1] : stop;
    }
    return stretches;
}

int64_t selected_intervals_meet(const struct selected_intervals *stretches, int64_t from,
                                int64_t to)
{
    uint32_t low = 0, high = stretches->count; // finds the first interval that ends after `from`
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (stretches->stop[middle] > from)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == stretches->count || stretches->start[low] > to)
        return INT64_MAX;
    return stretches->start[low] > from ? stretches->start[low] : from;
}
