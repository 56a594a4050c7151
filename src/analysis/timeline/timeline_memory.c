// SPDX-License-Identifier: Apache-2.0
// Lanes of live memory on each GPU: an item is an allocation or a free, and lasts until the next
// one.
#include "analysis/memory/memory_use.h"
#include "analysis/memory/tensor_memory.h"
#include "analysis/report/partial_sums.h"
#include "analysis/timeline/timeline_lanes.h"

// Returns the GPU whose own memory an event changes, or ROW_NONE.
static uint32_t device_of(const struct profile *profile, uint32_t event)
{
    return memory_group_is_on_gpu(memory_group(profile, event))
               ? profile->memory.device[memory_owner(profile, event)]
               : ROW_NONE;
}

// Fills the live bytes after each event, and the time of the next event on its GPU.
static void find_levels(const struct profile *profile, struct memory_lanes *lanes,
                        const uint32_t *devices, struct arena *arena, struct arena *scratch)
{
    const struct memory_events *memory = &profile->memory;
    int64_t *live = ARENA_ARRAY(scratch, int64_t, profile->device_count);
    int64_t *row_end = ARENA_ARRAY(scratch, int64_t, memory->count);
    uint32_t *previous = ARENA_ARRAY(scratch, uint32_t, profile->device_count); // row + 1
    for (uint32_t i = 0; i < memory->count; i++) {
        uint32_t ends = memory->ends[i], device = devices[i];
        if (ends != ROW_NONE && devices[ends] != ROW_NONE && memory->bytes[ends] != UNKNOWN)
            live[devices[ends]] -= memory->bytes[ends];
        if (device == ROW_NONE)
            continue;
        if (!memory->is_free[i] && memory->bytes[i] != UNKNOWN)
            live[device] += memory->bytes[i];
        int64_t start = AT(memory->start, i);
        lanes->level[i] = live[device];
        if (previous[device])
            row_end[previous[device] - 1] = start;
        previous[device] = i + 1;
        row_end[i] = profile->last_ns > start ? profile->last_ns : start;
    }
    lanes->until = column64_pack(arena, 1, row_end, NULL, memory->count);
}

struct memory_lanes memory_lanes_make(const struct profile *profile, struct arena *arena,
                                      struct arena *scratch)
{
    uint32_t count = profile->memory.count;
    struct memory_lanes lanes = {.level = ARENA_ARRAY(arena, int64_t, count)};
    uint32_t *devices = ARENA_ARRAY(scratch, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        devices[i] = device_of(profile, i);
    struct grouped_rows rows = grouped_rows_build(devices, count, profile->device_count, scratch);
    lanes.first = rows.first;
    lanes.rows = rows.rows;
    lanes.start = profile->memory.start;
    find_levels(profile, &lanes, devices, arena, scratch);
    return lanes;
}

struct memory_lanes tensor_lanes_make(const struct profile *profile, struct arena *arena,
                                      struct arena *scratch)
{
    const struct allocations *allocations = &profile->allocations;
    struct selection all = selection_all(NULL);
    struct memory_series *series = memory_series_build(profile, &all, scratch);
    uint32_t devices = profile->device_count, row_count = 0;
    struct memory_lanes lanes = {
        .first = ARENA_ARRAY(scratch, uint32_t, (size_t)devices + 1),
        .rows = ARENA_ARRAY(scratch, uint32_t, (size_t)allocations->count + 1),
        .level = ARENA_ARRAY(arena, int64_t, (size_t)allocations->count + 1),
        .start = allocations->time,
    };
    int64_t *row_end = ARENA_ARRAY(scratch, int64_t, (size_t)allocations->count + 1);
    for (uint32_t d = 0; d < devices; d++) {
        lanes.first[d] = row_count;
        for (uint32_t i = 0; i < series[d].count; i++) {
            uint32_t row = lanes.rows[row_count++] = series[d].rows[i];
            int64_t start = AT(allocations->time, row);
            int64_t end = i + 1 < series[d].count ? AT(allocations->time, series[d].rows[i + 1])
                                                  : profile->last_ns;
            lanes.level[row] = series[d].allocated[i];
            row_end[row] = end > start ? end : start;
        }
    }
    lanes.first[devices] = row_count;
    lanes.until = column64_pack(arena, 1, row_end, NULL, allocations->count);
    return lanes;
}

bool memory_lane_fill(const struct memory_lanes *lanes, uint32_t device, struct lane *lane,
                      struct arena *arena, struct arena *scratch)
{
    uint32_t first = lanes->first[device], count = lanes->first[device + 1] - first;
    int64_t *max_levels = ARENA_ARRAY(arena, int64_t, (size_t)count / LANE_BLOCK + 1);
    lane_set_rows(lane, lanes->rows + first, count, arena, scratch);
    lane->start = lanes->start;
    lane->end = lanes->until;
    lane->live = lanes->level;
    lane->most = max_levels;
    for (uint32_t i = 0; i < count; i++) {
        int64_t level = lane->live[lanes->rows[first + i]];
        max_levels[i / LANE_BLOCK] =
            level > max_levels[i / LANE_BLOCK] ? level : max_levels[i / LANE_BLOCK];
        lane->peak = level > lane->peak ? level : lane->peak;
    }
    return count > 0;
}
