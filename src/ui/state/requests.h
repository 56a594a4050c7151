// SPDX-License-Identifier: Apache-2.0
// Requests of actions to the main loop.
#ifndef UI_STATE_REQUESTS_H
#define UI_STATE_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>

struct requests {
    bool is_touched;     // a key has been pressed
    bool is_interrupted; // Ctrl-C was the last key
    bool wants_redraw, wants_suspend;
    bool is_done;
    int status;               // exit status
    char domain_wanted[1024]; // domain to reopen the profile with; "": none
    size_t run_wanted;        // index in options->runs of the run to open; SIZE_MAX: none
    bool wants_runs;          // show the list of runs
};

#endif
