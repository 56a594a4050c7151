// SPDX-License-Identifier: Apache-2.0
// DLProf's seven categories, in its order of priority.
#include <string.h>

#include "analysis/breakdown_scheme.h"
#include "analysis/op_metrics.h"
#include "base/sort.h"
#include "model/ranks.h"

static const struct breakdown_category categories[DLPROF_CATEGORIES] = {
    [DLPROF_TENSOR_CORE] = {"tensor_core", "Tensor Core kernels",
                            "Kernels that use Tensor Cores, by their short names", '#'},
    [DLPROF_OTHER_KERNELS] = {"other_kernels", "Non-Tensor Core kernels",
                              "Other kernels, communication and opaque graphs among them", '%'},
    [DLPROF_MEMORY] = {"memory", "Memory", "Copies and memsets while no kernel runs", '='},
    [DLPROF_DATALOADER] = {"dataloader", "Dataloader",
                           "Data loader ops on the host while the GPU does nothing", '+'},
    [DLPROF_IO] = {"io", "I/O", "fread and fwrite while none of the above; needs OS calls", '-'},
    [DLPROF_CPU] = {"cpu", "CPU", "Other ops on the host while none of the above", ':'},
    [DLPROF_OTHER] = {"other", "Other", "What is left of the iterations", '.'},
};

const struct breakdown_scheme breakdown_dlprof = {
    .name = "dlprof",
    .doc = "DLProf's resource usage: mean over all GPUs that the file lists, used or not (in the "
           "scope of some processes those that they use), within the selected iterations on the "
           "host. Time of the host counts on the GPUs that "
           "its process ran kernels on, or on all when it ran none.",
    .count = DLPROF_CATEGORIES,
    .categories = categories,
};

struct list { // rows of one class
    uint32_t *rows;
    size_t count;
};

static struct list list_new(struct arena *arena, size_t capacity)
{
    return (struct list){ARENA_ARRAY(arena, uint32_t, capacity + 1), 0};
}

static void list_add(struct list *list, uint32_t row)
{
    list->rows[list->count++] = row;
}

static void add_gpu_work(const struct profile *profile, const struct selection *selection,
                         uint32_t device, struct list *lists, struct arena *arena)
{
    const struct device *d = device == ROW_NONE ? NULL : &profile->devices[device];
    uint32_t first = d ? d->first_work : 0, end = d ? d->end_work : 0;
    for (int c = DLPROF_TENSOR_CORE; c <= DLPROF_MEMORY; c++)
        lists[c] = list_new(arena, end - first);
    for (uint32_t w = first; w < end; w++) {
        if (!work_in_scope(profile, selection, w))
            continue;
        int c = !work_is_kernel(profile, w) ? DLPROF_MEMORY
                : work_uses_tc(profile, w)  ? DLPROF_TENSOR_CORE
                                            : DLPROF_OTHER_KERNELS;
        list_add(&lists[c], w);
    }
}

// The processes that ran kernels among work [first, end).
static bool *processes_of(const struct profile *profile, uint32_t first, uint32_t end,
                          struct arena *arena)
{
    bool *found = ARENA_ARRAY(arena, bool, (size_t)profile->process_count + 1);
    for (uint32_t w = first; w < end; w++) {
        uint32_t process = work_is_kernel(profile, w) ? work_process(profile, w) : ROW_NONE;
        if (process != ROW_NONE)
            found[process] = true;
    }
    return found;
}

static const void *processes_anywhere(const struct profile *profile, struct arena *arena)
{
    return processes_of(profile, 0, profile->work.count, arena);
}

// Processes whose host time counts on the device.
static bool *processes_on(const struct profile *profile, const struct selection *selection,
                          uint32_t device, const bool *anywhere, struct arena *arena)
{
    const struct device *d = device == ROW_NONE ? NULL : &profile->devices[device];
    bool *here = processes_of(profile, d ? d->first_work : 0, d ? d->end_work : 0, arena);
    for (uint32_t p = 0; p < profile->process_count; p++)
        here[p] = (here[p] || !anywhere[p]) && process_is_chosen(profile, selection->process, p);
    return here;
}

static void add_ops(const struct profile *profile, const bool *processes, struct list *lists,
                    struct arena *arena)
{
    const struct ops *ops = profile->ops;
    uint32_t count = ops ? ops->instance_count : 0;
    lists[DLPROF_DATALOADER] = list_new(arena, count);
    lists[DLPROF_CPU] = list_new(arena, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t thread = AT(ops->thread, i);
        if (thread == ROW_NONE || !processes[profile->threads[thread].process])
            continue;
        int c = ops->items[AT(ops->op, i)].is_dataloader ? DLPROF_DATALOADER : DLPROF_CPU;
        list_add(&lists[c], i);
    }
}

static void add_io(const struct profile *profile, const bool *processes, struct list *lists,
                   struct arena *arena)
{
    const struct os_calls *calls = &profile->osrt;
    string_id read = strings_find(profile->strings, "fread");
    string_id write = strings_find(profile->strings, "fwrite");
    struct list found = list_new(arena, calls->count);
    for (uint32_t i = 0; i < calls->count; i++) {
        bool is_io = AT(calls->name, i) != STRING_NONE &&
                     (AT(calls->name, i) == read || AT(calls->name, i) == write);
        if (is_io && processes[profile->threads[AT(calls->thread, i)].process])
            list_add(&found, i);
    }
    // They come thread by thread.
    int64_t *times = ARENA_ARRAY(arena, int64_t, found.count);
    for (size_t i = 0; i < found.count; i++)
        times[i] = AT(calls->start, found.rows[i]);
    uint32_t *order = sort_by_time(arena, times, NULL, found.count);
    for (size_t i = 0; i < found.count; i++)
        order[i] = found.rows[order[i]];
    lists[DLPROF_IO] = (struct list){order, found.count};
}

static struct cover dlprof_cover(const struct profile *profile, const struct selection *selection,
                                 uint32_t device, const void *shared, struct arena *arena)
{
    struct list lists[DLPROF_OTHER];
    const bool *processes = processes_on(profile, selection, device, shared, arena);
    add_gpu_work(profile, selection, device, lists, arena);
    add_ops(profile, processes, lists, arena);
    add_io(profile, processes, lists, arena);
    const struct gpu_work *work = &profile->work;
    const struct ops *ops = profile->ops;
    struct cover_source sources[DLPROF_OTHER] = {{0}};
    for (int c = 0; c <= DLPROF_MEMORY; c++)
        sources[c] = (struct cover_source){lists[c].count, work->start, work->end, lists[c].rows};
    sources[DLPROF_IO] = (struct cover_source){lists[DLPROF_IO].count, profile->osrt.start,
                                               profile->osrt.end, lists[DLPROF_IO].rows};
    static const int of_ops[] = {DLPROF_DATALOADER, DLPROF_CPU};
    for (size_t i = 0; i < 2 && ops; i++) {
        const struct list *list = &lists[of_ops[i]];
        sources[of_ops[i]] = (struct cover_source){list->count, ops->start, ops->end, list->rows};
    }
    return cover_build(sources, DLPROF_OTHER, arena);
}

// DLProf's are all that the file lists; of some processes those that these use.
static bool dlprof_counts(const struct profile *profile, const struct selection *selection,
                          uint32_t device)
{
    uint32_t chosen = selection->process;
    return device == ROW_NONE || chosen == ROW_NONE || processes_gpus(profile, chosen) == 0 ||
           processes_run_on(profile, chosen, device);
}

static struct window dlprof_window(const struct profile *profile, const struct selection *selection,
                                   uint32_t device, uint32_t iteration)
{
    (void)device;
    const struct split *split = selection->split;
    if (iteration == ROW_NONE) {
        if (split->method == SPLIT_RANGES)
            return (struct window){profile->first_ns, profile->last_ns};
        return (struct window){0, 0}; // the iterations are everything
    }
    if (selection->process < profile->process_count && split->process_start &&
        split->process_stop) {
        size_t at = (size_t)selection->process * split->count + iteration;
        if (split->process_start[at] == UNKNOWN || split->process_stop[at] == UNKNOWN)
            return (struct window){0, 0};
        return (struct window){split->process_start[at], split->process_stop[at]};
    }
    return (struct window){split->start[iteration], iteration_stop(split, iteration)};
}

const struct scheme_rules breakdown_dlprof_rules = {
    .scheme = &breakdown_dlprof,
    .counts = dlprof_counts,
    .shared = processes_anywhere,
    .cover = dlprof_cover,
    .window = dlprof_window,
};
