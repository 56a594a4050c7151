// SPDX-License-Identifier: Apache-2.0
// Who claims which instants of a time line, so that what findings promise never adds up to more
// than there is.
//
// A detector says which intervals it wants, sees how much of them is still free, and takes those
// of the groups that it makes a finding of. Whoever asks first has them: the order of the
// detectors is the order of their certainty. Everything is linear in the intervals.
#ifndef ANALYSIS_CLAIMS_H
#define ANALYSIS_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct claim { // an interval that somebody wants
    int64_t from, to;
    uint32_t group;  // the asker's own number
    uint32_t window; // of the time line, the asker's own number
    int64_t free_ns; // of it nobody has, set by claims_measure()
};

struct claims {
    struct arena *arena;
    size_t taken_count;
    int64_t *taken_from, *taken_to; // in order, apart from each other
    size_t count, capacity;
    struct claim *items; // wanted at present
};

// Wants [from, to); calls come in order of `from`. What an earlier call of the same asker wants
// already is left out.
void claims_want(struct claims *claims, int64_t from, int64_t to, uint32_t group, uint32_t window);

// Fills free_ns of everything wanted; returns its sum.
int64_t claims_measure(struct claims *claims);

// Shortens what each group wants to this part of it (above 1: nothing changes), keeping the
// beginnings.
void claims_scale(struct claims *claims, const double *parts);

// Takes what is wanted by the groups of `keep` (NULL: by all) and forgets the rest.
void claims_take(struct claims *claims, const bool *keep);

#endif
