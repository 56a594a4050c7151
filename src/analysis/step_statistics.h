// SPDX-License-Identifier: Apache-2.0
// How long steps are, which length is usual, and which steps stand out. All times in ns.
#ifndef ANALYSIS_STEP_STATISTICS_H
#define ANALYSIS_STEP_STATISTICS_H

#include "analysis/breakdown.h"

// Robust statistics over chosen steps; all 0 where none has a length.
struct step_statistics {
    uint32_t count, worst; // worst: the last of the longest, ROW_NONE
    int64_t median_ns;     // the upper of the middle two: the length of a step that there is
    int64_t mad_ns;        // median distance from it
    int64_t p95_ns;        // nearest rank
    int64_t max_ns, min_ns;
};

// The length of each step: its window in `parts` (breakdown_iterations() of breakdown_gpu: by the
// GPU's clock), else the host's; UNKNOWN: nothing there.
int64_t *step_durations(const struct split *split, const struct breakdown *parts,
                        struct arena *arena);

// Of the members with a length; `members` NULL: all.
struct step_statistics step_statistics_of(const int64_t *duration_ns, const bool *members,
                                          uint32_t count, struct arena *arena);

// How much steps usually vary: MAD as a share of the median; 0 where there is none.
static inline double step_spread(const struct step_statistics *statistics)
{
    return statistics->median_ns > 0 ? (double)statistics->mad_ns / (double)statistics->median_ns
                                     : 0;
}

// Further from the median than 5 MAD, and than 5 % of it.
bool step_is_outlier(const struct step_statistics *statistics, int64_t duration_ns);

// Fills members[split->count] with all but the steps that the capture cut and those at the
// beginning that stand out by their length: the warm-up. Returns how many of these there are.
uint32_t steps_steady(const struct split *split, const int64_t *duration_ns, bool *members,
                      struct arena *arena);

#endif
