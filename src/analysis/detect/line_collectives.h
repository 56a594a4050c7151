// SPDX-License-Identifier: Apache-2.0
// Collectives on the line of one GPU (step_line.h), and how long each GPU waits in them for the
// last one to arrive. Who waits is known only for collectives that collectives.h matches across
// GPUs.
#ifndef ANALYSIS_DETECT_LINE_COLLECTIVES_H
#define ANALYSIS_DETECT_LINE_COLLECTIVES_H

#include "analysis/breakdown/cover.h"
#include "analysis/detect/step_line.h"
#include "analysis/idle/collectives.h"

struct line_collective {
    uint32_t members;
    bool by_durations;    // its members' clocks cannot be compared
    int64_t latest_start; // on the last member's clock; INT64_MIN: not all members are in the file
    int64_t shortest_ns;  // duration of its shortest run
    uint32_t last_device; // GPU that starts it last
    uint32_t last_work;   // the work of that member
    uint32_t window;      // of the line's GPU; ROW_NONE: outside of all windows
    // Waiting before the last member starts, while nothing is computed:
    int64_t wait_ns;     // mean over the GPUs other than the line's
    int64_t all_wait_ns; // sum over all members
    // Mean time that the other GPUs spend in the collective with nothing else running, minus the
    // same of the line's GPU. If positive, the line's GPU arrived that much later because it had
    // more work before. Uses durations only, so clocks need not agree.
    int64_t lag_ns;
};

struct line_collectives {
    struct step_line *line;
    size_t count;
    struct line_collective *items;
    struct column32 of_work; // [work]: index into `items`; ROW_NONE if it is no collective
    bool is_separable;       // waiting and transfer can be separated
    // not separable because a collective ends at different times on its GPUs
    bool has_clock_mismatch;
};

// Returns when the last member starts, on the clock of the member `work`, but no later than its
// end.
int64_t line_collective_arrival(const struct profile *profile,
                                const struct line_collective *collective, uint32_t work);

// Computed once per line.
const struct line_collectives *collectives_of_line(struct step_line *line);

// Returns the intervals in which a GPU runs, or may run, work of these classes (a bit set of enum
// work_class). Opaque graphs always count, since they may contain any work.
struct cover device_activity_cover(struct step_line *line, uint32_t device, unsigned classes);

#endif
