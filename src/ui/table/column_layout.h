// SPDX-License-Identifier: Apache-2.0
// The user's arrangement of a report's columns: order, hidden columns, widths.
//
// It is a small value. A table is drawn by it, the app keeps one per report for all views, and it
// is stored as one line of text. column_layout.c depends on neither tables nor the app.
#ifndef UI_TABLE_COLUMN_LAYOUT_H
#define UI_TABLE_COLUMN_LAYOUT_H

#include "analysis/report/report.h"

enum { MAX_TABLE_COLUMNS = 64, MIN_COLUMN_WIDTH = 3, MAX_COLUMN_WIDTH = 200 };

struct column_layout {
    uint16_t order[MAX_TABLE_COLUMNS]; // columns of the report from left to right
    uint64_t hidden;                   // bit per column
    uint64_t wanted;                   // bit per column: shown even if there is little room
    uint16_t width[MAX_TABLE_COLUMNS]; // per column, in cells of the screen; 0: by content
};

// Returns the default of the report: its order, without columns of the detail pane.
struct column_layout column_layout_of(const struct report *report);
bool column_layout_is_changed(const struct report *report, const struct column_layout *layout);
unsigned column_layout_count(const struct report *report); // columns that a layout covers
unsigned column_layout_place(const struct report *report, const struct column_layout *layout,
                             unsigned column); // position from the left, from 0

static inline bool column_layout_hides(const struct column_layout *layout, unsigned column)
{
    return layout->hidden >> column & 1;
}
void column_layout_show(struct column_layout *layout, unsigned column, bool is_shown);
// Moves a column one position to the left (-1) or right (1), skipping hidden ones. Returns false
// at the end.
bool column_layout_move(const struct report *report, struct column_layout *layout, unsigned column,
                        int direction);
void column_layout_move_to(const struct report *report, struct column_layout *layout,
                           unsigned column, unsigned place);
void column_layout_set_width(struct column_layout *layout, unsigned column,
                             int width); // 0: by content

// Prints the differences to column_layout_of() into `arena`, as "kernels:
// order=kernel,calls,gpu_total hidden=work shown=gpu_min width=kernel:40,calls:8". Returns NULL
// if there are none.
char *column_layout_print(const struct report *report, const struct column_layout *layout,
                          struct arena *arena);
// Reads such a line. Columns unknown to the report are ignored; columns missing in `order` follow
// their left neighbour in the report. Returns false, without a change, for a malformed line or an
// unknown report.
bool column_layout_parse(const char *line, const struct report **report,
                         struct column_layout *layout, struct error *error);

#endif
