// SPDX-License-Identifier: Apache-2.0
// Durations of GPU work by function, and by name in order of length, kept per iteration: what a
// table of kernels needs of a set of iterations.
#ifndef ANALYSIS_FUNCTION_SUMS_H
#define ANALYSIS_FUNCTION_SUMS_H

#include "analysis/report/memo.h"
#include "analysis/report/stats.h"

struct function_sum { // of the selected work of a function
    int64_t count, total_ns, exclusive_ns;
    struct squares squares; // of the durations
};

// One per function; NULL: the selection has no memo, or is narrowed by more than iterations,
// process and GPU, and its rows have to be looked at.
struct function_sum *function_sums_of(const struct profile *profile,
                                      const struct selection *selection, struct arena *arena);

// Shortest, longest and median of the selected durations of each name in the present form.
struct name_orders {
    const struct profile *profile;
    const struct kept_orders *kept; // NULL: as of function_sums_of()
    const bool *lines;              // of iterations: selected; NULL: all
};
struct name_orders name_orders_of(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena);
// Fills min, max and median of the name of `function`; stats->count is how many are selected.
void name_order_fill(const struct name_orders *orders, uint32_t function, struct stats *stats);

#endif
