// SPDX-License-Identifier: Apache-2.0
// Communication that the GPU which comes last holds up on those that wait for it (meetings.h).
#ifndef ANALYSIS_HOLD_H
#define ANALYSIS_HOLD_H

#include "analysis/step_line.h"

struct hold {        // of a stretch of communication
    int64_t arrived; // from there on it is transfer; before, it waits for the last GPU
    int64_t pushed;  // ns of its end that would be hidden behind kernels had that GPU come in time
    // The part of that GPU's being late that is its host's: it launched the collective late, or left
    // the GPU idle in this step, longer than the line's GPU is. 0 where it had more to compute.
    double by_host;
};

// By stretch; where nothing is held up, and of stretches of other work, it is transfer from the
// beginning. Found once for a line.
const struct hold *line_holds(struct step_line *line);

#endif
