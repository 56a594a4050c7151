// SPDX-License-Identifier: Apache-2.0
// Ops that a file itself records (DLProf databases), before the model derives ops from them.
#ifndef MODEL_PROFILE_RECORDED_OPS_H
#define MODEL_PROFILE_RECORDED_OPS_H

#include "model/profile/profile.h"

struct op;

struct recorded_instance {
    int64_t start, end; // host times, ns
    uint32_t op, thread;
    uint32_t marker; // row of markers with its arguments, or ROW_NONE
    uint32_t range;  // the range that it is, or ROW_NONE
};

struct recorded_ops {
    uint32_t op_count, instance_count;
    struct op *ops; // complete except for their instances
    struct recorded_instance *instances;
    uint32_t marker_count; // profile.markers[0 .. marker_count) are recorded as well
};

static inline bool thread_has_recorded_ops(const struct profile *profile, uint32_t thread)
{
    uint32_t process = profile->threads[thread].process;
    return profile->sources[profile->processes[process].source].has_recorded_ops;
}

#endif
