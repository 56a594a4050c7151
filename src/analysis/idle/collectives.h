// SPDX-License-Identifier: Apache-2.0
// Which runs of communication kernels on several GPUs are one collective, and when its members came.
//
// Of a function the n-th runs on GPUs that form a group are one, where their ends agree on clocks that
// are right: groups are the GPUs (tensor parallel pairs, data parallel all of them) of which that holds
// for nearly all runs. A GPU may be in several by the same function, on streams of their own. Nothing is
// told of groups that run in step with others at a constant distance, as by clocks that differ, or that
// end with others at times. Point to point is no collective: there who waits for whom is another
// question.
#ifndef ANALYSIS_COLLECTIVES_H
#define ANALYSIS_COLLECTIVES_H

#include "analysis/report/selection.h"

struct collective {
    uint32_t members;     // GPUs that ran it
    bool is_whole;        // all of its group did: else the capture cuts it, and it says nothing
    bool agrees;          // and its ends do
    int64_t latest_start; // when its last member came, ns
    uint32_t last_work;   // ... with this
    int64_t first_end, last_end;
};

struct collectives {
    size_t count;
    const struct collective *items;
    struct column32 of_work; // by work: row of items; ROW_NONE: no collective, or of no group
    bool has_unaligned;      // GPUs communicate in step, and their clocks differ
};

// Of the process that is selected, all steps and GPUs. Kept where the selection has a memo.
const struct collectives *collectives_of(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena);

bool work_is_communication(const struct profile *profile, uint32_t work);
// Not point to point.
bool work_is_collective(const struct profile *profile, uint32_t work);

#endif
