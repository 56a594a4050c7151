// SPDX-License-Identifier: Apache-2.0
// When GPU work was launched; and GPU work in order of its launches, to find the work launched in a
// span of host time by bisection.
#ifndef MODEL_PROFILE_LAUNCH_INDEX_H
#define MODEL_PROFILE_LAUNCH_INDEX_H

#include "model/profile/profile.h"

struct launch_order {
    size_t count;
    const int64_t *time;  // of the launch; ascending
    const uint32_t *work; // row of gpu_work
    // Prefix sums of the exclusive ns: count + 1 entries.
    const int64_t *exclusive;
};

// Work whose launch is unknown is in no order, unless no launch of the file is known: then the
// orders hold all work by its own start.
struct launch_index {
    struct launch_order all;
    struct launch_order *of_process; // process_count entries
    bool is_by_start;
};

// Finds the host time and the process that launched work: those of its call; without one, those of
// the op that the file assigns to it. Returns false if the file tells neither: the own start of
// such work says nothing about its launch.
bool work_launched(const struct profile *profile, uint32_t work, int64_t *time, uint32_t *process);

// The clock of a GPU against the host's: GPU time + skew_ns = host time.
struct device_clock {
    // By how much the host is ahead, if kernels begin before their launches; 0: they agree.
    int64_t skew_ns;
    // The shortest time from a launch to its work, skew removed; INT64_MAX: none is known. Host
    // times are no further off than that.
    int64_t quickest_ns;
};
enum { CLOCKS_AGREE_NS = 20000 }; // a kernel that begins before its launch by less proves nothing
struct device_clock device_clock_of(const struct profile *profile, const struct device *device,
                                    struct arena *scratch);

void launch_index_build(struct launch_index *index, const struct profile *profile,
                        struct arena *arena);

// Returns the launches of a process (ROW_NONE: of all).
static inline const struct launch_order *launch_order_of(const struct launch_index *index,
                                                         uint32_t process)
{
    return process == ROW_NONE ? &index->all : &index->of_process[process];
}

struct launch_span {
    size_t first, end; // indices into the order
};

// Returns the launches at or after `from` and before `to`.
struct launch_span launches_within(const struct launch_order *order, int64_t from, int64_t to);

static inline int64_t launches_exclusive(const struct launch_order *order, struct launch_span span)
{
    return order->exclusive[span.end] - order->exclusive[span.first];
}

#endif
