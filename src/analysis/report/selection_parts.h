// SPDX-License-Identifier: Apache-2.0
// Of how many parts the sums over a selection are made: steps, and the GPUs or processes of each.
#ifndef ANALYSIS_SELECTION_PARTS_H
#define ANALYSIS_SELECTION_PARTS_H

#include "analysis/report/value.h"

// GPUs that ran anything and are selected, themselves and by a process that used them; at least 1.
uint32_t selection_device_count(const struct profile *profile, const struct selection *selection);

struct parts selection_parts(const struct profile *profile, const struct selection *selection);

#endif
