// SPDX-License-Identifier: Apache-2.0
// A time line cut into stretches that each belong to one class: what breakdowns are made of.
//
// Built in one sweep over intervals that may overlap: an instant belongs to the first class that
// is active in it. Sums over any window then cost O(log n), so that thousands of windows, also
// such that overlap, are cheap.
#ifndef ANALYSIS_COVER_H
#define ANALYSIS_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bins.h"
#include "base/column.h"

// Adds an interval to a union whose intervals come by start and which ends at `covered` (at first
// INT64_MIN). Returns by how much the union becomes longer.
static inline int64_t union_add(int64_t *covered, int64_t start, int64_t end)
{
    int64_t from = start > *covered ? start : *covered;
    if (end > *covered)
        *covered = end;
    return end > from ? end - from : 0;
}

enum { COVER_CLASSES = 8 };

struct cover_source { // intervals of one class, sorted by start
    size_t count;
    struct column64 start, end;
    const uint32_t *rows; // of them; NULL: the first `count`
    bool is_silent;       // its instants are no class's: it only keeps others out of them
};

// Of plain times, which it does not keep.
struct cover_source cover_source_of(const int64_t *start, const int64_t *end, size_t count,
                                    struct arena *arena);

struct cover {
    size_t count;          // stretches; each reaches to the next, the last is empty
    struct column64 at;    // where it begins
    struct bins bins;      // of that
    struct column32 owner; // its class; COVER_CLASSES: nothing is active
    size_t classes;        // 0: not built
    int64_t *sums;         // [block * classes + class]: ns before stretch block * 64
};

struct cover cover_build(const struct cover_source *sources, size_t classes, struct arena *arena);
struct cover cover_copy(const struct cover *cover, struct arena *arena); // without what grew

// Adds to ns[class] the time of each class before `time`, within [from, to).
void cover_until(const struct cover *cover, int64_t time, int64_t *ns);
void cover_add(const struct cover *cover, int64_t from, int64_t to, int64_t *ns);

#endif
