// SPDX-License-Identifier: Apache-2.0
// Communication that the GPU which comes last holds up on those that wait for it (meetings.h).
#ifndef ANALYSIS_HOLD_H
#define ANALYSIS_HOLD_H

#include "analysis/detect/scan.h"

enum { HIDE_NS = 100000 }; // other work as long as this may hide communication

struct hold {        // of a stretch of communication
    int64_t arrived; // from there on it is transfer; before, it waits for the last GPU
    int64_t from;    // the same, after what could hide it was launched: until then the host is late
    int64_t pushed;  // ns of its end that would be hidden behind kernels had that GPU come in time
    // The part of that GPU's being late that is its host's: it launched the collective late, or left
    // the GPU idle in this step, longer than the line's GPU is. 0 where it had more to compute.
    double by_host;
};

// By stretch, of those of communication alone; where nothing is held up it is transfer from the
// beginning. Found once for a line.
const struct hold *line_holds(struct step_line *line);

// The other GPUs' hosts are as this one: what keeps this GPU idle in a step makes them late in it as
// well, now one and now the other, and this GPU waits for them with nothing beside. Without it nobody
// is late: of what it waits for hosts, and what that pushes out from behind the kernels, as much is
// wanted as of its own idle time.
// Adds it to what the scan wants by now, all of the host.
void want_holds(struct scan *scan);

#endif
