// SPDX-License-Identifier: Apache-2.0
// The theme that is on.
#ifndef UI_STATE_COLOURS_H
#define UI_STATE_COLOURS_H

#include "ui/term/theme.h"

struct colours {
    struct theme theme;
    struct arena *arena;
    unsigned serial; // counts changes
};

#endif
