// SPDX-License-Identifier: Apache-2.0
// Why a step is longer or shorter than the median one: places, kernels and idle time, largest first,
// adding up to the difference to the nanosecond.
//
// Both steps are their windows by the GPU's clock, cut into instants that each belong to one piece
// of work or to nothing (instants.h): so each sums up to its length, and so do differences. The
// median step is a step that there is, the one of median length: a median row by row would not add
// up. A row is the innermost place at which enough differs; what differs less, and opposite
// differences, join the place around it, and at the root "everything else".
//
// All times are ns of one GPU: the mean over the GPUs that ran the step.
#ifndef ANALYSIS_STEP_DIFFERENCE_H
#define ANALYSIS_STEP_DIFFERENCE_H

#include "analysis/breakdown/breakdown.h"
#include "analysis/idle/idle.h"

enum difference_kind {
    DIFFERENCE_WORK, // GPU time of a place of the op tree, or of one kernel at it
    DIFFERENCE_IDLE, // nothing runs, for one cause
    DIFFERENCE_REST, // all that is too small for a row of its own
};

struct difference_row {
    enum difference_kind kind;
    size_t category;       // of breakdown_gpu; of the rest GPU_CATEGORIES
    uint32_t node;         // of selection_tree(); ROW_NONE: none
    enum idle_cause cause; // of idle time
    bool is_waiting;       // of communication: the part before the last GPU came to it
    const char *what;  // "idle: data loading", a kernel's name in the present form, or a place's;
                       // ", waiting" after it where it is that
    const char *where; // path of the place, "" for none
    int64_t here_ns, median_ns, delta_ns;
    uint32_t rows;    // kernels (of idle time causes) at places that were joined
    int64_t under_ns; // of the rest: none of its rows differs by more
};

struct step_difference {
    uint32_t step, median;                // iterations of the split; ROW_NONE: nothing to compare
    int64_t here_ns, median_ns, delta_ns; // their lengths; what the rows add up to
    size_t count;
    struct difference_row *rows; // largest first, the rest last
    const char *why_none;        // why there are no rows; NULL: there are
};

// `members` [split->count], NULL: all that are not cut: whose median is meant. `step`: ROW_NONE is
// the longest of them. Of the selection process, device, adoption, names and tree count.
struct step_difference step_difference_of(const struct profile *profile,
                                          const struct selection *selection, const bool *members,
                                          uint32_t step, struct arena *arena);

// The same in at most `most` rows (1 at least): those at the end join the rest.
struct step_difference step_difference_fold(const struct step_difference *difference, size_t most,
                                            struct arena *arena);

#endif
