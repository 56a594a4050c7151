// SPDX-License-Identifier: Apache-2.0
// How far a script or a session has come.
#ifndef UI_STATE_SCRIPT_STATE_H
#define UI_STATE_SCRIPT_STATE_H

#include <stdbool.h>

struct script_state {
    bool is_script;       // keys come from a script, and nobody is asked anything
    bool is_noting;       // the last line was a note: the next goes on with it
    bool follows_session; // just now: no other program may be run
    char doing[200];      // the command whose action is under way, "": none is
};

#endif
