// SPDX-License-Identifier: Apache-2.0
// Finds the piece of work that each instant of a GPU's time counts for: like breakdown_gpu, but by
// pieces of work instead of categories.
//
// An instant belongs to the first category of breakdown_gpu that is active and, within it, to the
// work that began first. Sums over the visited intervals agree with breakdown_gpu.
#ifndef ANALYSIS_BREAKDOWN_INSTANTS_H
#define ANALYSIS_BREAKDOWN_INSTANTS_H

#include "analysis/breakdown/breakdown_scheme.h"

struct instants_visitor {
    // Called for consecutive intervals in order of time: [from, to) belongs to `work`; ROW_NONE:
    // the GPU is idle.
    void (*visit)(void *context, int64_t from, int64_t to, uint32_t work);
    void *context;
};

// Visits a window of a device with the work of the selected processes. The cost is a pass over the
// device's work from the first row that may extend into the window (device.longest_ns) to the
// window's end, without sorting.
void instants_visit(const struct profile *profile, const struct selection *selection,
                    uint32_t device, struct window window, const struct instants_visitor *visitor,
                    struct arena *scratch);

#endif
