// SPDX-License-Identifier: Apache-2.0
// Finds the place of an allocation or free on the timeline.
#include "analysis/memory/memory_place.h"

bool memory_place(const struct profile *profile, uint32_t event, enum memory_side side,
                  struct row_place *place)
{
    const struct memory_events *memory = &profile->memory;
    if (event == ROW_NONE)
        return false;
    uint32_t device = memory->device[memory_owner(profile, event)], call = memory->api[event];
    // Only a GPU with work has a lane.
    bool has_lane = device != ROW_NONE && profile->devices[device].has_work &&
                    memory_group_is_on_gpu(memory_group(profile, event));
    if (call != ROW_NONE && (side == MEMORY_AT_CALL || !has_lane))
        *place = (struct row_place){.kind = PLACE_CALL, .row = call, .of = 1};
    else if (has_lane)
        *place = (struct row_place){.kind = PLACE_MEMORY, .row = event, .of = 1};
    else
        return false;
    return true;
}
