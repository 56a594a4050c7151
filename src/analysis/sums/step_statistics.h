// SPDX-License-Identifier: Apache-2.0
// How long steps are, which length is usual, and which steps stand out. All times in ns.
#ifndef ANALYSIS_STEP_STATISTICS_H
#define ANALYSIS_STEP_STATISTICS_H

#include "analysis/breakdown/breakdown.h"

// Robust statistics over chosen steps; all 0 where none has a length.
struct step_statistics {
    uint32_t count, worst; // worst: the last of the longest, ROW_NONE
    uint32_t median;       // the last of the steps of median length, ROW_NONE
    int64_t median_ns;     // the upper of the middle two: the length of a step that there is
    int64_t mad_ns;        // median distance from it
    int64_t p90_ns, p95_ns, p99_ns; // nearest rank
    int64_t max_ns, min_ns;
};

// The length of each step: its window in `parts` (breakdown_iterations() of breakdown_gpu: by the
// GPU's clock), else the host's; UNKNOWN: nothing there.
int64_t *step_durations(const struct split *split, const struct breakdown *parts,
                        struct arena *arena);

// The same without looking at what runs in them; exactly those figures, also for one GPU or process.
int64_t *step_lengths(const struct profile *profile, const struct selection *selection,
                      struct arena *arena);

// From the beginning of each on the host to that of the next, the mean over the processes that the
// selection holds; UNKNOWN: none ran it. Of the last, and where steps do not follow each other
// directly, from beginning to end.
int64_t *step_host_periods(const struct profile *profile, const struct selection *selection,
                           struct arena *arena);

// Of the members with a length; `members` NULL: all.
struct step_statistics step_statistics_of(const int64_t *duration_ns, const bool *members,
                                          uint32_t count, struct arena *arena);

// The usual length in words: "median 412 ms   MAD 1.9%   p95 447 ms   max 640 ms"; of what is no step
// of a program, where lengths differ by nature, "p50 2.1 ms   p90 2.4 ms   p99 9.8 ms   max 12 ms".
const char *step_statistics_text(const struct step_statistics *statistics,
                                 const struct split *split, bool ascii, struct arena *arena);

// How much steps usually vary: MAD as a share of the median; 0 where there is none.
static inline double step_spread(const struct step_statistics *statistics)
{
    return statistics->median_ns > 0 ? (double)statistics->mad_ns / (double)statistics->median_ns
                                     : 0;
}

// Whether the host's period says something else than the GPU's: by more than 5 % of it.
bool step_host_differs(int64_t gpu_ns, int64_t host_ns);

// Further from the median than 5 MAD, and than 5 % of it.
bool step_is_outlier(const struct step_statistics *statistics, int64_t duration_ns);

#endif
