// SPDX-License-Identifier: Apache-2.0
// Gaps between the GPU work of a range, as partial sums per step. Part of tree_host_sums.c.
//
// The gaps of a range whose work lies in one step are a single figure. The gaps of a range around
// several steps (a straddler) depend on the set of steps; for these, each run of work within one
// step is kept.
#ifndef ANALYSIS_SUMS_TREE_GAPS_H
#define ANALYSIS_SUMS_TREE_GAPS_H

#include "analysis/sums/tree_host.h"

struct tree_gaps; // the runs of straddlers

// Gaps of ranges within one step, by range.
struct range_gaps {
    uint32_t *line;   // step of the partial sums; ROW_NONE: no gaps
    int64_t *idle_ns; // sum of the gaps
};

// `own` is made in `scratch`, the result in `arena`.
struct tree_gaps *tree_gaps_make(const struct tree_host *host, struct range_gaps *own,
                                 struct arena *arena, struct arena *scratch);
// Adds the gaps of straddlers to their nodes, as tree_host_idle() would.
void tree_gaps_add(const struct tree_gaps *gaps, const struct profile *profile,
                   const struct selection *selection, struct tree_sum *sums, struct arena *arena);

#endif
