// SPDX-License-Identifier: Apache-2.0
// Computes the areas of several panes on the screen. app_panes.c decides what the panes show.
#ifndef UI_WIDGETS_PANES_H
#define UI_WIDGETS_PANES_H

#include <stdbool.h>

#include "ui/term/canvas.h"

enum {
    MAX_PANES = 3,
    MIN_PANE_WIDTH = 38, // in columns and lines, with the heading
    MIN_PANE_HEIGHT = 7,
    MIN_SIDE_BY_SIDE_WIDTH = 150, // PANES_AUTO places panes side by side from this many columns
};

enum panes_side { PANES_AUTO, PANES_SIDE_BY_SIDE, PANES_STACKED, PANES_SIDES };
extern const char *const panes_side_names[PANES_SIDES];

// Divides `area` among `count` panes in proportion to their shares, which are positive numbers:
// side by side with a column between two, or stacked. Falls back to the other direction if a pane
// would be too small. Returns false if there is room for one pane only.
bool panes_place(struct area area, unsigned count, enum panes_side side, const unsigned share[],
                 struct area out[]);

// Sets the share of pane `which` to `percent`, clamped to 10 .. 90; the others divide the rest in
// their former proportions.
void panes_set_share(unsigned share[], unsigned count, unsigned which, unsigned percent);

#endif
