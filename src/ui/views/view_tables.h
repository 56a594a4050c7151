// SPDX-License-Identifier: Apache-2.0
#ifndef UI_VIEWS_VIEW_TABLES_H
#define UI_VIEWS_VIEW_TABLES_H

#include <stdbool.h>

struct profile;

// Whether a profile tells what a framework's allocator hands out, or could have.
bool memory_is_told(const struct profile *profile);

#endif
