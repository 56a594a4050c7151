// SPDX-License-Identifier: Apache-2.0
// State of the mouse, and the zones of the screen where a click acts as a key.
#ifndef UI_STATE_MOUSE_H
#define UI_STATE_MOUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view;

// Cells where a click acts as a key. Recorded while they are drawn.
enum { MAX_ZONES = 64 };
struct zone {
    int x, y, width;
    uint32_t key;
};

struct mouse {
    bool is_on; // mouse events go to the program, not the terminal
    struct zone zones[MAX_ZONES];
    size_t zone_count;
    const struct view *pressed; // view that the button was last pressed on; NULL: none
};

#endif
