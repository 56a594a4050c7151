// SPDX-License-Identifier: Apache-2.0
// The results of a detector for each window of a GPU's line, whether the window is chosen later or
// not: sums, sums by place or name, and the intervals that it requests. All are additive over
// windows, so any set of steps is judged by adding up what was found once.
#ifndef ANALYSIS_DETECT_SCAN_H
#define ANALYSIS_DETECT_SCAN_H

#include "analysis/detect/interval_grants.h"
#include "analysis/detect/step_line.h"

struct scan_entry {
    uint32_t window, id;
    uint32_t count; // calls of scan_list_add()
    int64_t ns;
};

struct scan_list { // sums by id and window
    size_t count, capacity;
    struct scan_entry *items; // by window; an id may occur more than once in a window
    size_t *first;            // [window] first entry, plus one end entry; NULL: nothing was added
    uint32_t ids;             // all ids are below this
    struct scan_open *open;   // while it is filled
};

enum { SCAN_SUMS = 10 };

struct scan {
    struct step_line *line;
    struct arena *arena;      // owns the results
    int64_t *sums[SCAN_SUMS]; // [window]; NULL: nothing was added
    struct scan_list places;  // by node of selection_tree()
    struct scan_list names;   // by function, string, or a number of the detector
    struct scan_list lines;   // by line of the program that an API call comes from (call_route)
    struct interval_requests requests; // requested intervals
    struct interval_requests more;     // requested in addition if the detector makes a finding
    void *own;                         // detector's own data, in `arena`
};

// The first sums of every scan; scan_idle() adds to them.
enum scan_sum { SUM_IDLE, SUM_WAITS, SUM_OWN };

// The functions below do nothing if `window` is ROW_NONE.
void scan_add(struct scan *scan, unsigned sum, uint32_t window, int64_t value);
void scan_list_add(struct scan *scan, struct scan_list *list, uint32_t window, uint32_t id,
                   int64_t ns);
// Adds to `places`: scan_layer() by the layer of a piece of work, scan_node() by the place of its
// launch.
void scan_layer(struct scan *scan, uint32_t window, uint32_t work, int64_t ns);
void scan_node(struct scan *scan, uint32_t window, uint32_t work, int64_t ns);
// Adds to `lines`: the source line of an API call, or STRING_NONE if unknown (also for ROW_NONE).
// scan_layer(), scan_node() and scan_idle() do so for their calls.
void scan_call(struct scan *scan, uint32_t window, uint32_t call, int64_t ns);
// Adds to `names`: the function of a piece of work.
void scan_function(struct scan *scan, uint32_t window, uint32_t work, int64_t ns);
void scan_request(struct scan *scan, int64_t from, int64_t to, uint32_t group, uint32_t window);
// Requests work that would disappear: the interval, and the gap of a full queue after it.
void scan_request_removed(struct scan *scan, const struct line_interval *interval, uint32_t group);

// For work that could take only a part `kept` (0..1) of its time: requests the rest, and adds the
// interval to the sum, the names and the layers.
void scan_slow(struct scan *scan, unsigned sum, const struct line_interval *interval, double kept);

// Adds idle time of a cause to SUM_IDLE and to the places, and its intervals to SUM_WAITS.
void scan_idle(struct scan *scan, enum idle_cause cause);

// Sorts and packs the results.
void scan_end(struct scan *scan);

#endif
