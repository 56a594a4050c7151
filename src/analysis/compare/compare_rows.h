// SPDX-License-Identifier: Apache-2.0
// The rows of a comparison: pairs of rows of both sides, and their sums.
#ifndef ANALYSIS_COMPARE_COMPARE_ROWS_H
#define ANALYSIS_COMPARE_COMPARE_ROWS_H

#include "analysis/compare/compare.h"

// above the needs of any report, which a test checks
enum { COMPARE_COLUMNS = 130, COMPARE_SUMS = 24 };

enum compare_face {
    FACE_TEXT,    // the text; of side B if the row exists there
    FACE_CHANGE,  // COLUMN_IDENTIFIES: the text, or both if they differ: "16x1x1 -> 132x1x1"
    FACE_A,       // the value on side A; a sum as its part of a step
    FACE_B,       // the value on side B
    FACE_DELTA,   // B - A
    FACE_PERCENT, // B - A as a share of A
    FACE_MOVED,   // absolute value of B - A
    FACE_STATUS,  // new, gone, renamed, reshaped, noise, unknown
};

struct compare_column {
    const struct column *base;
    enum compare_face face;
    int sum;    // index of the sum, else -1
    int change; // FACE_CHANGE: index in `changes`, else -1
};

struct compare_layout { // depends on the report alone, except for lacks_times
    const struct report *base;
    size_t count, sum_count, change_count;
    struct compare_column columns[COMPARE_COLUMNS];
    const struct column *sums[COMPARE_SUMS];
    int main;                // index of the sum that the comparison is about
    bool lacks_times[SIDES]; // profile.lacks_times
};

enum compare_status {
    STATUS_MATCHED,
    STATUS_NEW,
    STATUS_GONE,
    STATUS_NOISE,
    STATUS_RENAMED,  // matched although the names differ
    STATUS_RESHAPED, // matched although the launch shapes differ
    STATUS_UNKNOWN,  // report.is_unknown on one side
};

struct compare_row {
    const void *side[SIDES]; // rows of the report; both NULL for a sum or for idle time
    const char *name;        // name of such a row: "(step)"
    const struct compare_layout *layout;
    double *sums;         // [sum * SIDES + side]; times and bytes are whole numbers; NAN if unknown
    const char **changes; // by column.change; NULL to use the text of a side's row
    uint64_t id;
    unsigned depth;
    bool has_children;
    enum compare_status what;
};

// Returns the value of a cell of one side. Columns that depend on times are unknown if times are
// not recorded, except for report.busy.
struct value compare_value(const struct compare_layout *layout, const struct column *column,
                           int side, const void *row);

void compare_layout_init(struct compare_layout *layout, const struct report *base);

// Returns the difference of a sum, where a missing row counts as 0; NAN if unknown.
double compare_delta(const struct compare_row *row, int sum);

struct rows compare_rows(const struct report *base, const struct profile *profile,
                         const struct selection *selection, struct arena *arena);

#endif
