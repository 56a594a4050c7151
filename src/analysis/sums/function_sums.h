// SPDX-License-Identifier: Apache-2.0
// Durations of GPU work by function, and by name in order of duration, from partial sums per step.
// A table of kernels needs both for a set of steps.
#ifndef ANALYSIS_SUMS_FUNCTION_SUMS_H
#define ANALYSIS_SUMS_FUNCTION_SUMS_H

#include "analysis/report/memo.h"
#include "analysis/report/stats.h"

struct function_sum { // of the selected work of a function
    int64_t count, total_ns, exclusive_ns;
    struct squares squares; // of the durations
};

// Returns one entry per function. NULL: the selection has no memo, or more than iterations, process
// and GPU narrow it; the caller then reads the rows.
struct function_sum *function_sums_of(const struct profile *profile,
                                      const struct selection *selection, struct arena *arena);

// Minimum, maximum and median of the selected durations of each name in the selected form.
struct name_orders {
    const struct profile *profile;
    const struct name_order_lists *kept; // NULL: as for function_sums_of()
    const bool *lines;                   // by iteration: selected; NULL: all
};
struct name_orders name_orders_of(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena);
// Fills min, max and median for the name of `function`. The caller has set stats->count to the
// number of selected pieces of work.
void name_order_fill(const struct name_orders *orders, uint32_t function, struct stats *stats);

#endif
