// SPDX-License-Identifier: Apache-2.0
// The rows of GPU work that a selection has, for reports that go through them more than once.
#ifndef ANALYSIS_SELECTED_WORK_H
#define ANALYSIS_SELECTED_WORK_H

#include "analysis/report/selection.h"

struct work_list {
    uint32_t *rows; // rising
    uint32_t count;
};

// Looked for by all threads. Memory is the arena's.
struct work_list selected_work(const struct profile *profile, const struct selection *selection,
                               struct arena *arena);

#endif
