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
//
// Where no group is found, all GPUs that run the function are one if their ends keep their distance
// as far as their durations need it: ends of a run of 800 ms may differ by 25 ms, and clocks may
// differ and drift. No start is compared then: all members leave a collective together, so the
// shortest run is that of the last member, and bounds the transfer; what is longer is waiting.
#ifndef ANALYSIS_IDLE_COLLECTIVES_H
#define ANALYSIS_IDLE_COLLECTIVES_H

#include "analysis/report/selection.h"

struct collective {
    uint32_t members; // GPUs that ran it
    // Every GPU of its group ran it; otherwise the capture cuts it and it is not evaluated.
    bool is_whole;
    bool agrees;          // is_whole, and its ends agree, as far as it is told by them
    bool by_durations;    // the clocks of its members cannot be compared
    int64_t latest_start; // when its last member starts, ns, on that member's clock
    uint32_t last_work;   // the work of that member
    int64_t first_end, last_end, shortest_ns;
};

// Returns when the last member of a collective starts, on the clock of the member that ends at
// `end`, but no later than that.
static inline int64_t collective_arrival(int64_t latest_start, int64_t shortest_ns,
                                         bool by_durations, int64_t end)
{
    int64_t arrival = latest_start;
    if (by_durations && __builtin_sub_overflow(end, shortest_ns, &arrival))
        arrival = INT64_MIN;
    return arrival < end ? arrival : end;
}

struct collectives {
    size_t count;
    const struct collective *items;
    // [work]: row of items; ROW_NONE: no collective, or not of a known group
    struct column32 of_work;
    bool has_clock_mismatch; // GPUs communicate in step, but their clocks differ too much
};

// Finds the collectives of the selected process over all steps and GPUs. Kept in the memo of the
// selection.
const struct collectives *collectives_of(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena);

bool work_is_communication(const struct profile *profile, uint32_t work);
// True for communication other than point to point.
bool work_is_collective(const struct profile *profile, uint32_t work);

#endif
