// SPDX-License-Identifier: Apache-2.0
// All ranges in order of their start, those of one instant in order of their rows: the threads, each
// of which has its ranges in that order, are merged as they are walked.
#ifndef MODEL_RANGE_WALK_H
#define MODEL_RANGE_WALK_H

#include "model/profile.h"

struct range_walk {
    const struct ranges *ranges;
    struct range_run {
        uint32_t next, end; // rows that are still to come
        int64_t start;      // of the next
        struct range_readers *readers;
    } * runs; // heap: the one whose next range comes first stands first
    size_t count;
    struct range_readers *last; // of the thread of the row that was returned last
};

struct range_readers { // of a thread
    struct reader64 starts;
    struct reader32 labels, parents;
};

void range_walk_open(struct range_walk *walk, const struct profile *profile, struct arena *arena);
uint32_t range_walk_next(struct range_walk *walk); // ROW_NONE: that was all

// Of the row that was returned last, cheaper than by themselves.
static inline const struct range_label *range_walk_label(struct range_walk *walk, uint32_t row)
{
    return &walk->ranges->labels[READ(walk->last->labels, row)];
}

static inline uint32_t range_walk_parent(struct range_walk *walk, uint32_t row)
{
    return READ(walk->last->parents, row);
}

#endif
