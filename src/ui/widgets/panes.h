// SPDX-License-Identifier: Apache-2.0
// Places of several panes on the screen; numbers in, areas out. app_panes.c decides what the
// panes show.
#ifndef UI_PANES_H
#define UI_PANES_H

#include <stdbool.h>

#include "ui/term/canvas.h"

enum {
    PANE_MAX = 3,
    PANE_LEAST_WIDTH = 38, // in columns and lines, with the heading
    PANE_LEAST_HEIGHT = 7,
    PANES_BESIDE_FROM = 150, // PANES_AS_FITS places panes side by side from this many columns
};

enum panes_side { PANES_AS_FITS, PANES_BESIDE, PANES_BELOW, PANES_SIDES };
extern const char *const panes_side_names[PANES_SIDES];

// Divides `area` among `count` panes in proportion to their shares, which are positive numbers:
// side by side with a column between two, or stacked. Falls back to the other direction if a pane
// would be too small. Returns false if there is room for one pane only.
bool panes_place(struct area area, unsigned count, enum panes_side side, const unsigned share[],
                 struct area out[]);

// Sets the share of pane `which` to `percent`, clamped to 10 .. 90; the others divide the rest in
// their former proportions.
void panes_give(unsigned share[], unsigned count, unsigned which, unsigned percent);

#endif
