// SPDX-License-Identifier: Apache-2.0
// Column geometry of a table: which columns are on screen, where, and how wide.
#ifndef UI_TABLE_TABLE_LAYOUT_H
#define UI_TABLE_TABLE_LAYOUT_H

#include "ui/table/table.h"

struct slot { // a column on screen
    uint16_t column;
    int x, width, bar;
};

struct layout {
    struct slot slots[MAX_TABLE_COLUMNS];
    int count;
    int before, after; // number of columns scrolled out at the left, and not shown at the right
};

void widths_measure(struct table *table); // after a change of rows, inside arena_run(derived)
// Widens columns for the lines that are about to be drawn.
void widths_widen(struct table *table, size_t line, size_t lines, struct arena *arena);
void layout_make(const struct table *table, int width, struct layout *layout);
// Divides the area between the list (with its header) and the detail pane, which is returned;
// side by side if there is room.
struct area table_split_detail(const struct table *table, struct area *list);
// Width of the list next to a detail pane.
int table_list_width(const struct table *table, int width);

#endif
