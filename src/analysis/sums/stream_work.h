// SPDX-License-Identifier: Apache-2.0
// GPU work on each stream, from partial sums per step.
#ifndef ANALYSIS_SUMS_STREAM_WORK_H
#define ANALYSIS_SUMS_STREAM_WORK_H

#include "analysis/report/selection.h"

struct stream_work {                 // of the selected work of a stream
    int64_t kernels, copies, graphs; // counts; memsets count as copies
    int64_t ns[CLASS_COUNT];         // sums of durations
};

static inline bool stream_is_used(const struct stream_work *work)
{
    return work->kernels + work->copies + work->graphs > 0;
}

// Returns one entry per stream of the profile.
struct stream_work *stream_work_of(const struct profile *profile, const struct selection *selection,
                                   struct arena *arena);

#endif
