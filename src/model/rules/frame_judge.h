// SPDX-License-Identifier: Apache-2.0
// Whether frames of call chains are of a library (rules/frames.yaml): asked once of each name.
#ifndef MODEL_FRAME_JUDGE_H
#define MODEL_FRAME_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/id_map.h"
#include "model/profile/profile.h"

struct frame_judge { // begin with the profile, and an arena that outlives it: {.profile, .arena}
    const struct profile *profile;
    struct arena *arena;
    struct id_map known; // marks by (name, whether it is a symbol)
    size_t count, capacity;
    struct frame_marks *marks; // rules.h
};

// A frame by its symbol and its module, as profile.frames has them.
bool frame_is_library(struct frame_judge *judge, string_id symbol, string_id module);

#endif
