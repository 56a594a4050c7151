// SPDX-License-Identifier: Apache-2.0
// What the loop of the program is asked to do, and what it has seen.
#ifndef UI_STATE_REQUESTS_H
#define UI_STATE_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>

struct requests {
    bool is_touched;     // a key has been pressed
    bool is_interrupted; // C-c was the last key
    bool wants_redraw, wants_suspend;
    bool is_done;
    int status;               // of the exit
    char domain_wanted[1024]; // of the profile's: it is opened anew with that; "": none
    size_t run_wanted;        // of options->runs, to be opened in its stead; SIZE_MAX: none
    bool wants_runs;          // the list of them
};

#endif
