// SPDX-License-Identifier: Apache-2.0
// What the line below the view says.
#ifndef UI_STATE_MESSAGES_H
#define UI_STATE_MESSAGES_H

#include "base/error.h"

struct app;

struct messages {
    char text[400]; // "": nothing
    bool is_error;
    enum error_kind kind; // of a message that is an error
    char loading[200];    // what is still being loaded, also to be compared with; "": nothing
};

#endif
