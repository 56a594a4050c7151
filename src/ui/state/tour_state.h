// SPDX-License-Identifier: Apache-2.0
// How far a script that stops at notes has come; ui/session/tour.h runs it.
#ifndef UI_STATE_TOUR_STATE_H
#define UI_STATE_TOUR_STATE_H

#include <stdbool.h>

struct aside;

struct tour {
    const char *text; // what is left to be run; NULL: no tour is on
    int line;         // of the text, from 1 on, of `text`
    unsigned stop, stops;
    bool is_running;     // between two stops: keys come from the script
    char problem[200];   // what a command of this stop said that found nothing to do here
    bool goes_on;        // Enter was pressed, or it has just begun
    struct aside *aside; // where one was, to come back to; NULL: to nowhere
};

#endif
