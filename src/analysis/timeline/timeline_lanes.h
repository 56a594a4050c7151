// SPDX-License-Identifier: Apache-2.0
// Shared by timeline.c, which builds lanes, and lane_cells.c, which queries them.
#ifndef ANALYSIS_TIMELINE_TIMELINE_LANES_H
#define ANALYSIS_TIMELINE_TIMELINE_LANES_H

#include "analysis/timeline/timeline.h"

enum { LANE_BLOCK = 8 }; // number of items per block of sums

// Sets the rows of a lane, which must ascend. The result is in `arena`.
void lane_set_rows(struct lane *lane, const uint32_t *rows, uint32_t count, struct arena *arena,
                   struct arena *scratch);

// Live memory of each GPU, from the rows of profile.memory or profile.allocations that change it
// (timeline_memory.c).
struct memory_lanes {
    uint32_t *first, *rows; // rows of device d: rows[first[d] .. first[d + 1]); in scratch
    struct column64 start;  // column of the profile
    struct column64 until;  // [row] start of the next row of the device
    int64_t *level;         // [row] live bytes from its start on
};
struct memory_lanes memory_lanes_make(const struct profile *profile, struct arena *arena,
                                      struct arena *scratch);
struct memory_lanes tensor_lanes_make(const struct profile *profile, struct arena *arena,
                                      struct arena *scratch);
// Returns false if the memory of this GPU never changes.
bool memory_lane_fill(const struct memory_lanes *lanes, uint32_t device, struct lane *lane,
                      struct arena *arena, struct arena *scratch);

// Fill the lanes of the kernels on lane->device and of their efficiency (timeline_shares.c). Return
// false if there are no such kernels.
bool utilization_lane_fill(const struct profile *profile, struct lane *lane, struct arena *arena,
                           struct arena *scratch);
bool efficiency_lane_fill(const struct profile *profile, struct lane *lane, struct arena *arena,
                          struct arena *scratch);
// Returns the length of [from, to) times the weight of the item; 0 if to <= from.
static inline uint64_t lane_weighted_ns(const struct lane *lane, uint32_t item, int64_t from,
                                        int64_t to)
{
    uint64_t ns = to > from ? (uint64_t)to - (uint64_t)from : 0;
    return ns * (lane_is_share(lane) ? lane_weight(lane, item) : 1);
}
// Sums of shares may wrap around after hours; the difference of two sums is still correct.
static inline int64_t lane_sum_add(int64_t sum, uint64_t weighed)
{
    return (int64_t)((uint64_t)sum + weighed);
}
static inline int64_t lane_sum_between(int64_t before, int64_t after)
{
    return (int64_t)((uint64_t)after - (uint64_t)before);
}
// Returns the mean share in [from, to), given the difference of the sums at its ends.
static inline double lane_mean(int64_t sum, int64_t from, int64_t to)
{
    double mean = to > from ? (double)(uint64_t)sum / LANE_FULL / (double)(to - from) : 0;
    return mean < 1 ? mean : 1;
}

// Returns a zeroed table with an entry per possible key of a lane; lane_count_names() leaves it
// zeroed.
uint32_t *lane_counts(const struct profile *profile, struct arena *arena);
void lane_count_names(const struct profile *profile, struct lane *lane, uint32_t *counts,
                      struct arena *arena);

// Return the visible part [from, to) of an item; empty if to <= from.
int64_t lane_visible_from(const struct lane *lane, uint32_t item);
int64_t lane_visible_to(const struct lane *lane, uint32_t item);

#endif
