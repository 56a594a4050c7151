// SPDX-License-Identifier: Apache-2.0
// What timeline.c, which makes lanes, and lane_cells.c, which looks at them, share.
#ifndef ANALYSIS_TIMELINE_LANES_H
#define ANALYSIS_TIMELINE_LANES_H

#include "analysis/timeline/timeline.h"

enum { LANE_BLOCK = 8 }; // items from sum to sum

// The items of a lane are these rows, which ascend; `scratch` is needed on the way.
void lane_set_rows(struct lane *lane, const uint32_t *rows, uint32_t count, struct arena *arena,
                   struct arena *scratch);

// What is live on each GPU, of the rows of profile.memory, or of profile.allocations, that change it
// (timeline_memory.c).
struct memory_lanes {
    uint32_t *first, *rows; // of a device: rows[first[d] .. first[d + 1]), in scratch
    struct column64 start;  // of the profile
    struct column64 until;  // by row
    int64_t *level;         // ...
};
struct memory_lanes memory_lanes_make(const struct profile *profile, struct arena *arena,
                                      struct arena *scratch);
struct memory_lanes tensor_lanes_make(const struct profile *profile, struct arena *arena,
                                      struct arena *scratch);
// False: nothing changes on this GPU.
bool memory_lane_fill(const struct memory_lanes *lanes, uint32_t device, struct lane *lane,
                      struct arena *arena, struct arena *scratch);

// Which kernels run on lane->device, and how full they make it (timeline_shares.c). False: none does, or of
// none it is known.
bool utilization_lane_fill(const struct profile *profile, struct lane *lane, struct arena *arena,
                           struct arena *scratch);
bool efficiency_lane_fill(const struct profile *profile, struct lane *lane, struct arena *arena,
                          struct arena *scratch);
// What [from, to) of an item counts; nothing where to <= from.
static inline uint64_t lane_weighed(const struct lane *lane, uint32_t item, int64_t from,
                                    int64_t to)
{
    uint64_t ns = to > from ? (uint64_t)to - (uint64_t)from : 0;
    return ns * (lane_is_share(lane) ? lane_weight(lane, item) : 1);
}
// Sums of shares may run over, in hours; the difference of two is right.
static inline int64_t lane_sum_add(int64_t sum, uint64_t weighed)
{
    return (int64_t)((uint64_t)sum + weighed);
}
static inline int64_t lane_sum_between(int64_t before, int64_t after)
{
    return (int64_t)((uint64_t)after - (uint64_t)before);
}
// Of such a difference.
static inline double lane_mean(int64_t sum, int64_t from, int64_t to)
{
    double mean = to > from ? (double)(uint64_t)sum / LANE_FULL / (double)(to - from) : 0;
    return mean < 1 ? mean : 1;
}

// Zeroes, as many as there can be keys of a lane: lane_count_names() leaves them so.
uint32_t *lane_counts(const struct profile *profile, struct arena *arena);
void lane_count_names(const struct profile *profile, struct lane *lane, uint32_t *counts,
                      struct arena *arena);

// Where an item is seen: [from, to), nothing where to <= from.
int64_t lane_seen_from(const struct lane *lane, uint32_t item);
int64_t lane_seen_to(const struct lane *lane, uint32_t item);

#endif
