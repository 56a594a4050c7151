// SPDX-License-Identifier: Apache-2.0
// Several files as one profile: ranks of a job, each with a file of its own.
//
// A loader reads each file as a part (load_request.part_of): its tables, and nothing that follows from
// them. Here the tables are laid behind each other, in the order of the parts; what names a row of
// another table names it there. A process that goes on in a later part is one, and so are its threads, GPUs
// and streams; rows of such a thread lie together. Links, ops and the tree are then made of the whole, as of one file with
// several processes.
#ifndef MODEL_MERGE_H
#define MODEL_MERGE_H

#include "base/error.h"
#include "model/profile/profile.h"

// How a part's times become those of the merged profile, which has the clock of the first part:
// time + offset + drift * (time - at), ns.
struct part_clock {
    int64_t offset, at;
    double drift;
};

struct part {
    const struct profile *profile; // of one source
    struct part_clock clock;
    uint32_t
        continues; // the first part of the same process, which this one goes on with later, + 1; 0: none
};

int64_t part_time(const struct part_clock *clock, int64_t time); // UNKNOWN stays

// Fills `merged`, which is new, inside arena_run() of its arena. False: more rows than fit. What nsys
// says of a GPU settles whether two parts speak of the same one: host, and UUID or place on the bus.
bool profile_merge(struct profile *merged, const struct part *parts, uint32_t count,
                   struct error *error);

#endif
