// SPDX-License-Identifier: Apache-2.0
// Which turns of a loop launch GPU work.
#ifndef MODEL_STEPS_STEP_IDLE_H
#define MODEL_STEPS_STEP_IDLE_H

#include "model/profile/launch_index.h"

struct turns_launching {
    bool *launches;     // per turn
    uint32_t with_work; // turns with launches whose work is in the file
    bool are_few;       // more than half of many turns launch nothing, while others do
};

// Returns, for each call and the end, how many calls before it are launches: so the search in a
// turn costs the same for each of many families.
uint32_t *launch_calls_before(const struct profile *profile, struct arena *arena);

// Finds the turns whose thread launches; if these are few, those in which any thread of the process
// does. `index` may be NULL.
struct turns_launching turns_launching(const struct profile *profile, const uint32_t *rows,
                                       uint32_t count, const struct launch_index *index,
                                       const uint32_t *calls_before, struct arena *arena);

#endif
