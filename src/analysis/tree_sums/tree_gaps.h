// SPDX-License-Identifier: Apache-2.0
// Gaps between the GPU work of a range, as partial sums per step. Part of tree_host_sums.c.
//
// A range whose work belongs to one step has one figure: the sum of its gaps. A range whose work
// belongs to several steps is a straddler: its gaps depend on the set of steps that is selected.
// Its work is stored as runs, where a run is consecutive work of one step on one GPU.
#ifndef ANALYSIS_TREE_SUMS_TREE_GAPS_H
#define ANALYSIS_TREE_SUMS_TREE_GAPS_H

#include "analysis/tree_sums/tree_host.h"

struct tree_gaps; // the runs of straddlers

// Gaps of the ranges that are no straddlers, by range.
struct range_gaps {
    uint32_t *line;   // step of the partial sums; ROW_NONE: no gaps
    int64_t *idle_ns; // sum of the gaps
};

// Finds the gaps of all ranges. `own` is filled for ranges that are no straddlers, in `scratch`;
// the result has the straddlers and is in `arena`.
struct tree_gaps *tree_gaps_make(const struct tree_host *host, struct range_gaps *own,
                                 struct arena *arena, struct arena *scratch);
// Adds the gaps of straddlers to their nodes, as tree_host_idle() would.
void tree_gaps_add(const struct tree_gaps *gaps, const struct profile *profile,
                   const struct selection *selection, struct tree_sum *sums, struct arena *arena);

#endif
