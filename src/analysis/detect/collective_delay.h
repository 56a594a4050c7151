// SPDX-License-Identifier: Apache-2.0
// Delay of communication: how long a GPU waits for the last member of a collective.
#ifndef ANALYSIS_DETECT_COLLECTIVE_DELAY_H
#define ANALYSIS_DETECT_COLLECTIVE_DELAY_H

#include "analysis/detect/scan.h"

enum { HIDE_NS = 100000 }; // other work of this length may hide communication

struct collective_delay { // of one interval of communication
    int64_t arrived;      // when the last GPU arrived: waiting before, transfer after
    // The same, but no earlier than the launch of what could hide it: until then the host is late.
    int64_t from;
    int64_t pushed; // ns at its end that kernels would hide if the last GPU had arrived in time
    // The part of the delay that is due to the last GPU's host: it launched the collective late, or
    // left its GPU idle in this step longer than the line's GPU. 0 if that GPU had more to compute.
    double by_host;
};

// Returns one entry per interval; those of exposed communication are set. Without a delay it is all
// transfer. Computed once per line.
const struct collective_delay *line_collective_delays(struct step_line *line);

// Adds requests for waiting that the other GPUs' hosts cause. They are assumed to be like this
// host: what keeps this GPU idle in a step also delays the others, in turn, and this GPU then waits
// for them in exposed communication. Without that cause nobody is late. So the waiting due to
// hosts, and the exposed time it causes, is requested in proportion to the requested part of the
// GPU's own idle time. All requests of the scan so far must be for host
// time.
void request_collective_delays(struct scan *scan);

#endif
