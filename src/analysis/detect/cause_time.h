// SPDX-License-Identifier: Apache-2.0
// Idle time of one cause, by step and by place: what detectors of the host's problems begin with.
#ifndef ANALYSIS_CAUSE_TIME_H
#define ANALYSIS_CAUSE_TIME_H

#include "analysis/detect/lead.h"
#include "analysis/detect/step.h"

struct cause_time {  // of the steps chosen
    int64_t idle_ns; // of the causes that the scan has
    uint32_t waits;  // stretches of it
    uint32_t hit;    // windows with so much of it that it is worth speaking of
    uint32_t node;   // the place that holds it, or ROW_NONE
};

// Of what scan_idle() found.
struct cause_time cause_time(const struct step *step, const struct scan *scan);

// Whether it is in more than `part` of the steps and more than `share` of all time.
bool cause_time_recurs(const struct step *step, const struct cause_time *time, double part,
                       double share);

// Whether no steps are found where they are needed: then above that share of the capture `ns` is not
// judged, for `problem`, one sentence.
bool cause_lacks_steps(const struct step *step, struct finding_list *findings,
                       const struct detector *detector, int64_t ns, double share,
                       const char *problem);

// The same where it is needed what a step begins with: of parts of time nothing tells that.
bool cause_lacks_turns(const struct step *step, struct finding_list *findings,
                       const struct detector *detector, int64_t ns, double share,
                       const char *problem);

// The proof is idle time by cause, filtered: there the figure stands, and below each cause its
// stretches.
void finding_prove_idle(struct finding *finding, const char *filter);

// Adds to the lead what a thread spends in [from, to) with nothing that has a name of its own: no
// waiting, loading, compiling, allocating, nor the profiler's work. Returns how much that is.
int64_t lead_spend_plain(struct lead *lead, uint32_t thread, int64_t from, int64_t to,
                         uint32_t group);

// The string with most time in a list of the scan, as text for a screen; NULL: none has any.
const char *cause_name(const struct step *step, const struct scan_list *names);

// Idle time for which the host, or nothing that is known, is the reason.
int64_t step_waits_for_host(const struct step *step);

#endif
