// SPDX-License-Identifier: Apache-2.0
// Matches the rows of the two sides of a comparison.
#ifndef ANALYSIS_COMPARE_COMPARE_MATCH_H
#define ANALYSIS_COMPARE_COMPARE_MATCH_H

#include "analysis/compare/compare.h"

// A step may have no counterpart of the same name: a trace has ProfilerStep#N, a capture of the
// same program "step N" or no steps. If both sides have unmatched steps, these match each other,
// whatever their names. If only one side has them, they are unwrapped: their children are matched
// and shown as siblings of the step, and the step keeps only its own total.
struct side_rows {
    struct rows rows;
    uint32_t *within;        // by row: its parent in the report; ROW_NONE for outer rows
    uint32_t *parent;        // by row: the same, but unwrapped steps are no parents
    uint32_t *subtree_end;   // rows below it are row + 1 .. subtree_end - 1
    uint32_t *depth_shift;   // by row: number of levels to subtract from report.depth
    bool *is_unmatched_step; // by row: true for a step without a counterpart
    bool unwraps_steps;      // the unmatched steps of this side are unwrapped
};

// Returns true if a row is an unwrapped step.
static inline bool side_unwraps_row(const struct side_rows *side, uint32_t row)
{
    return side->unwraps_steps && side->is_unmatched_step[row];
}

struct row_pair {
    uint32_t row[SIDES]; // ROW_NONE if absent on that side
    bool is_loose;       // matched by report.fallback_matches: name or launch shape differ
};

// Builds the rows of a side. No step is unwrapped until rows_find_steps().
struct side_rows side_rows_build(const struct report *report, struct rows rows,
                                 struct arena *arena);

// Finds the steps without a counterpart on the other side and unwraps them if only one side has
// any.
void rows_find_steps(const struct report *report, struct side_rows sides[SIDES],
                     struct arena *arena);

// Returns every row of either side once, in the order of side B; rows of A without a pair follow
// after the children of their parent. Rows match if their parents and their keys match; among equal
// keys in the order of the rows. The remaining rows are matched by report.fallback_matches. *count
// is at most the number of rows of A plus that of B.
struct row_pair *match_rows(const struct report *report, const struct side_rows sides[SIDES],
                            size_t *count, struct arena *arena);

#endif
