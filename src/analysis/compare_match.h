// SPDX-License-Identifier: Apache-2.0
// Which row of one side of a comparison is which of the other.
#ifndef ANALYSIS_COMPARE_MATCH_H
#define ANALYSIS_COMPARE_MATCH_H

#include "analysis/compare.h"

struct side_rows {
    struct rows rows;
    uint32_t *parent;      // by row; ROW_NONE: an outer one
    uint32_t *subtree_end; // rows below it are row + 1 .. subtree_end - 1
};

struct row_pair {
    uint32_t row[SIDES]; // ROW_NONE: not there
    bool is_loose;       // by report.match_again: they differ in name or launch shape
};

struct side_rows side_rows_make(const struct report *report, struct rows rows, struct arena *arena);

// Every row of either side once, in the order of side B; what is gone stands at the end of what it
// lay in. Rows match where the rows around them do, and what names them; of several that are named
// alike the first matches the first; then what report.match_again tells. `count` at most rows of A +
// rows of B.
struct row_pair *rows_match(const struct report *report, const struct side_rows sides[SIDES],
                            size_t *count, struct arena *arena);

#endif
