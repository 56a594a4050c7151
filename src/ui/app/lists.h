// SPDX-License-Identifier: Apache-2.0
// The lists of all actions and views, which the rooms below look things up in once they are handed in.
#ifndef UI_APP_LISTS_H
#define UI_APP_LISTS_H

#include <stdbool.h>

#include "base/error.h"

// Hands them in. app_new() calls it, and so does whoever lists views or actions without an app. False:
// memory ended; NULL takes no error.
bool lists_use(struct error *error);

void action_list_use(void);              // action_list.c
bool view_list_use(struct error *error); // view_list.c

#endif
