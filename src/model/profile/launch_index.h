// SPDX-License-Identifier: Apache-2.0
// GPU work in order of its launches, to find the work launched in a span of host time by bisection.
#ifndef MODEL_PROFILE_LAUNCH_INDEX_H
#define MODEL_PROFILE_LAUNCH_INDEX_H

#include "model/profile/profile.h"

struct launch_order {
    size_t count;
    const int64_t *time;  // of the launch, or start of the work if it has no launch row; ascending
    const uint32_t *work; // row of gpu_work
    // Prefix sums of the exclusive ns: count + 1 entries.
    const int64_t *exclusive;
};

struct launch_index {
    struct launch_order all;
    struct launch_order *of_process; // process_count entries
};

// Returns the host time at which work was launched, or its own start if it has no launch row.
int64_t work_launch_time(const struct profile *profile, uint32_t work);

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
