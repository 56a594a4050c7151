// SPDX-License-Identifier: Apache-2.0
// Count, sum and spread of groups of figures, as in nsys's reports.
//
// The figures of all groups are in one array, group after group: groups_begin() with the counts,
// groups_add() for each figure, groups_stats() for each group.
#ifndef ANALYSIS_REPORT_STATS_H
#define ANALYSIS_REPORT_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/sums.h"

static inline void sum_add(int64_t *sum, int64_t value)
{
    *sum = add_saturating(*sum, value);
}

struct stats {
    size_t count;
    int64_t total, min, max; // 0 when count is 0
    double mean, median;     // the median of an even count is the mean of the middle two
    double deviation;        // sample standard deviation (n - 1); 0 for one figure
};

// Sum of squares, exact, so that it does not depend on the order of the figures.
struct squares {
    unsigned __int128 sum;
};

static inline void squares_add(struct squares *squares, int64_t value)
{
    unsigned __int128 size = (unsigned __int128)(value < 0 ? -(__int128)value : (__int128)value);
    squares->sum += size * size;
}

// Sample standard deviation (n - 1) of `count` figures with the sum `total`.
double stats_deviation(size_t count, int64_t total, struct squares squares);

// Returns the probability of at least `hits` successes in `count` independent trials with
// probability `chance`, in (0, 1), each: the sum of C(count, k) chance^k (1 - chance)^(count - k)
// over k >= hits.
double stats_binomial_tail(uint32_t count, uint32_t hits, double chance);

// Reorders `values` and returns the k-th smallest, k < count.
int64_t stats_kth_smallest(int64_t *values, size_t count, size_t k);

// Reorders `values`.
struct stats stats_of(int64_t *values, size_t count);

struct figure_groups {
    size_t count;
    size_t *first; // count + 1 offsets into values
    size_t *filled;
    int64_t *values;
};

// `counts[i]` is the number of figures of group i.
struct figure_groups groups_begin(const uint32_t *counts, size_t count, struct arena *arena);
void groups_add(struct figure_groups *groups, size_t group, int64_t value);
struct stats groups_stats(const struct figure_groups *groups, size_t group);

#endif
