// SPDX-License-Identifier: Apache-2.0
#include "analysis/gpu_windows.h"

bool gpu_counts(const struct profile *profile, const struct selection *selection, uint32_t device)
{
    return (selection->device == ROW_NONE || selection->device == device) &&
           breakdown_gpu_rules.counts(profile, selection, device);
}

void gpu_windows(const struct profile *profile, const struct selection *selection, uint32_t device,
                 void (*add)(void *context, uint32_t iteration, struct window window),
                 void *context)
{
    if (!selection->iterations) {
        struct window all = breakdown_gpu_rules.window(profile, selection, device, ROW_NONE);
        if (all.to > all.from) {
            add(context, ROW_NONE, all);
            return;
        }
    }
    for (uint32_t i = 0; i < selection->split->count; i++) {
        if (!selection_has_iteration(selection, i))
            continue;
        struct window one = breakdown_gpu_rules.window(profile, selection, device, i);
        if (one.to > one.from)
            add(context, i, one);
    }
}
