// SPDX-License-Identifier: Apache-2.0
// Idle time of one cause, per step and place: the common start of detectors for host problems.
#ifndef ANALYSIS_DETECT_CAUSE_TIME_H
#define ANALYSIS_DETECT_CAUSE_TIME_H

#include "analysis/detect/host_slack.h"
#include "analysis/detect/step.h"

struct cause_time {  // over the chosen steps
    int64_t idle_ns; // with the causes that were scanned
    uint32_t waits;  // number of idle intervals
    uint32_t hit;    // windows with enough idle time to report (MIN_REPORTED_NS)
    uint32_t node;   // the place that holds most of it; ROW_NONE
};

// Sums up what scan_idle() found.
struct cause_time cause_time(const struct step *step, const struct scan *scan);

// True if it occurs in more than `part` of the steps and takes more than `share` of all time.
bool cause_time_is_frequent(const struct step *step, const struct cause_time *time, double part,
                            double share);

// Returns true if no steps are known although the detector needs them. If `ns` then exceeds `share`
// of the capture, adds a not-judged finding with `problem`, one sentence.
bool report_missing_steps(const struct step *step, struct finding_list *findings,
                          const struct detector *detector, int64_t ns, double share,
                          const char *problem);

// The same for detectors that need the beginning of a step, which parts of time do not have.
bool report_missing_step_starts(const struct step *step, struct finding_list *findings,
                                const struct detector *detector, int64_t ns, double share,
                                const char *problem);

// The evidence is the report of idle time by cause, filtered; each cause expands to its intervals.
void finding_set_idle_evidence(struct finding *finding, const char *filter);

// Adds to `slack` the time that a thread spends in [from, to) without a specific activity: neither
// waiting, loading, compiling or allocating, nor the profiler's work. Returns the length of that
// time.
int64_t slack_add_unclassified(struct host_slack *slack, uint32_t thread, int64_t from, int64_t to,
                               uint32_t group);

// Returns the string with the most time in a list of the scan, as displayable text; NULL if there
// is none.
const char *longest_name(const struct step *step, const struct scan_list *names);

// Returns the idle time with cause IDLE_HOST or IDLE_UNKNOWN.
int64_t step_host_idle_ns(const struct step *step);

#endif
