// SPDX-License-Identifier: Apache-2.0
// What a detector finds in each window of a GPU's time line, whichever of them are chosen later:
// sums, sums by place or by name, and the instants that it wants. All of it adds up over windows, so
// that a judgement of any set of steps is a sum of what was found once.
#ifndef ANALYSIS_SCAN_H
#define ANALYSIS_SCAN_H

#include "analysis/detect/claims.h"
#include "analysis/detect/step_line.h"

struct scan_entry {
    uint32_t window, id;
    uint32_t count; // calls of scan_list_add()
    int64_t ns;
};

struct scan_list { // sums by id and window
    size_t count, capacity;
    struct scan_entry *items; // by window; an id may come more than once in one
    size_t *first;            // by window, and one more; NULL: nothing was added
    uint32_t ids;             // all are below
    struct scan_open *open;   // while it is made
};

enum { SCAN_SUMS = 10 };

struct scan {
    struct step_line *line;
    struct arena *arena;      // keeps what is found
    int64_t *sums[SCAN_SUMS]; // by window; NULL: nothing was added
    struct scan_list places;  // by node of selection_tree()
    struct scan_list names;   // by function, string or what the detector numbers
    struct scan_list lines;   // by line of the program that an API call comes from (call_route)
    struct wants wants;       // ...
    struct wants more;        // ... and what it wants as well when it speaks
    void *own;                // of the detector, in `arena`
};

// The sums of which every scan may have the first: scan_idle() adds to them.
enum scan_sum { SUM_IDLE, SUM_WAITS, SUM_OWN };

// A window of ROW_NONE is none: nothing is added.
void scan_add(struct scan *scan, unsigned sum, uint32_t window, int64_t value);
void scan_list_add(struct scan *scan, struct scan_list *list, uint32_t window, uint32_t id,
                   int64_t ns);
// To the places, where a work counts: in its layer, or where it was launched.
void scan_layer(struct scan *scan, uint32_t window, uint32_t work, int64_t ns);
void scan_node(struct scan *scan, uint32_t window, uint32_t work, int64_t ns);
// To the lines, as where an API call comes from: STRING_NONE where that is not known, as of a call
// of ROW_NONE. scan_layer(), scan_node() and scan_idle() do so for their calls.
void scan_call(struct scan *scan, uint32_t window, uint32_t call, int64_t ns);
// To the names, as the function of a work.
void scan_function(struct scan *scan, uint32_t window, uint32_t work, int64_t ns);
void scan_want(struct scan *scan, int64_t from, int64_t to, uint32_t group, uint32_t window);
// Work that would not be there: the stretch, and the gap of a full queue that comes after it.
void scan_want_gone(struct scan *scan, const struct stretch *stretch, uint32_t group);

// A stretch of work that could take `kept` of its time: the rest is wanted, the stretch is added to
// the sum, to the names and to the layers.
void scan_slow(struct scan *scan, unsigned sum, const struct stretch *stretch, double kept);

// Idle time of a cause: to SUM_IDLE, its stretches to SUM_WAITS, and to the places.
void scan_idle(struct scan *scan, enum idle_cause cause);

// Puts in order what was found.
void scan_end(struct scan *scan);

#endif
