// SPDX-License-Identifier: Apache-2.0
#ifndef UI_VIEWS_VIEW_TABLES_H
#define UI_VIEWS_VIEW_TABLES_H

#include <stdbool.h>

struct profile;

// Returns true if the profile holds a framework's allocations, or its format can record them.
bool can_have_allocations(const struct profile *profile);

#endif
