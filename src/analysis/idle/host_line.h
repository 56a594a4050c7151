// SPDX-License-Identifier: Apache-2.0
// The activity of each thread that launches GPU work, at each instant: the host's side of idle
// time.
//
// There is one activity line per launching thread, cut into intervals with one activity each. If
// several are in progress, the first in the order of enum host_activity wins. A line is made in one
// sweep, however the rows nest or overlap. idle.h uses it to explain why a GPU has no work.
#ifndef ANALYSIS_IDLE_HOST_LINE_H
#define ANALYSIS_IDLE_HOST_LINE_H

#include <stdbool.h>

#include "analysis/idle/host_activity.h"
#include "analysis/report/selection.h"

enum evidence_kind { // the table that a row of evidence is in
    EVIDENCE_NONE,
    EVIDENCE_API,      // profile.api
    EVIDENCE_RANGE,    // profile.ranges
    EVIDENCE_OSRT,     // profile.osrt
    EVIDENCE_OVERHEAD, // profile.overheads
    EVIDENCE_WORK,     // profile.work
};

struct host_interval {
    int64_t at;       // start; the interval ends where the next begins
    uint32_t row;     // the evidence, in the table that `kind` names
    uint8_t activity; // enum host_activity
    uint8_t kind;     // enum evidence_kind
};

// A call that makes its thread wait for the GPU or keeps it from launching. If the queue runs dry
// during the call, the idle time that follows is attributed to it, for at most the duration of the
// call, but for what the thread then spends in a data loader.
struct host_wait {
    int64_t start, end;
    uint32_t call;    // row of api
    uint8_t activity; // HOST_COMPILE, HOST_ALLOCATOR, HOST_SYNC or HOST_COPY
};

struct host_line {
    size_t count;
    struct host_interval *intervals; // the last is HOST_NOTHING
    size_t wait_count;
    struct host_wait *waits; // by start, disjoint
};

// Returns one line per thread; lines of threads without launches are empty. Needs STAGE_READY.
struct host_line *host_lines(const struct profile *profile, struct arena *arena);
// The same, stored in the memo of the selection.
const struct host_line *host_lines_of(const struct profile *profile,
                                      const struct selection *selection, struct arena *arena);

// Returns the interval that contains `time`, or SIZE_MAX if `time` is before all intervals. `from`
// is a hint: an interval that begins no later.
size_t host_line_at(const struct host_line *line, size_t from, int64_t time);
// Returns the wait that the thread is in at `time`, or NULL. Allows for clocks that differ by 1 us.
const struct host_wait *host_line_wait(const struct host_line *line, int64_t time);

// True if graphs are launched whose work is not in the file: apparent idle time may not be idle.
bool host_has_untraced_graphs(const struct profile *profile, struct arena *scratch);

#endif
