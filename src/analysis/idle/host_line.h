// SPDX-License-Identifier: Apache-2.0
// What each thread that launches GPU work does at each instant: the host's side of idle time.
//
// One time line per launching thread, cut into stretches that each have one activity, the first in
// the order of enum host_activity where several are going on. Made in one sweep, whatever nests or
// overlaps in the file. idle.h asks it why a GPU had nothing to do.
#ifndef ANALYSIS_HOST_LINE_H
#define ANALYSIS_HOST_LINE_H

#include <stdbool.h>

#include "analysis/idle/host_words.h"
#include "analysis/report/selection.h"

enum evidence_kind { // which table a row of evidence is of
    EVIDENCE_NONE,
    EVIDENCE_API,      // profile.api
    EVIDENCE_RANGE,    // profile.ranges
    EVIDENCE_OSRT,     // profile.osrt
    EVIDENCE_OVERHEAD, // profile.overheads
    EVIDENCE_WORK,     // profile.work
};

struct host_stretch {
    int64_t at;       // where it begins; it reaches to the next
    uint32_t row;     // what shows it, of the table that `kind` names
    uint8_t activity; // enum host_activity
    uint8_t kind;     // enum evidence_kind
};

// A call that lets its thread wait for the GPU, or keeps it from launching: when the queue ran dry
// in it, what follows is its fault for as long as the thread stood in it.
struct host_wait {
    int64_t start, end;
    uint32_t call;    // row of api
    uint8_t activity; // HOST_COMPILE, HOST_ALLOCATOR, HOST_SYNC or HOST_COPY
};

struct host_line {
    size_t count;
    struct host_stretch *stretches; // the last is HOST_NOTHING
    size_t wait_count;
    struct host_wait *waits; // by start, apart from each other
};

// One per thread of the profile; empty for threads that launch nothing. Needs STAGE_READY.
struct host_line *host_lines(const struct profile *profile, struct arena *arena);
// The same, kept where the selection has a memo.
const struct host_line *host_lines_of(const struct profile *profile,
                                      const struct selection *selection, struct arena *arena);

// The stretch that holds `time`, or SIZE_MAX: it is before all. `from`: one that begins no later.
size_t host_line_at(const struct host_line *line, size_t from, int64_t time);
// The wait in which the thread was at `time`, or NULL. The clocks agree to about 1 us.
const struct host_wait *host_line_wait(const struct host_line *line, int64_t time);

// Whether graphs are launched of which the file holds nothing: what seems idle may not be.
bool host_hides_graphs(const struct profile *profile, struct arena *scratch);

#endif
