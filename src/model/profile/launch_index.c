// SPDX-License-Identifier: Apache-2.0
// Finds the launches of GPU work, and sorts it by them, over all processes and per process.
#include "model/profile/launch_index.h"

#include "base/search.h"
#include "base/sort.h"
#include "model/profile/recorded_ops.h"

bool work_launched(const struct profile *profile, uint32_t work, int64_t *time, uint32_t *process)
{
    const struct gpu_work *rows = &profile->work;
    *process = work_process(profile, work);
    if (HAS(rows->launch) && AT(rows->launch, work) != ROW_NONE) {
        *time = AT(profile->api.start, AT(rows->launch, work));
        return true;
    }
    if (HAS(rows->range) && AT(rows->range, work) != ROW_NONE) {
        uint32_t range = AT(rows->range, work);
        *time = AT(profile->ranges.start, range);
        *process = profile->threads[range_thread(&profile->ranges, range)].process;
        return true;
    }
    if (profile->told && HAS(rows->told) && AT(rows->told, work) != ROW_NONE) {
        *time = profile->told->instances[AT(rows->told, work)].start;
        return true;
    }
    return false;
}

struct device_clock device_clock_of(const struct profile *profile, const struct device *device,
                                    struct arena *scratch)
{
    enum { OUTLIERS_PART = 1000, EARLY_PART = 100 };
    const struct gpu_work *work = &profile->work;
    struct device_clock clock = {0, INT64_MAX};
    int64_t *leads = ARENA_ARRAY(scratch, int64_t, (size_t)(device->end_work - device->first_work));
    size_t launched = 0, early = 0;
    for (uint32_t w = device->first_work; HAS(work->launch) && w < device->end_work; w++) {
        if (AT(work->launch, w) == ROW_NONE)
            continue;
        int64_t lead = AT(profile->api.start, AT(work->launch, w)) - AT(work->start, w);
        launched++;
        if (lead > CLOCKS_AGREE_NS)
            leads[early++] = lead;
        clock.quickest_ns = -lead < clock.quickest_ns ? -lead : clock.quickest_ns;
    }
    if (early * EARLY_PART <= launched)
        return clock;
    // The kernel that begins earliest found an empty queue.
    const uint32_t *order = sort_by_time(scratch, leads, NULL, early);
    clock.skew_ns = leads[order[early - 1 - launched / OUTLIERS_PART]];
    clock.quickest_ns = 0;
    return clock;
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
    uint32_t rows = profile->work.count, processes = profile->process_count, count = 0;
    int64_t *unsorted = ARENA_ARRAY(arena, int64_t, (size_t)rows + 1);
    uint32_t *launched = ARENA_ARRAY(arena, uint32_t, (size_t)rows + 1);
    uint32_t *process = ARENA_ARRAY(arena, uint32_t, (size_t)rows + 1); // by row
    for (uint32_t i = 0; i < rows; i++) {
        if (work_launched(profile, i, &unsorted[count], &process[i]))
            launched[count++] = i;
    }
    index->is_by_start = !count;
    for (uint32_t i = 0; index->is_by_start && i < rows; i++) {
        unsorted[count] = AT(profile->work.start, i);
        launched[count++] = i;
    }
    uint32_t *all = sort_by_time(arena, unsorted, NULL, count);
    int64_t *times = ARENA_ARRAY(arena, int64_t, (size_t)count + 1);
    int64_t *sums = ARENA_ARRAY(arena, int64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        times[i] = unsorted[all[i]];
        all[i] = launched[all[i]];
    }
    sum_exclusive(profile, all, count, sums);
    index->all = (struct launch_order){count, times, all, sums};
    index->of_process = ARENA_ARRAY(arena, struct launch_order, (size_t)processes + 1);
    if (processes == 1) {
        index->of_process[0] = index->all;
        return;
    }
    size_t *at = ARENA_ARRAY(arena, size_t, (size_t)processes + 2);
    for (uint32_t i = 0; i < count; i++)
        at[process[all[i]] + 2]++;
    for (uint32_t p = 0; p < processes; p++)
        at[p + 2] += at[p + 1];
    uint32_t *work = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
    int64_t *time = ARENA_ARRAY(arena, int64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        size_t to = at[process[all[i]] + 1]++;
        work[to] = all[i];
        time[to] = times[i];
    }
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
