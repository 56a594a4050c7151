// SPDX-License-Identifier: Apache-2.0
// Who claims which instants of the windows of a time line, so that what findings promise never adds
// up to more than there is.
//
// What a detector wants is known for all windows (scan.h). Of the windows chosen it sees how much is
// still free, and takes what belongs to the groups that it makes a finding of. Whoever asks first
// has them: the order of the detectors is the order of their certainty. A window in which nothing is
// wanted costs nothing, whatever was taken in it. Windows do not know of each other: threads share them.
#ifndef ANALYSIS_CLAIMS_H
#define ANALYSIS_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/profile/profile.h"

struct want { // an interval that a detector wants: ns of the profile, by the GPU's clock
    int64_t from, to;
    uint32_t group; // the detector's own number
    uint32_t window;
};

struct want_span {
    int64_t from, to;
};

struct wants { // in order and apart from each other
    size_t count, capacity;
    struct want *items; // until wants_end()
    uint32_t groups;    // their numbers are below
    // Set by wants_end():
    struct want_span *spans;
    uint32_t *group_of; // by span; NULL: all are of group 0
    size_t *first;      // spans by window, and one more. NULL: nothing is wanted
    int64_t *ns;        // [window * groups + group]; NULL: more numbers than wants
    // Kinds of time that they lie in, a bit for each enum work_class, or CLAIMS_IDLE: wants of other kinds
    // have nothing in common with them. All, unless somebody narrows it (scan_end()).
    unsigned classes;
};
enum { CLAIMS_IDLE = 1 << CLASS_COUNT };

// Wants [from, to); calls come in order of `from`, windows ascending. What an earlier call wants
// already is left out.
void wants_add(struct wants *wants, struct arena *scratch, int64_t from, int64_t to, uint32_t group,
               uint32_t window);
// No more come: what was gathered in `scratch` is kept in `arena`, at its size.
void wants_end(struct wants *wants, struct arena *scratch, struct arena *arena,
               uint32_t window_count);
int64_t wants_in_window(const struct wants *wants, uint32_t window); // ns, of all groups
// What was gathered is not wanted: gives its memory back.
void wants_drop(struct wants *wants, struct arena *scratch);

struct taken { // of one window: in order, apart from each other
    size_t count;
    const struct want_span *spans;
    struct want_span *room; // while the next take is put in
    size_t takes; // of claims.takes that are in it: the others are put in when somebody asks
};

struct claims {
    struct arena *arena;
    unsigned threads; // at most, that measure
    uint32_t count;   // windows chosen, ascending
    const uint32_t *windows;
    struct taken *taken, *busy; // by window: by all; by all but those who took idle time alone
    const struct wants *wants;  // at present
    const double *parts;        // by group: what claims_scale() leaves of each; NULL: all
    int64_t *free_ns;           // by window: of what is wanted nobody has, set by claims_measure()
    int64_t *group_ns;          // the same by group, of all windows chosen
    bool is_measured;           // group_ns and free_ns are up to date
    int64_t measured_ns;        // their sum
    size_t take_count, take_capacity;
    struct take *takes; // in order; a window knows which of them it has
};

// `window_count`: of the whole time line. `windows` live as long as the claims.
struct claims claims_new(struct arena *arena, unsigned threads, uint32_t window_count,
                         const uint32_t *windows, uint32_t count);

// From now on this is wanted and nothing else. It lives as long as the claims.
void claims_open(struct claims *claims, const struct wants *wants);

// Fills free_ns and group_ns; returns the sum.
int64_t claims_measure(struct claims *claims);
// The same as when there were only the first `takes` of claims.take_count: what was measured since
// must not have seen more.
int64_t claims_measure_before(struct claims *claims, size_t takes);

static inline int64_t claims_of_group(const struct claims *claims, uint32_t group)
{
    return group < claims->wants->groups ? claims->group_ns[group] : 0;
}

// Shortens what each group wants to this part of it (above 1: nothing changes), keeping the
// beginnings. `parts` live as long as the claims.
void claims_scale(struct claims *claims, const double *parts);

// Takes what is wanted by the groups of `keep` (NULL: by all). It goes on to be what is wanted.
void claims_take(struct claims *claims, const bool *keep);

#endif
