// SPDX-License-Identifier: Apache-2.0
// Which row of one side of a comparison is which of the other.
#ifndef ANALYSIS_COMPARE_MATCH_H
#define ANALYSIS_COMPARE_MATCH_H

#include "analysis/compare/compare.h"

// Steps that the other side does not call so (a trace has ProfilerStep#N, a capture of the same program
// "step N", or none) match whatever they are called where both sides have such. Else they are seen
// through: what is in them matches, and stands, as if it lay beside them, and they are left with what is
// their own.
struct side_rows {
    struct rows rows;
    uint32_t *within;      // by row: what it lies in; ROW_NONE: an outer one
    uint32_t *parent;      // ... without steps that are seen through
    uint32_t *subtree_end; // rows below it are row + 1 .. subtree_end - 1
    uint32_t *lifted;      // by how many rows it stands further out than report.depth tells
    bool *is_own_step;     // by row: such a step
    bool sees_through;
};

// Whether what is in a row stands beside it.
static inline bool side_sees_through(const struct side_rows *side, uint32_t row)
{
    return side->sees_through && side->is_own_step[row];
}

struct row_pair {
    uint32_t row[SIDES]; // ROW_NONE: not there
    bool is_loose;       // by report.match_again: they differ in name or launch shape
};

// What rows_see_through() fills is as if nothing were seen through.
struct side_rows side_rows_make(const struct report *report, struct rows rows, struct arena *arena);

// Finds the steps that the other side does not call so.
void rows_find_steps(const struct report *report, struct side_rows sides[SIDES],
                     struct arena *arena);

// Every row of either side once, in the order of side B; what is gone stands at the end of what it
// lay in. Rows match where the rows around them do, and what names them; of several that are named
// alike the first matches the first; then what report.match_again tells. `count` at most rows of A +
// rows of B.
struct row_pair *rows_match(const struct report *report, const struct side_rows sides[SIDES],
                            size_t *count, struct arena *arena);

#endif
