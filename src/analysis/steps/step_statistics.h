// SPDX-License-Identifier: Apache-2.0
// Lengths of steps, statistics over them, and outliers. All times are in ns.
#ifndef ANALYSIS_STEPS_STEP_STATISTICS_H
#define ANALYSIS_STEPS_STEP_STATISTICS_H

#include "analysis/breakdown/breakdown.h"
#include "model/steps/split.h"

// Robust statistics over chosen steps; all 0 if none has a length.
struct step_statistics {
    uint32_t count, worst; // worst: the longest step, the last one of ties; ROW_NONE: none
    // step of median length, of an even count the longer of the middle two, the last one of ties;
    // ROW_NONE: none
    uint32_t median;
    int64_t median_ns;              // of an even count the mean of the middle two
    int64_t mad_ns;                 // median absolute deviation from median_ns
    int64_t p90_ns, p95_ns, p99_ns; // nearest rank
    int64_t max_ns, min_ns;
};

// Returns the length of each step: its window in `parts` (breakdown_iterations() of breakdown_gpu,
// on the GPU's clock), else its length on the host; UNKNOWN: it has neither.
int64_t *step_durations(const struct split *split, const struct breakdown *parts,
                        struct arena *arena);

// Returns exactly the same lengths without computing breakdowns; also for one GPU or process.
int64_t *step_lengths(const struct profile *profile, const struct selection *selection,
                      struct arena *arena);

// Returns the time from the start of each step on the host to the start of the next, as the mean
// over the selected processes; UNKNOWN: none ran it. For the last step, and if steps do not follow
// each other directly, the time from start to end.
int64_t *step_host_periods(const struct profile *profile, const struct selection *selection,
                           struct arena *arena);

// Computes the statistics of the members with a length; `members` NULL: all.
struct step_statistics step_statistics_of(const int64_t *duration_ns, const bool *members,
                                          uint32_t count, struct arena *arena);

// Returns the statistics as a text: "median 412 ms MAD 1.9% p95 447 ms max 640 ms"; if the split
// has no steps of a program, whose lengths vary by nature, "p50 2.1 ms p90 2.4 ms p99 9.8 ms max 12
// ms".
const char *step_statistics_text(const struct step_statistics *statistics,
                                 const struct split *split, bool ascii, struct arena *arena);

// Returns how much steps usually vary: MAD as a share of the median; 0 if there is none.
static inline double step_spread(const struct step_statistics *statistics)
{
    return statistics->median_ns > 0 ? (double)statistics->mad_ns / (double)statistics->median_ns
                                     : 0;
}

// Returns true if the host's period differs from the GPU's by more than 5 %.
bool step_host_differs(int64_t gpu_ns, int64_t host_ns);

// Returns true if the distance from the median exceeds both 5 MAD and 5 % of the median.
bool step_is_outlier(const struct step_statistics *statistics, int64_t duration_ns);

// What is usual for the steps of each kind (split_kind()): a prefill takes many times a decode, so
// a step is judged against those of its own kind. Steps of a training have one kind.
struct step_norms {
    const struct split *split;
    uint32_t count; // of members with a length
    uint32_t worst; // furthest above the median of its kind, the last one of ties; ROW_NONE: none
    struct step_statistics of_kind[STEP_KIND_COUNT];
};
struct step_norms step_norms_of(const struct split *split, const int64_t *duration_ns,
                                const bool *members, struct arena *arena);

// Returns what is usual for the kind of a step.
static inline const struct step_statistics *step_norm(const struct step_norms *norms, uint32_t step)
{
    return &norms->of_kind[split_kind(norms->split, step)];
}

static inline bool step_stands_out(const struct step_norms *norms, uint32_t step,
                                   int64_t duration_ns)
{
    return step_is_outlier(step_norm(norms, step), duration_ns);
}

#endif
