// SPDX-License-Identifier: Apache-2.0
// The scheme of the summary: what each GPU does, on its own clock.
#include "analysis/breakdown/breakdown_scheme.h"

static const struct breakdown_category categories[GPU_CATEGORIES] = {
    [GPU_TENSOR_CORE] = {"tensor_core", "Tensor Core",
                         "Compute kernels that use Tensor Cores, by their full names", '#'},
    [GPU_OTHER_KERNELS] = {"other_kernels", "other kernels",
                           "Other compute kernels, also those whose names do not tell, while none "
                           "with Tensor Cores runs",
                           '%'},
    [GPU_COMMUNICATION] = {"communication", "comm exposed",
                           "Communication while no compute kernel runs", '='},
    [GPU_COPIES] = {"copies", "copies exposed",
                    "Copies and memsets while neither computing nor communicating", '-'},
    [GPU_GRAPH] = {"graph", "graph (opaque)",
                   "CUDA graphs traced as a whole: what runs inside is not told", 'G'},
    [GPU_IDLE] = {"idle", "idle", "Nothing runs on the GPU", '.'},
};

const struct breakdown_scheme breakdown_gpu = {
    .name = "gpu",
    .doc = "What the GPU does by its own clock, from the wait for the first iteration: mean over "
           "the GPUs that ran anything. An instant belongs to the first category that is active in "
           "it.",
    .count = GPU_CATEGORIES,
    .categories = categories,
};

size_t gpu_category(const struct function *function)
{
    switch (function->class) {
    case CLASS_COMM:
        return GPU_COMMUNICATION;
    case CLASS_COPY:
        return GPU_COPIES;
    case CLASS_GRAPH:
        return GPU_GRAPH;
    default:
        return function->tensor_core == STATE_YES ? GPU_TENSOR_CORE : GPU_OTHER_KERNELS;
    }
}

static bool gpu_counts(const struct profile *profile, const struct selection *selection,
                       uint32_t device)
{
    if (device == ROW_NONE)
        return false;
    const struct device *d = &profile->devices[device];
    for (uint32_t w = d->first_work; w < d->end_work; w++)
        if (work_in_scope(profile, selection, w))
            return true;
    return false;
}

static struct cover gpu_cover(const struct profile *profile, const struct selection *selection,
                              uint32_t device, const void *shared, struct arena *arena)
{
    (void)shared;
    const struct device *d = &profile->devices[device];
    size_t count[GPU_IDLE] = {0};
    for (uint32_t w = d->first_work; w < d->end_work; w++)
        count[gpu_category(&profile->functions[AT(profile->work.function, w)])]++;
    uint32_t *rows[GPU_IDLE];
    for (size_t c = 0; c < GPU_IDLE; c++) {
        rows[c] = ARENA_ARRAY(arena, uint32_t, count[c] + 1);
        count[c] = 0;
    }
    for (uint32_t w = d->first_work; w < d->end_work; w++) {
        if (!work_in_scope(profile, selection, w))
            continue;
        size_t c = gpu_category(&profile->functions[AT(profile->work.function, w)]);
        rows[c][count[c]++] = w;
    }
    struct cover_source sources[GPU_IDLE];
    for (size_t c = 0; c < GPU_IDLE; c++)
        sources[c] = (struct cover_source){.count = count[c],
                                           .start = profile->work.start,
                                           .end = profile->work.end,
                                           .rows = rows[c]};
    return cover_build(sources, GPU_IDLE, arena);
}

static struct window step_window(const struct split *split, uint32_t device, uint32_t iteration)
{
    if (!split->gpu_start || !split->gpu_stop)
        return (struct window){0, 0};
    size_t at = (size_t)device * split->count + iteration;
    if (split->gpu_start[at] == UNKNOWN || split->gpu_stop[at] == UNKNOWN)
        return (struct window){0, 0};
    return (struct window){split->gpu_start[at], split->gpu_stop[at]};
}

// Returns the extent of the work and of the steps: of a step that the GPU waits for, the wait is a
// part.
static struct window device_extent(const struct profile *profile, const struct selection *selection,
                                   uint32_t device)
{
    const struct device *d = &profile->devices[device];
    struct window extent = {INT64_MAX, INT64_MIN};
    for (uint32_t w = d->first_work; w < d->end_work; w++) {
        if (!work_in_scope(profile, selection, w))
            continue;
        if (AT(profile->work.start, w) < extent.from)
            extent.from = AT(profile->work.start, w);
        if (AT(profile->work.end, w) > extent.to)
            extent.to = AT(profile->work.end, w);
    }
    for (uint32_t i = 0; extent.from < extent.to && i < selection->split->count; i++) {
        struct window step = step_window(selection->split, device, i);
        if (step.to <= step.from)
            continue;
        extent.from = step.from < extent.from ? step.from : extent.from;
        extent.to = step.to > extent.to ? step.to : extent.to;
    }
    return extent;
}

static struct window gpu_window(const struct profile *profile, const struct selection *selection,
                                uint32_t device, uint32_t iteration)
{
    return iteration == ROW_NONE ? device_extent(profile, selection, device)
                                 : step_window(selection->split, device, iteration);
}

const struct scheme_rules breakdown_gpu_rules = {
    .scheme = &breakdown_gpu,
    .counts = gpu_counts,
    .cover = gpu_cover,
    .window = gpu_window,
};
