// SPDX-License-Identifier: Apache-2.0
// Intervals of selected iterations.
#include "analysis/report/selected_intervals.h"

#include "base/sort.h"

struct selected_intervals selected_intervals_of(const struct selection *selection,
                                                struct arena *arena)
{
    const struct split *split = selection->split;
    struct selected_intervals intervals = {0};
    if (!selection->iterations) {
        intervals.count = 1;
        intervals.start = ARENA_NEW(arena, int64_t);
        intervals.stop = ARENA_NEW(arena, int64_t);
        *intervals.start = INT64_MIN;
        *intervals.stop = INT64_MAX;
        return intervals;
    }
    uint32_t *order = sort_by_time(arena, split->start, split->stop, split->count);
    intervals.start = ARENA_ARRAY(arena, int64_t, split->count);
    intervals.stop = ARENA_ARRAY(arena, int64_t, split->count);
    for (uint32_t i = 0; i < split->count; i++) {
        if (!selection->iterations[order[i]])
            continue;
        int64_t stop = split->stop[order[i]];
        uint32_t at = intervals.count++;
        intervals.start[at] = split->start[order[i]];
        intervals.stop[at] =
            at > 0 && intervals.stop[at - 1] > stop ? intervals.stop[at - 1] : stop;
    }
    return intervals;
}

int64_t selected_intervals_meet(const struct selected_intervals *intervals, int64_t from,
                                int64_t to)
{
    uint32_t low = 0, high = intervals->count; // finds the first interval that ends after `from`
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (intervals->stop[middle] > from)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == intervals->count || intervals->start[low] > to)
        return INT64_MAX;
    return intervals->start[low] > from ? intervals->start[low] : from;
}
