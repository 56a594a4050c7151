// SPDX-License-Identifier: Apache-2.0
// Who has each instant of a GPU's time: the breakdown of a window, down to single rows of work.
//
// An instant belongs to the category of breakdown_gpu that comes first of those active in it, and
// in it to the work that began first. So sums over what is visited agree with breakdown_gpu.
#ifndef ANALYSIS_INSTANTS_H
#define ANALYSIS_INSTANTS_H

#include "analysis/breakdown/breakdown_scheme.h"

struct instants_visitor {
    // In order of time, without holes: [from, to) belongs to `work`; ROW_NONE: the GPU is idle.
    void (*visit)(void *context, int64_t from, int64_t to, uint32_t work);
    void *context;
};

// Visits the window of a device: its work of the selected process. Costs a pass over the device's
// work from that on which may last until the window (device.longest_ns) to its end, and a sort of none.
void instants_visit(const struct profile *profile, const struct selection *selection,
                    uint32_t device, struct window window, const struct instants_visitor *visitor,
                    struct arena *scratch);

#endif
