// SPDX-License-Identifier: Apache-2.0
// The lists of all actions and all views, which are handed to the rooms below for look-up.
#ifndef UI_APP_LISTS_H
#define UI_APP_LISTS_H

#include <stdbool.h>

#include "base/error.h"

// Hands the lists down. Called by app_new() and by callers that list views or actions without an
// app. Returns false if memory runs out; `error` may be NULL.
bool lists_use(struct error *error);

void action_list_use(void);              // action_list.c
bool view_list_use(struct error *error); // view_list.c

#endif
