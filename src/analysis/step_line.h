// SPDX-License-Identifier: Apache-2.0
// The whole time line of a GPU, whatever iterations are selected: what step_make() cuts its windows
// from. Kept where the selection has a memo.
#ifndef ANALYSIS_STEP_LINE_H
#define ANALYSIS_STEP_LINE_H

#include "analysis/step.h"

struct step_line { // of one GPU and the work of the process selected
    size_t count;
    struct stretch *stretches; // in order, without holes, from its first work to its last
    const struct idle *idle;
    bool *launches; // of each thread: it sends work to this GPU
    bool hides_work;
};

const struct step_line *step_line_of(const struct profile *profile,
                                     const struct selection *selection, uint32_t device,
                                     struct arena *arena);

struct device_load {
    int64_t busy_ns, comm_ns; // exclusive
};

// Of every device and iteration: [device * (iterations + 1) + iteration]; the last: of none.
const struct device_load *device_loads_of(const struct profile *profile,
                                          const struct selection *selection, struct arena *arena);

#endif
