// SPDX-License-Identifier: Apache-2.0
// Gaps between the GPU work of a range, kept per iteration. Part of tree_cells.c.
//
// Of a range whose work all lies in one iteration the gaps are a figure. Of one around several
// iterations (a straddler) they depend on the set: of these is kept what each run of work of one
// iteration does.
#ifndef ANALYSIS_TREE_GAPS_H
#define ANALYSIS_TREE_GAPS_H

#include "analysis/sums/tree_host.h"

struct tree_gaps; // of straddlers

// What ranges of one iteration have: by range.
struct range_gaps {
    uint32_t *line;   // of the cells, ROW_NONE: no gaps
    int64_t *idle_ns; // of all calls
};

// `own` is made in `scratch`, what is returned in `arena`.
struct tree_gaps *tree_gaps_make(const struct tree_host *host, struct range_gaps *own,
                                 struct arena *arena, struct arena *scratch);
// Adds the gaps of straddlers to the nodes themselves, as tree_host_idle() would.
void tree_gaps_add(const struct tree_gaps *gaps, const struct profile *profile,
                   const struct selection *selection, struct tree_sum *sums, struct arena *arena);

#endif
