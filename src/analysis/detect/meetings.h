// SPDX-License-Identifier: Apache-2.0
// Collectives in which the GPU of a time line meets others: what of them is waiting for the GPU that
// comes last. Which runs meet is told by collectives.h; only of these is it told who waits for whom.
#ifndef ANALYSIS_MEETINGS_H
#define ANALYSIS_MEETINGS_H

#include "analysis/breakdown/cover.h"
#include "analysis/detect/step_line.h"
#include "analysis/idle/collectives.h"

struct meeting {
    uint32_t members;
    int64_t latest_start; // INT64_MIN: not all members are in the file
    uint32_t last_device; // that came last
    uint32_t last_work;   // ... with this
    uint32_t window;      // of the line's GPU; ROW_NONE: it is in none
    // Before the last one came, with nothing computed beside it.
    int64_t wait_ns;     // mean of the GPUs other than the line's
    int64_t all_wait_ns; // of all members together
    // How much longer it has nothing beside it on the other GPUs (mean) than on the line's, which
    // has so much more to do until then. Needs no clocks that agree.
    int64_t lag_ns;
};

struct meetings {
    struct step_line *line;
    size_t count;
    struct meeting *items;
    struct column32 of_work; // by work: row of items, ROW_NONE
    bool is_separable;       // waiting can be told from the transfer
    bool has_unaligned;      // it could, but ends of the same collectives are not at the same time
};

// Found once for a line.
const struct meetings *line_meetings(struct step_line *line);

// When a GPU does work of these classes, a bit each, or may: a graph traced as a whole does not tell.
struct cover cover_device(struct step_line *line, uint32_t device, unsigned classes);

#endif
