// SPDX-License-Identifier: Apache-2.0
// Tells whether the frames of call chains belong to a library (rules/frames.yaml). The patterns are
// matched once per name.
#ifndef MODEL_RULES_FRAME_CLASSIFIER_H
#define MODEL_RULES_FRAME_CLASSIFIER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/id_map.h"
#include "model/profile/profile.h"

// initialise with a profile and an arena that outlives it: {.profile, .arena}
struct frame_classifier {
    const struct profile *profile;
    struct arena *arena;
    struct id_map known; // index + 1 of marks, by (name, is_symbol)
    size_t count, capacity;
    struct frame_marks *marks; // rules.h
};

// `symbol` and `module` are from a row of profile.frames.
bool frame_is_library(struct frame_classifier *judge, string_id symbol, string_id module);

#endif
