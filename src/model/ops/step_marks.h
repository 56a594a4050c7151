// SPDX-License-Identifier: Apache-2.0
// Where the program itself says that a step begins: the numbered steps of each process.
//
// This follows from the ranges alone, before ops exist, so that ops can count within steps. Which
// windows a run is split into is decided later, in model/steps. A dialect takes part by making its
// steps MARKER_STEP.
#ifndef MODEL_OPS_STEP_MARKS_H
#define MODEL_OPS_STEP_MARKS_H

#include "model/profile/profile.h"

struct step_mark {
    uint32_t process;
    int64_t start;
};

struct step_marks {
    size_t count;
    struct step_mark *items; // by (process, start)
};

// Finds the starts of the outermost numbered steps. In a process they are those of one thread: that
// with most API calls inside its steps, because a data loader numbers its batches at its own pace.
// A range that is the only one of its title and encloses others is the loop, and no step of it.
struct step_marks step_marks_find(const struct profile *profile, struct arena *arena);

#endif
