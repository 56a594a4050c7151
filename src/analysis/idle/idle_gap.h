// SPDX-License-Identifier: Apache-2.0
// Cuts one gap in a GPU's work into parts with one cause each; idle.c does so for all gaps.
#ifndef ANALYSIS_IDLE_IDLE_GAP_H
#define ANALYSIS_IDLE_IDLE_GAP_H

#include "analysis/idle/idle.h"

struct idle_overlay { // sorted intervals that override the cause of a part
    size_t count, next;
    int64_t *start, *end; // disjoint
    uint32_t *row;
};

struct idle_finder { // shared by all devices
    const struct profile *profile;
    uint32_t device, process;
    struct arena *arena, *scratch;
    struct idle *all;
    struct host_line *hosts;
    uint32_t *first_wait, *waits; // event waits by stream: rows of syncs by start
    bool *is_os_wait;             // [string id]
    bool has_untraced_graphs;
    size_t *cursor;      // [thread]: position of the last query in its line
    uint32_t *first_run; // [function]: its first work on the current device; valid if it runs there
    int64_t *launched;   // [stream]: launch time of its latest work
};

struct idle_sweep {
    const struct idle_finder *finder;
    const struct profile *profile;
    struct idle *idle;
    struct column_writer *from, *ns, *next_work, *row, *flags;
    struct idle_part last; // not yet written, as the next part may extend it
    bool has_last;
    struct idle_overlay elsewhere, profiler; // on the GPU's clock
    int64_t skew;                            // GPU time + skew = host time
    // The current gap.
    uint32_t next, previous; // work
    uint32_t call, thread;   // launches `next`; ROW_NONE
    bool begins_batch;       // `next` is the first copy to the GPU after other work
    // if `next` is the first run of its kernel: the call that loaded its code in this gap; else
    // ROW_NONE
    uint32_t load;
};

struct idle_overlay idle_overlay_new(size_t capacity, struct arena *arena);
// Intervals must be added in order of start; time that an earlier interval covers is skipped.
void idle_overlay_add(struct idle_overlay *overlay, int64_t start, int64_t end, uint32_t row);

// Adds the parts of a gap [from, to), which ends when the work `next` begins (ROW_NONE: no work of
// the process follows). Gaps must be added in order of time.
void idle_gap_add(struct idle_sweep *sweep, int64_t from, int64_t to, uint32_t next);
void idle_gap_end(struct idle_sweep *sweep); // flushes the last part

#endif
