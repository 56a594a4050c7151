// SPDX-License-Identifier: Apache-2.0
// Sorts GPU work by the time of its launch, over all processes and per process.
#include "model/profile/launch_index.h"

#include "base/search.h"
#include "base/sort.h"

int64_t work_launch_time(const struct profile *profile, uint32_t work)
{
    const struct gpu_work *rows = &profile->work;
    bool is_launched = HAS(rows->launch) && AT(rows->launch, work) != ROW_NONE;
    return is_launched ? AT(profile->api.start, AT(rows->launch, work)) : AT(rows->start, work);
}

static void sum_exclusive(const struct profile *profile, const uint32_t *work, size_t count,
                          int64_t *sums)
{
    struct column64 exclusive = profile->work.exclusive;
    for (size_t i = 0; i < count; i++)
        sums[i + 1] = sums[i] + (HAS(exclusive) ? AT(exclusive, work[i]) : 0);
}

void launch_index_build(struct launch_index *index, const struct profile *profile,
                        struct arena *arena)
{
    uint32_t count = profile->work.count, processes = profile->process_count;
    int64_t *unsorted = ARENA_ARRAY(arena, int64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        unsorted[i] = work_launch_time(profile, i);
    uint32_t *all = sort_by_time(arena, unsorted, NULL, count);
    int64_t *times = ARENA_ARRAY(arena, int64_t, (size_t)count + 1);
    int64_t *sums = ARENA_ARRAY(arena, int64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        times[i] = unsorted[all[i]];
    sum_exclusive(profile, all, count, sums);
    index->all = (struct launch_order){count, times, all, sums};
    index->of_process = ARENA_ARRAY(arena, struct launch_order, (size_t)processes + 1);
    if (processes == 1) {
        index->of_process[0] = index->all;
        return;
    }
    size_t *at = ARENA_ARRAY(arena, size_t, (size_t)processes + 2);
    for (uint32_t i = 0; i < count; i++)
        at[work_process(profile, i) + 2]++;
    for (uint32_t p = 0; p < processes; p++)
        at[p + 2] += at[p + 1];
    uint32_t *work = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        work[at[work_process(profile, all[i]) + 1]++] = all[i];
    int64_t *time = ARENA_ARRAY(arena, int64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        time[i] = unsorted[work[i]];
    for (uint32_t p = 0; p < processes; p++) {
        size_t own = at[p + 1] - at[p];
        int64_t *own_sums = ARENA_ARRAY(arena, int64_t, own + 1);
        sum_exclusive(profile, work + at[p], own, own_sums);
        index->of_process[p] = (struct launch_order){own, time + at[p], work + at[p], own_sums};
    }
}

struct launch_span launches_within(const struct launch_order *order, int64_t from, int64_t to)
{
    uint32_t count = (uint32_t)order->count;
    uint32_t first = search_from(order->time, 0, count, from);
    uint32_t end = to > from ? search_from(order->time, first, count, to) : first;
    return (struct launch_span){first, end};
}
