// SPDX-License-Identifier: Apache-2.0
// How much idle time of a GPU would disappear if the host did not spend certain time (slack).
//
// Without D ns of host time every later launch comes D earlier. This shortens later idle time by D
// in total, wherever the GPU next waits for a launch, until the host waits for the GPU and is no
// longer ahead. While the GPU has queued work it is not idle, so no idle time is shortened then.
//
// Usable only while detectors scan a line (step_line.h).
#ifndef ANALYSIS_DETECT_HOST_SLACK_H
#define ANALYSIS_DETECT_HOST_SLACK_H

#include "analysis/detect/scan.h"

struct slack_span { // host clock
    int64_t from, to;
    uint32_t group; // number chosen by the detector
};

struct host_slack {
    struct scan *scan;
    bool is_waiting; // the spans are waits for the GPU
    size_t count, capacity;
    struct slack_span *spans;
};

// Returns the host line of a thread if it drives the GPU (has a notable share of its launches),
// else NULL: then its time delays no launch.
const struct host_line *driving_line(struct step_line *line, uint32_t thread);

// Adds time that the host would save, on a thread that has a driving_line(). In any order.
void slack_add(struct host_slack *slack, int64_t from, int64_t to, uint32_t group);
// Adds all intervals of this activity that begin in [from, to), over all threads that drive the
// GPU.
void slack_add_activity(struct host_slack *slack, enum host_activity activity, int64_t from,
                        int64_t to, uint32_t group);

// Adds to a sum of the scan how much of the spans is inside each window. Sorts the spans.
void slack_sum(struct host_slack *slack, unsigned sum);

// Requests, in the same groups, the idle time that would disappear without the spans, including
// time in which hosts wait for each other (request_collective_delays()). Clears the spans.
void slack_request(struct host_slack *slack);

#endif
