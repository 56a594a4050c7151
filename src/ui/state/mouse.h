// SPDX-License-Identifier: Apache-2.0
// What the mouse does.
#ifndef UI_STATE_MOUSE_H
#define UI_STATE_MOUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view;

// What a click on some cells means: the key that it stands for. Noted as they are drawn.
enum { ZONE_MAX = 64 };
struct zone {
    int x, y, width;
    uint32_t key;
};

struct mouse {
    bool is_on; // the program has it, not the terminal
    struct zone zones[ZONE_MAX];
    size_t zone_count;
    const struct view *pressed; // that it was pressed on last; NULL: on none
};

#endif
