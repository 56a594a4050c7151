// SPDX-License-Identifier: Apache-2.0
// The selected rows of GPU work, for reports that read them more than once.
#ifndef ANALYSIS_SUMS_SELECTED_WORK_H
#define ANALYSIS_SUMS_SELECTED_WORK_H

#include "analysis/report/selection.h"

struct work_list {
    uint32_t *rows; // ascending
    uint32_t count;
};

// Collects the rows on several threads, into the arena.
struct work_list selected_work(const struct profile *profile, const struct selection *selection,
                               struct arena *arena);

#endif
