// SPDX-License-Identifier: Apache-2.0
// Time intervals of the selected iterations on the host's clock, ns.
#ifndef ANALYSIS_REPORT_SELECTED_INTERVALS_H
#define ANALYSIS_REPORT_SELECTED_INTERVALS_H

#include "analysis/report/selection.h"

// In order of start. If all iterations are selected: one interval, from INT64_MIN to INT64_MAX.
struct selected_intervals {
    uint32_t count;
    int64_t *start; // [count], in the arena that is given
    int64_t *stop;  // [count], the latest stop up to this interval
};

struct selected_intervals selected_intervals_of(const struct selection *selection,
                                                struct arena *arena);
// Returns the first time in [from, to] inside an interval, or INT64_MAX.
int64_t selected_intervals_meet(const struct selected_intervals *intervals, int64_t from,
                                int64_t to);

#endif
