// SPDX-License-Identifier: Apache-2.0
// Why a step is longer or shorter than the median one: rows of places (nodes of the op tree),
// kernels and idle time, largest difference first, which add up exactly to the difference of the
// steps.
//
// Both steps are windows on the GPU's clock, cut into instants that each belong to one piece of
// work or are idle (instants.h), so the parts of each step add up to its length, and the
// differences of the parts to the difference of the steps. The median step is a real one, the step
// of median length or, where an even count has none, the longer of the middle two: medians per row
// would not add up. A row is the innermost place with a notable
// difference. Smaller differences are added to the enclosing place and so on, and at the root to
// the row "everything else".
//
// All times are ns of one GPU: the mean over the GPUs that ran the step.
#ifndef ANALYSIS_IDLE_STEP_DIFFERENCE_H
#define ANALYSIS_IDLE_STEP_DIFFERENCE_H

#include "analysis/breakdown/breakdown.h"
#include "analysis/idle/idle.h"

enum difference_kind {
    DIFFERENCE_WORK, // GPU time of a place of the op tree, or of one kernel at it
    DIFFERENCE_IDLE, // idle time with one cause
    DIFFERENCE_REST, // everything too small for a row of its own
};

struct difference_row {
    enum difference_kind kind;
    size_t category;       // of breakdown_gpu; GPU_CATEGORIES for the rest
    uint32_t node;         // of selection_tree(); ROW_NONE: none
    enum idle_cause cause; // of idle time
    bool is_waiting;       // for communication: the part before the last GPU arrives
    // "idle: data loading", a kernel's name in the selected form, or a place; with ", waiting" if
    // is_waiting
    const char *what;
    const char *where; // path of the place; "" for none
    int64_t here_ns, median_ns, delta_ns;
    uint32_t rows;    // number of joined kernels (for idle time: of causes) at places
    int64_t under_ns; // for the rest: no row in it differs by more
};

struct step_difference {
    uint32_t step, median;                // steps of the split; ROW_NONE: nothing to compare
    const char *role;                     // of `median`: "the median" or "next to the median"
    int64_t here_ns, median_ns, delta_ns; // lengths and their difference; the sums of the rows
    size_t count;
    struct difference_row *rows; // largest first, the rest last
    const char *why_none;        // why there are no rows; NULL if there are
};

// Compares `step` (ROW_NONE: the longest of `members`) with the median of `members` [split->count];
// NULL: all steps that are not cut. Uses only these fields of the selection: process, device,
// adoption, names and is_folded.
struct step_difference step_difference_of(const struct profile *profile,
                                          const struct selection *selection, const bool *members,
                                          uint32_t step, struct arena *arena);

// Returns the same in at most `max_rows` rows (at least 1); the smallest rows are added to the
// rest.
struct step_difference step_difference_fold(const struct step_difference *difference,
                                            size_t max_rows, struct arena *arena);

#endif
