// SPDX-License-Identifier: Apache-2.0
// Derives the role of a range in a training loop from its name.
//
// The role is only a hint. It decides between families whose figures are inconclusive, such as a
// validation every fourth step and an optimizer every fourth micro-step.
#ifndef MODEL_MARKERS_STEP_WORDS_H
#define MODEL_MARKERS_STEP_WORDS_H

#include <stdbool.h>

enum step_role {
    ROLE_NOTHING,
    ROLE_INPUT, // loads or moves a batch: a turn of the loop begins there
    ROLE_FORWARD,
    ROLE_BACKWARD,
    ROLE_OPTIMIZER, // a step ends with it
    ROLE_ANCHOR,    // once in each step of a server, which is more than it
    ROLE_MICRO,     // names itself a part of a step
    ROLE_BUILT,     // numbers parts of a model or of the machine: layers, ranks
    ROLE_PART,      // numbers parts of something else: requests
    ROLE_NOT_STEP,  // warm-up, validation, checkpoints, logging, whole epochs
    STEP_ROLES
};

// Compares whole words of the text, ignoring case.
enum step_role step_role_of(const char *text);

// Returns whether the text has a word of ROLE_BUILT.
bool step_text_names_built(const char *text);

#endif
