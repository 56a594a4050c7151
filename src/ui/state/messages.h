// SPDX-License-Identifier: Apache-2.0
// The message line below the view.
#ifndef UI_STATE_MESSAGES_H
#define UI_STATE_MESSAGES_H

#include "base/error.h"

struct app;

struct messages {
    char text[400]; // "": none
    bool is_error;
    enum error_kind kind; // of an error message
    char loading[200];    // progress of loading the profile or a baseline; "": none
};

#endif
