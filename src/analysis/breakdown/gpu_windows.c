// SPDX-License-Identifier: Apache-2.0
// Windows of a GPU, see gpu_windows.h.
#include "analysis/breakdown/gpu_windows.h"

#include "base/sums.h"
#include "base/text/format.h"

bool gpu_counts(const struct profile *profile, const struct selection *selection, uint32_t device)
{
    return (selection->device == ROW_NONE || selection->device == device) &&
           breakdown_gpu_rules.counts(profile, selection, device);
}

bool gpu_work_is_outside_steps(const struct selection *selection, uint32_t device)
{
    const struct split *split = selection->split;
    if (split->method == SPLIT_NONE || !split->gpu_start)
        return false;
    for (uint32_t i = 0; i < split->count; i++)
        if (split->gpu_start[(size_t)device * split->count + i] != UNKNOWN)
            return false;
    return true;
}

const char *gpu_outside_steps_text(const struct profile *profile, const struct selection *selection,
                                   bool ascii, struct arena *arena)
{
    const struct breakdown *gpus = breakdown_devices(profile, selection, &breakdown_gpu, arena);
    int64_t busy_ns = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (!gpu_counts(profile, selection, d))
            continue;
        if (!gpu_work_is_outside_steps(selection, d))
            return NULL;
        busy_ns = add_saturating(busy_ns, breakdown_busy_ns(&gpus[d]));
    }
    char time[FORMAT_SIZE];
    return busy_ns == 0 ? NULL
                        : arena_format(arena, "no GPU work in the %s; %s outside of them",
                                       split_words_of(selection->split)->several,
                                       format_duration(time, busy_ns, ascii));
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
