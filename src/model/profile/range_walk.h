// SPDX-License-Identifier: Apache-2.0
// Visits the ranges of several threads in order of (start, row). Each thread has its ranges in that
// order; the walk merges the threads with a heap.
#ifndef MODEL_PROFILE_RANGE_WALK_H
#define MODEL_PROFILE_RANGE_WALK_H

#include "model/profile/profile.h"

struct range_walk {
    const struct ranges *ranges;
    // By label: 0 skips its ranges; NULL: all are visited. Owned by the caller.
    const uint8_t *wanted;
    struct range_run {
        uint32_t next, end; // rows still to visit
        int64_t start;      // start of row `next`
    } * runs;               // a heap; the run with the earliest next range is first
    size_t count;
};

// Starts a walk over one of `parts` parts, each of which has whole processes: part 0 of 1 is
// everything.
void range_walk_open(struct range_walk *walk, const struct profile *profile, uint32_t part,
                     uint32_t parts, const uint8_t *wanted, struct arena *arena);
uint32_t range_walk_next(struct range_walk *walk); // ROW_NONE at the end

#endif
