// SPDX-License-Identifier: Apache-2.0
// How several panes share the screen: figures in, places out. Who is in them is app_panes.c's.
#ifndef UI_PANES_H
#define UI_PANES_H

#include <stdbool.h>

#include "ui/term/canvas.h"

enum {
    PANE_MAX = 3,
    PANE_LEAST_WIDTH = 38, // columns and lines, with the heading
    PANE_LEAST_HEIGHT = 7,
    PANES_BESIDE_FROM = 150, // columns: as fits is beside each other
};

enum panes_side { PANES_AS_FITS, PANES_BESIDE, PANES_BELOW, PANES_SIDES };
extern const char *const panes_side_names[PANES_SIDES];

// Divides `area` among `count` panes by their shares, which are any positive numbers: beside each
// other, with a column between two, or below each other; the other way where this one leaves one of
// them too small. False: there is room for one only.
bool panes_place(struct area area, unsigned count, enum panes_side side, const unsigned share[],
                 struct area out[]);

// Gives one of them so many percent of all, at most 90 and at least 10; the others share what is left
// as they did.
void panes_give(unsigned share[], unsigned count, unsigned which, unsigned percent);

#endif
