// SPDX-License-Identifier: Apache-2.0
// Collectives as seen from the GPU of a line: the waiting for the GPU that arrives last. Only for
// runs that collectives.h matches is it known who waits for whom.
#ifndef ANALYSIS_DETECT_LINE_COLLECTIVES_H
#define ANALYSIS_DETECT_LINE_COLLECTIVES_H

#include "analysis/breakdown/cover.h"
#include "analysis/detect/step_line.h"
#include "analysis/idle/collectives.h"

struct line_collective {
    uint32_t members;
    int64_t latest_start; // INT64_MIN: not all members are in the file
    uint32_t last_device; // GPU that starts it last
    uint32_t last_work;   // the work of that member
    uint32_t window;      // of the line's GPU; ROW_NONE: outside of all windows
    // Waiting before the last member starts, while nothing is computed:
    int64_t wait_ns;     // mean over the GPUs other than the line's
    int64_t all_wait_ns; // sum over all members
    // How much longer the other GPUs (mean) run the collective without any concurrent work than the
    // line's GPU does, which has that much more to do before. Independent of clocks.
    int64_t lag_ns;
};

struct line_collectives {
    struct step_line *line;
    size_t count;
    struct line_collective *items;
    struct column32 of_work; // [work]: row of items; ROW_NONE
    bool is_separable;       // waiting and transfer can be separated
    bool has_clock_mismatch; // they could, but the ends of a collective differ between GPUs
};

// Computed once per line.
const struct line_collectives *collectives_of_line(struct step_line *line);

// Returns when a GPU does, or may do, work of these classes (a bit set of enum work_class). Opaque
// graphs always count, since they may contain any work.
struct cover cover_device(struct step_line *line, uint32_t device, unsigned classes);

#endif
