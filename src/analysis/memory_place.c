// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory_place.h"

bool memory_place(const struct profile *profile, uint32_t event, enum memory_side side,
                  struct place *place)
{
    const struct memory_events *memory = &profile->memory;
    (void)side;
    if (event == ROW_NONE || memory->api[event] == ROW_NONE)
        return false;
    *place = (struct place){.kind = PLACE_CALL, .row = memory->api[event], .of = 1};
    return true;
}
