// SPDX-License-Identifier: Apache-2.0
// Merges several files into one profile: the ranks of a job, each with a file of its own.
//
// A loader reads each file as a part (load_request.part_of): its tables, without anything derived
// from them. The merge concatenates the tables in the order of the parts and maps the row numbers
// in them. A process that continues in a later part becomes one process, and so do its threads,
// GPUs and streams; the rows of such a thread are moved together. Links, ops and the tree are then
// made from the whole, as for one file with several processes.
#ifndef MODEL_OPEN_MERGE_H
#define MODEL_OPEN_MERGE_H

#include "base/error.h"
#include "model/profile/profile.h"

// Converts a part's times to the clock of the first part, which is also the clock of the merged
// profile: time + offset + drift * (time - at), in ns.
struct part_clock {
    int64_t offset, at;
    double drift;
};

struct part {
    const struct profile *profile; // with one source
    struct part_clock clock;
    // The first part of the same process, which this one continues, + 1; 0: none.
    uint32_t continues;
};

int64_t part_time(const struct part_clock *clock, int64_t time); // UNKNOWN stays UNKNOWN

// Fills `merged`, which must be empty, inside arena_run() of its arena. Returns false when there
// are too many rows. Two parts have the same GPU if both recorded the same UUID or, without UUIDs,
// the same host and place on the bus.
bool profile_merge(struct profile *merged, const struct part *parts, uint32_t count,
                   struct error *error);

#endif
