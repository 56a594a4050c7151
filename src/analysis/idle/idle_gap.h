// SPDX-License-Identifier: Apache-2.0
// One gap in a GPU's work, cut into parts that each have one cause: what idle.c makes of all gaps.
#ifndef ANALYSIS_IDLE_GAP_H
#define ANALYSIS_IDLE_GAP_H

#include "analysis/idle/idle.h"

enum { IDLE_CLOCKS_NS = 20000 }; // a kernel so long before its launch: the clocks disagree

struct idle_overlay { // sorted intervals that a part is cut by
    size_t count, next;
    int64_t *start, *end; // apart from each other
    uint32_t *row;
};

struct idle_finder { // shared by all devices
    const struct profile *profile;
    uint32_t device, process;
    struct arena *arena, *scratch;
    struct idle *all;
    struct host_line *hosts;
    uint32_t *first_wait, *waits; // event waits of each stream, rows of syncs by start
    bool *is_os_wait;             // by string id
    bool hides_graphs;
    size_t *cursor;      // by thread: where in its line a sweep was last
    uint32_t *first_run; // by function: its first work on the device at hand, where it runs there
    int64_t *launched;   // by stream: when its latest work was launched
};

struct idle_sweep {
    const struct idle_finder *finder;
    const struct profile *profile;
    struct idle *idle;
    struct column_writer *from, *ns, *next_work, *row, *flags;
    struct idle_part last; // which the next one may lengthen; not written yet, and not counted
    bool has_last;
    struct idle_overlay elsewhere, profiler; // on the GPU's clock
    int64_t skew;                            // added to the GPU's time gives the host's
    // The gap at hand.
    uint32_t next, previous; // work
    uint32_t call, thread;   // that launches `next`, or ROW_NONE
    bool begins_batch;       // `next` is the first copy to the GPU after other work
    uint32_t load; // `next` is the first run of a kernel: the call that loaded its code in
                   // this gap; else ROW_NONE
};

struct idle_overlay idle_overlay_new(size_t capacity, struct arena *arena);
// By start; what another covers already is left out.
void idle_overlay_add(struct idle_overlay *overlay, int64_t start, int64_t end, uint32_t row);

// Adds the parts of [from, to), in which the GPU is idle until `next` (ROW_NONE: nothing follows)
// begins. Gaps come in order of time.
void idle_gap_add(struct idle_sweep *sweep, int64_t from, int64_t to, uint32_t next);
void idle_gap_end(struct idle_sweep *sweep); // no more follow

#endif
