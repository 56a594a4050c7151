// SPDX-License-Identifier: Apache-2.0
// Finds which runs of communication kernels on several GPUs are one collective, and when its
// members arrive.
//
// The n-th runs of a function on the GPUs of a group are one collective if their ends agree on
// correct clocks. A group is a set of GPUs (a tensor parallel pair, all GPUs of data parallelism)
// for which this holds in nearly all runs. A GPU may be in several groups of the same function, on
// separate streams. A group is not used if it runs in step with another at a constant distance, as
// with clocks that differ, or sometimes ends together with another. Point to point is not a
// collective: who waits for whom there is a different question.
#ifndef ANALYSIS_IDLE_COLLECTIVES_H
#define ANALYSIS_IDLE_COLLECTIVES_H

#include "analysis/report/selection.h"

struct collective {
    uint32_t members; // GPUs that ran it
    // Every GPU of its group ran it; otherwise the capture cuts it and it is not evaluated.
    bool is_whole;
    bool agrees;          // is_whole, and its ends agree
    int64_t latest_start; // when its last member starts, ns
    uint32_t last_work;   // the work of that member
    int64_t first_end, last_end;
};

struct collectives {
    size_t count;
    const struct collective *items;
    // [work]: row of items; ROW_NONE: no collective, or not of a known group
    struct column32 of_work;
    bool has_clock_mismatch; // GPUs communicate in step, but their clocks differ
};

// Finds the collectives of the selected process over all steps and GPUs. Kept in the memo of the
// selection.
const struct collectives *collectives_of(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena);

bool work_is_communication(const struct profile *profile, uint32_t work);
// True for communication other than point to point.
bool work_is_collective(const struct profile *profile, uint32_t work);

#endif
