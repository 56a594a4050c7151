// SPDX-License-Identifier: Apache-2.0
// Delay of communication: how long a GPU waits for the last member of a collective.
#ifndef ANALYSIS_DETECT_COLLECTIVE_DELAY_H
#define ANALYSIS_DETECT_COLLECTIVE_DELAY_H

#include "analysis/detect/scan.h"

// Other work of at least this length may hide communication.
enum { HIDE_NS = 100000 };

struct collective_delay { // of one interval of communication
    // when the last GPU started the collective; the time before is waiting, after it transfer
    int64_t arrived;
    // the same, but no earlier than the launch of work that could hide the transfer: until then the
    // host is late
    int64_t from;
    int64_t pushed; // ns at its end that kernels would hide if the last GPU had arrived in time
    // The part of the delay that is due to the last GPU's host: it launched the collective late, or
    // left its GPU idle in this step longer than the line's GPU. 0 if that GPU had more to compute.
    double by_host;
};

// Returns one entry per interval, set for exposed communication. Without a delay `arrived` is the
// start of the interval. Computed once per line.
const struct collective_delay *line_collective_delays(struct step_line *line);

// Adds requests for waiting that the other GPUs' hosts cause. These hosts are assumed to be like
// this one: what keeps this GPU idle in some step also keeps the others  idle at other times, and
// then this GPU waits for them in exposed communication. Without that cause no host is late. So the
// waiting due to hosts, and the exposed time it causes, is requested in proportion to the requested
// part of this GPU's idle time. All requests of the scan so far must be for host time.
void request_collective_delays(struct scan *scan);

#endif
