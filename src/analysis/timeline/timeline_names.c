// SPDX-License-Identifier: Apache-2.0
// Names of the items of a lane, and how often each occurs.
#include "analysis/timeline/timeline_lanes.h"

uint32_t lane_key(const struct profile *profile, const struct lane *lane, uint32_t item)
{
    uint32_t row = lane_row(lane, item);
    switch (lane_table(lane)) {
    case TABLE_RANGES:
        return range_name(&profile->ranges, row);
    case TABLE_CALLS:
        return AT(profile->api.name, row);
    default:
        return AT(profile->work.function, row);
    }
}

string_id lane_key_name(const struct profile *profile, const struct selection *selection,
                        const struct lane *lane, uint32_t key)
{
    return lane_is_work(lane) ? selection_name(profile, selection, key) : key;
}

uint32_t *lane_counts(const struct profile *profile, struct arena *arena)
{
    uint32_t strings = strings_count(profile->strings), functions = profile->function_count;
    return ARENA_ARRAY(arena, uint32_t, (size_t)(strings > functions ? strings : functions) + 1);
}

// Lists the keys in order of first occurrence.
void lane_count_names(const struct profile *profile, struct lane *lane, uint32_t *counts,
                      struct arena *arena)
{
    size_t count = 0;
    for (uint32_t i = 0; i < lane->count; i++)
        count += counts[lane_key(profile, lane, i)]++ == 0;
    lane->names = ARENA_ARRAY(arena, struct lane_name, count);
    lane->name_count = (uint32_t)count;
    for (uint32_t i = 0, at = 0; at < count; i++) {
        uint32_t key = lane_key(profile, lane, i);
        if (counts[key] > 0)
            lane->names[at++] = (struct lane_name){key, counts[key]};
        counts[key] = 0;
    }
}
