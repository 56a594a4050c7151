// SPDX-License-Identifier: Apache-2.0
// Collectives that meet: what of communication is waiting for the GPU that comes last.
//
// The n-th run of a function on each GPU is one collective, if their ends agree. Only then it can
// be told who waits for whom.
#ifndef ANALYSIS_MEETINGS_H
#define ANALYSIS_MEETINGS_H

#include "analysis/cover.h"
#include "analysis/step_line.h"
#include "model/id_map.h"

struct meeting {
    uint32_t members;
    int64_t latest_start; // INT64_MIN: not all members are in the file
    int64_t first_end, last_end;
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
    struct id_map map;
    size_t count, capacity;
    struct meeting *items;
    uint32_t *of_work;  // of the line's GPU, from its first work on: a row of items or ROW_NONE
    uint32_t members;   // GPUs that communicate
    bool is_separable;  // waiting can be told from the transfer
    bool has_unaligned; // it could, but ends of the same collectives are not at the same time
};

// Found once for a line.
const struct meetings *line_meetings(struct step_line *line);

// When a GPU does work of this class, or may: a graph traced as a whole does not tell. CLASS_COUNT:
// any work.
struct cover cover_device(struct step_line *line, uint32_t device, enum work_class only);

bool work_is_communication(const struct profile *profile, uint32_t work);
// All ranks at once; not point to point, where who waits for whom is another question.
bool work_is_collective(const struct profile *profile, uint32_t work);

#endif
