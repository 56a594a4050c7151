// SPDX-License-Identifier: Apache-2.0
// Decides which detector may claim which instants of the windows of a GPU's line, so that the
// bounds of findings never add up to more than the available time.
//
// Terms:
//   request  an interval that a detector would claim, in a group chosen by the detector. The
//            requests of all windows are found in advance (scan.h).
//   grant    a claim: the requests of one detector, limited to some groups and possibly shortened.
//            A detector gets one for the groups for which it makes a finding.
//   free     requested time that no earlier grant contains
//
// Earlier grants win, so detectors run in the order of their certainty. Grants are merged into a
// window only when a later detector has requests there, so a window without requests costs nothing.
// Windows are independent, so threads share them.
#ifndef ANALYSIS_DETECT_INTERVAL_GRANTS_H
#define ANALYSIS_DETECT_INTERVAL_GRANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/profile/profile.h"

struct interval_request { // an interval that a detector requests: ns of the profile, GPU clock
    int64_t from, to;
    uint32_t group; // number chosen by the detector
    uint32_t window;
};

struct request_span {
    int64_t from, to;
};

struct interval_requests { // requests in order, disjoint
    size_t count, capacity;
    struct interval_request *items; // until requests_end()
    uint32_t groups;                // all group numbers are below this
    // Set by requests_end():
    struct request_span *spans;
    uint32_t *group_of; // [span]; NULL: all are in group 0
    size_t *first;      // [window] first span, plus one end entry; NULL: no requests
    // [window * groups + group]; NULL: it would have more entries than there are requests
    int64_t *ns;
    // Kinds of time that the requests contain: a bit for each enum work_class, or GRANTS_IDLE.
    // Requests of different kinds never overlap. All bits, unless narrowed by scan_end().
    unsigned classes;
};
enum { GRANTS_IDLE = 1 << CLASS_COUNT };

// Requests [from, to). Calls must be in order of window, then `from`. Time that an earlier call
// requested is skipped.
void requests_add(struct interval_requests *requests, struct arena *scratch, int64_t from,
                  int64_t to, uint32_t group, uint32_t window);
// Ends the requests: moves them from `scratch` to `arena` at their exact size.
void requests_end(struct interval_requests *requests, struct arena *scratch, struct arena *arena,
                  uint32_t window_count);
int64_t requests_in_window(const struct interval_requests *requests,
                           uint32_t window); // ns over all groups
// Discards the requests and returns their memory.
void requests_drop(struct interval_requests *requests, struct arena *scratch);

struct granted_spans { // granted spans of one window: in order, disjoint
    size_t count;
    const struct request_span *spans;
    struct request_span *room; // target while the next grant is merged
    size_t takes;              // number of grants.takes merged so far; the rest is merged on demand
};

struct interval_grants {
    struct arena *arena;
    unsigned threads; // maximum number of measuring threads
    uint32_t count;   // chosen windows, ascending
    const uint32_t *windows;
    // [window]: all grants; all grants except those that contain only idle time
    struct granted_spans *taken, *busy;
    const struct interval_requests *requests; // the current requests
    const double *parts;                      // [group]: see grants_scale(); NULL: unscaled
    int64_t *free_ns;    // [window]: requested ns that are not granted yet; set by grants_measure()
    int64_t *group_ns;   // [group]: the same, over all chosen windows
    bool is_measured;    // group_ns and free_ns are up to date
    int64_t measured_ns; // sum of group_ns
    size_t take_count, take_capacity;
    struct interval_grant *takes; // in order; each window knows how many it has merged
};

// `window_count` is the number of windows of the whole line; `windows` has the `count` chosen ones
// and must outlive the grants.
struct interval_grants grants_new(struct arena *arena, unsigned threads, uint32_t window_count,
                                  const uint32_t *windows, uint32_t count);

// Makes `requests` the current requests. They must outlive the grants.
void grants_set_requests(struct interval_grants *grants, const struct interval_requests *requests);

// Fills free_ns and group_ns; returns their sum.
int64_t grants_measure(struct interval_grants *grants);
// The same as if only the first `takes` of grants.take_count existed; no later grant may have been
// merged by an earlier measurement of these windows.
int64_t grants_measure_before(struct interval_grants *grants, size_t takes);

static inline int64_t grants_free_in_group(const struct interval_grants *grants, uint32_t group)
{
    return group < grants->requests->groups ? grants->group_ns[group] : 0;
}

// Shortens each request to the given part per group (above 1: unchanged), keeping its start.
// `parts` must outlive the grants.
void grants_scale(struct interval_grants *grants, const double *parts);

// Grants the current requests of the groups in `keep` (NULL: of all). They stay the current
// requests.
void grants_take(struct interval_grants *grants, const bool *keep);

#endif
