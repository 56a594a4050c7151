// SPDX-License-Identifier: Apache-2.0
// GPU work in the order of its launches, so that "what is launched in this stretch of the host's
// time" costs O(log n) however many stretches there are.
#ifndef MODEL_LAUNCH_INDEX_H
#define MODEL_LAUNCH_INDEX_H

#include "model/profile/profile.h"

struct launch_order {
    size_t count;
    const int64_t *time;      // of the launch, or of the work where it has no launch row; ascending
    const uint32_t *work;     // row of gpu_work
    const int64_t *exclusive; // ns of all before: count + 1 entries
};

struct launch_index {
    struct launch_order all;
    struct launch_order *of_process; // process_count entries
};

// Host time of the launch of work; of work without a launch row its own start.
int64_t work_launch_time(const struct profile *profile, uint32_t work);

void launch_index_build(struct launch_index *index, const struct profile *profile,
                        struct arena *arena);

// The launches of a process (ROW_NONE: of all).
static inline const struct launch_order *launch_order_of(const struct launch_index *index,
                                                         uint32_t process)
{
    return process == ROW_NONE ? &index->all : &index->of_process[process];
}

struct launch_span {
    size_t first, end; // of the order
};

// Launches at or after `from` and before `to`.
struct launch_span launches_within(const struct launch_order *order, int64_t from, int64_t to);

static inline int64_t launches_exclusive(const struct launch_order *order, struct launch_span span)
{
    return order->exclusive[span.end] - order->exclusive[span.first];
}

#endif
