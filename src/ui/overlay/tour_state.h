// SPDX-License-Identifier: Apache-2.0
// Progress of a script that stops at notes. ui/session/tour.h runs it.
#ifndef UI_OVERLAY_TOUR_STATE_H
#define UI_OVERLAY_TOUR_STATE_H

#include <stdbool.h>

struct origin;

struct tour {
    const char *text; // the rest of the script; NULL: no tour is running
    int line;         // 1-based line number of `text` in the script
    unsigned stop, stops;
    bool is_running;       // between two stops, while keys come from the script
    char problem[200];     // message of a command of this stop that failed
    bool goes_on;          // Enter was pressed, or the tour has just started
    struct origin *origin; // the state to restore at the end; NULL: none
};

#endif
