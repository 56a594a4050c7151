// SPDX-License-Identifier: Apache-2.0
// Which columns of a table are on the screen, where, and how wide.
#ifndef UI_TABLE_LAYOUT_H
#define UI_TABLE_LAYOUT_H

#include "ui/table/table.h"

struct slot { // a column on screen
    uint16_t column;
    int x, width, bar;
};

struct layout {
    struct slot slots[TABLE_COLUMNS];
    int count;
    int before, after; // columns that could be seen to the left and to the right of these
};

void widths_measure(struct table *table); // after its rows have changed, inside arena_run(derived)
// Before a drawing of so many of its lines: what they hold has room too.
void widths_widen(struct table *table, size_t line, size_t lines, struct arena *arena);
void layout_make(const struct table *table, int width, struct layout *layout);
// Divides the area between the list, with a line over it, and the pane of details, which is returned:
// beside each other where there is room.
struct area table_take_detail(const struct table *table, struct area *list);
int table_list_width(const struct table *table, int width); // what a pane beside the list leaves it

#endif
