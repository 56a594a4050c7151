// SPDX-License-Identifier: Apache-2.0
// What the name of a range says of its place in a training loop.
//
// A hint only: it decides between families whose figures leave it open, as between a validation
// every fourth step and an optimizer every fourth micro-step.
#ifndef MODEL_STEP_WORDS_H
#define MODEL_STEP_WORDS_H

#include <stddef.h>

enum step_role {
    ROLE_NOTHING,
    ROLE_INPUT, // loading and moving a batch: a turn of the loop begins there
    ROLE_FORWARD,
    ROLE_BACKWARD,
    ROLE_OPTIMIZER, // its end is the end of a step
    ROLE_MICRO,     // says itself that it is a part of a step
    ROLE_NOT_STEP,  // warm-up, validation, checkpoints, logging, whole epochs
    STEP_ROLES
};

// By whole words of the text, without regard to case.
enum step_role step_role_of(const char *text);

#endif
