// SPDX-License-Identifier: Apache-2.0
// How a person has arranged the columns of a report: their order, which are hidden, how wide.
//
// A small value that a table draws by, that the app keeps per report for all of its views, and that
// is a line of text in a file. column_layout.c knows no table and no app.
#ifndef UI_COLUMN_LAYOUT_H
#define UI_COLUMN_LAYOUT_H

#include "analysis/report/report.h"

enum { TABLE_COLUMNS = 64, COLUMN_LEAST = 3, COLUMN_MOST = 200 };

struct column_layout {
    uint16_t order[TABLE_COLUMNS]; // columns of the report from left to right
    uint64_t hidden;               // bit per column
    uint64_t wanted;               // bit per column: shown although there is little room
    uint16_t width[TABLE_COLUMNS]; // of each column, in cells of the screen; 0: by what it holds
};

// As the report has it: all but those for the detail pane, in its order.
struct column_layout column_layout_of(const struct report *report);
bool column_layout_is_changed(const struct report *report, const struct column_layout *layout);
unsigned column_layout_count(const struct report *report); // columns that a layout knows of
unsigned column_layout_place(const struct report *report, const struct column_layout *layout,
                             unsigned column); // where it stands, from 0 on

static inline bool column_layout_hides(const struct column_layout *layout, unsigned column)
{
    return layout->hidden >> column & 1;
}
void column_layout_show(struct column_layout *layout, unsigned column, bool is_shown);
// One place to the left (-1) or right (1), past those that are hidden; false: it is at the end.
bool column_layout_move(const struct report *report, struct column_layout *layout, unsigned column,
                        int direction);
void column_layout_move_to(const struct report *report, struct column_layout *layout,
                           unsigned column, unsigned place);
void column_layout_widen(struct column_layout *layout, unsigned column, int width); // 0: as before

// "kernels: order=kernel,calls,gpu_total hidden=work shown=gpu_min width=kernel:40,calls:8": what
// differs from column_layout_of(), in `arena`; NULL: nothing does.
char *column_layout_print(const struct report *report, const struct column_layout *layout,
                          struct arena *arena);
// Reads such a line. Columns that the report does not have (any more) are passed over; those that
// `order` does not name follow the one before them in the report. False: it is no such line, or of
// no report there is; nothing is changed then.
bool column_layout_parse(const char *line, const struct report **report,
                         struct column_layout *layout, struct error *error);

#endif
