// SPDX-License-Identifier: Apache-2.0
// Cover, or activity line: a time axis cut into stretches (intervals) that each belong to one
// class, the owner. Breakdowns are computed from it.
//
// It is built in one sweep over intervals that may overlap; an instant belongs to the first class
// that is active in it. The sums of any window then cost O(log n), so thousands of windows are
// cheap, even if they overlap.
#ifndef ANALYSIS_BREAKDOWN_COVER_H
#define ANALYSIS_BREAKDOWN_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bins.h"
#include "base/column.h"

// Adds an interval to a union of intervals. Intervals must be added in order of start; *covered is
// the end of the union (initially INT64_MIN). Returns the added length.
static inline int64_t interval_union_add(int64_t *covered, int64_t start, int64_t end)
{
    int64_t from = start > *covered ? start : *covered;
    if (end > *covered)
        *covered = end;
    return end > from ? end - from : 0;
}

enum { MAX_COVER_CLASSES = 8 };

struct cover_source { // intervals of one class, in order of start
    size_t count;
    struct column64 start, end;
    const uint32_t *rows; // selected intervals; NULL: the first `count`
    bool is_silent;       // its instants belong to no class, and hide classes after it
};

// Packs plain arrays of times; they may be freed afterwards.
struct cover_source cover_source_of(const int64_t *start, const int64_t *end, size_t count,
                                    struct arena *arena);

struct cover {
    size_t count;       // number of stretches; each ends where the next begins, the last is empty
    struct column64 at; // start of each stretch
    struct bins bins;   // index for searching `at`
    struct column32 owner; // class; MAX_COVER_CLASSES: idle
    size_t classes;        // 0: not built
    int64_t
        *sums; // [block * classes + class]: ns before stretch block * 64 (64 stretches per block)
};

struct cover cover_build(const struct cover_source *sources, size_t classes, struct arena *arena);
// Returns a copy without the temporary memory of building.
struct cover cover_copy(const struct cover *cover, struct arena *arena);

// Add to ns[class] the time of each class before `time`, or in [from, to).
void cover_until(const struct cover *cover, int64_t time, int64_t *ns);
void cover_add(const struct cover *cover, int64_t from, int64_t to, int64_t *ns);

#endif
