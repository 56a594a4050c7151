// SPDX-License-Identifier: Apache-2.0
// Ranges in order of their start, those of one instant in order of their rows: the threads, each of
// which has its ranges in that order, are merged as they are walked.
#ifndef MODEL_RANGE_WALK_H
#define MODEL_RANGE_WALK_H

#include "model/profile/profile.h"

struct range_walk {
    const struct ranges *ranges;
    const uint8_t
        *wanted; // by label, 0: its ranges are left out; NULL: none is. Whoever walks keeps it
    struct range_run {
        uint32_t next, end; // rows that are still to come
        int64_t start;      // of the next
    } * runs;               // heap: the one whose next range comes first stands first
    size_t count;
};

// Of one of `parts` parts, each of whole processes: part 0 of 1 is all.
void range_walk_open(struct range_walk *walk, const struct profile *profile, uint32_t part,
                     uint32_t parts, const uint8_t *wanted, struct arena *arena);
uint32_t range_walk_next(struct range_walk *walk); // ROW_NONE: that was all

#endif
