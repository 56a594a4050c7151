// SPDX-License-Identifier: Apache-2.0
// The rows of a comparison: which row of one side is which of the other, and their sums.
#ifndef ANALYSIS_COMPARE_ROWS_H
#define ANALYSIS_COMPARE_ROWS_H

#include "analysis/compare/compare.h"

enum { COMPARE_COLUMNS = 130, COMPARE_SUMS = 24 }; // more than any report has, which a test holds

enum compare_face {
    FACE_TEXT,    // the text, of side B where the row is there
    FACE_CHANGE,  // COLUMN_TELLS: the text; where the sides differ, both: "16x1x1 -> 132x1x1"
    FACE_A,       // the value on side A, a sum as its part of a step
    FACE_B,       // ... on side B
    FACE_DELTA,   // B - A
    FACE_PERCENT, // that, as a share of A
    FACE_MOVED,   // how much it is, up or down
    FACE_WHAT,    // new, gone, renamed, reshaped, noise
};

struct compare_column {
    const struct column *base;
    enum compare_face face;
    int sum;    // of COLUMN_SUM: which, else -1
    int change; // FACE_CHANGE: which, else -1
};

struct compare_layout { // what follows from the report alone
    const struct report *base;
    size_t count, sum_count, change_count;
    struct compare_column columns[COMPARE_COLUMNS];
    const struct column *sums[COMPARE_SUMS];
    int main;                // the sum that comparisons are about
    bool lacks_times[SIDES]; // profile.lacks_times
};

enum compare_what {
    WHAT_BOTH,
    WHAT_NEW,
    WHAT_GONE,
    WHAT_NOISE,
    WHAT_RENAMED,  // paired though the name differs
    WHAT_RESHAPED, // ... the launch shape
    WHAT_UNKNOWN,  // report.is_unknown on one side
};

struct compare_row {
    const void *side[SIDES]; // rows of the report; both NULL: a sum over rows, or idle time
    const char *name;        // of such a one: "(step)"
    const struct compare_layout *layout;
    double *sums;         // [sum * SIDES + side], times and bytes whole numbers; NAN: not known
    const char **changes; // by change; NULL: as the row of a side has it
    uint64_t id;
    unsigned depth;
    bool has_children;
    enum compare_what what;
};

// A cell of a row of the report on a side. What adds up to the busy time is what ran, where it is not
// known what overlaps.
struct value compare_value(const struct compare_layout *layout, const struct column *column,
                           int side, const void *row);

void compare_layout_make(struct compare_layout *layout, const struct report *base);

// How much a sum differs, what is not there counting as nothing; NAN: not known.
double compare_delta(const struct compare_row *row, int sum);

struct rows compare_rows(const struct report *base, const struct profile *profile,
                         const struct selection *selection, struct arena *arena);

#endif
