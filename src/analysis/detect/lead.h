// SPDX-License-Identifier: Apache-2.0
// What the GPU would gain if the host did not spend some of its time.
//
// Without D ns of the host's time every later launch comes D earlier. That shortens the idle time
// from then on by D in all, no more, wherever the GPU next waits for a launch; until the host waits
// for the GPU and is as far as that, whatever it did before. What the GPU had queued meanwhile is so
// left out by itself: that time it was not idle.
//
// Of step_line.h's time line, while detectors look at it.
#ifndef ANALYSIS_LEAD_H
#define ANALYSIS_LEAD_H

#include "analysis/detect/scan.h"

struct lead_span { // of the host's clock
    int64_t from, to;
    uint32_t group; // the asker's own number
};

struct lead {
    struct scan *scan;
    bool is_waiting; // what is spent are waits for the GPU
    size_t count, capacity;
    struct lead_span *spans;
};

// The host's line of a thread whose launches keep the GPU busy, NULL for others: what a thread
// beside does keeps no launch waiting.
const struct host_line *lead_line(struct step_line *line, uint32_t thread);

// Adds time that the host would not spend, of a thread that has a lead_line(). Any order.
void lead_spend(struct lead *lead, int64_t from, int64_t to, uint32_t group);
// Adds all stretches of a thread's line that are of this activity and begin in [from, to).
void lead_spend_activity(struct lead *lead, enum host_activity activity, int64_t from, int64_t to,
                         uint32_t group);

// Adds to a sum of the scan how much of what was spent lies in each window. Puts the spans in order.
void lead_spent(struct lead *lead, unsigned sum);

// Wants the idle time that goes away without what was spent, scan_want() with the same groups, and
// what hosts so make each other wait, want_holds(). Then nothing is spent any more.
void lead_want(struct lead *lead);

#endif
