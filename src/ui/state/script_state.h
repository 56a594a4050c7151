// SPDX-License-Identifier: Apache-2.0
// Progress of a running script or session.
#ifndef UI_STATE_SCRIPT_STATE_H
#define UI_STATE_SCRIPT_STATE_H

#include <stdbool.h>

struct script_state {
    bool is_script;       // keys come from a script, so that no question is asked
    bool is_noting;       // the last line was a note, which a further note extends
    bool follows_session; // commands of a session are being run: no other program may be started
    char doing[200];      // command whose action is running; "": none
};

#endif
