// SPDX-License-Identifier: Apache-2.0
// The scheme of DLProf: seven categories in its order of priority.
#include <string.h>

#include "analysis/breakdown/breakdown_scheme.h"
#include "analysis/report/dlprof_rules.h"
#include "base/sort.h"
#include "model/ops/ops.h"
#include "model/profile/ranks.h"

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

struct row_list { // rows of one category
    uint32_t *rows;
    size_t count;
};

static struct row_list list_new(struct arena *arena, size_t capacity)
{
    return (struct row_list){ARENA_ARRAY(arena, uint32_t, capacity + 1), 0};
}

static void list_add(struct row_list *list, uint32_t row)
{
    list->rows[list->count++] = row;
}

// Fills the lists of the three categories of GPU work.
static void add_gpu_work(const struct profile *profile, const struct selection *selection,
                         uint32_t device, struct row_list *lists, struct arena *arena)
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

// Returns which processes ran kernels among the work [first, end).
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

enum op_class { OP_DATALOADER, OP_CPU, OP_CLASSES };

struct dlprof_shared {    // shared by all GPUs
    const bool *anywhere; // [process]: it ran kernels on some GPU
    uint32_t *rows;       // runs of ops, grouped by process and class, in their order
    size_t *first;        // first[group] to first[group + 1]: rows of a group
};

// Returns the group (process and class) of a run of an op; SIZE_MAX: its process is unknown.
static size_t group_of(const struct profile *profile, uint32_t instance)
{
    const struct ops *ops = profile->ops;
    uint32_t thread = AT(ops->thread, instance);
    bool is_loader = ops->items[AT(ops->op, instance)].is_dataloader;
    return thread == ROW_NONE ? SIZE_MAX
                              : (size_t)profile->threads[thread].process * OP_CLASSES +
                                    (is_loader ? OP_DATALOADER : OP_CPU);
}

static const void *make_shared(const struct profile *profile, struct arena *arena)
{
    struct dlprof_shared *shared = ARENA_NEW(arena, struct dlprof_shared);
    size_t groups = (size_t)profile->process_count * OP_CLASSES;
    uint32_t count = profile->ops ? profile->ops->instance_count : 0;
    shared->anywhere = processes_of(profile, 0, profile->work.count, arena);
    shared->rows = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
    shared->first = ARENA_ARRAY(arena, size_t, groups + 2);
    for (uint32_t i = 0; i < count; i++)
        if (group_of(profile, i) != SIZE_MAX)
            shared->first[group_of(profile, i) + 2]++;
    for (size_t g = 2; g < groups + 2; g++)
        shared->first[g] += shared->first[g - 1];
    for (uint32_t i = 0; i < count; i++) // moves the first row of each group to its end
        if (group_of(profile, i) != SIZE_MAX)
            shared->rows[shared->first[group_of(profile, i) + 1]++] = i;
    return shared;
}

// Returns [process]: whether its host time counts for the device.
static bool *processes_on(const struct profile *profile, const struct selection *selection,
                          uint32_t device, const bool *anywhere, struct arena *arena)
{
    const struct device *d = device == ROW_NONE ? NULL : &profile->devices[device];
    bool *is_counted = processes_of(profile, d ? d->first_work : 0, d ? d->end_work : 0, arena);
    for (uint32_t p = 0; p < profile->process_count; p++)
        is_counted[p] =
            (is_counted[p] || !anywhere[p]) && process_is_selected(profile, selection->process, p);
    return is_counted;
}

// Returns the runs of one class in all those processes. If only one process has any, as on most
// GPUs, its rows are returned without a copy.
static struct row_list ops_of(const struct profile *profile, const bool *processes,
                              const struct dlprof_shared *shared, enum op_class class,
                              struct arena *arena)
{
    struct row_list list = {0};
    unsigned owner_count = 0;
    for (uint32_t p = 0; p < profile->process_count; p++) {
        const size_t *first = &shared->first[(size_t)p * OP_CLASSES + class];
        if (!processes[p] || first[0] == first[1])
            continue;
        list = (struct row_list){shared->rows + first[0], list.count + first[1] - first[0]};
        owner_count++;
    }
    if (owner_count <= 1)
        return list;
    list = list_new(arena, list.count);
    for (uint32_t i = 0; i < profile->ops->instance_count; i++) {
        size_t group = group_of(profile, i);
        if (group != SIZE_MAX && group % OP_CLASSES == class && processes[group / OP_CLASSES])
            list_add(&list, i);
    }
    return list;
}

// Fills the list of fread and fwrite calls of these processes.
static void add_io(const struct profile *profile, const bool *processes, struct row_list *lists,
                   struct arena *arena)
{
    const struct os_calls *calls = &profile->osrt;
    string_id read = strings_find(profile->strings, "fread");
    string_id write = strings_find(profile->strings, "fwrite");
    struct row_list found = list_new(arena, calls->count);
    for (uint32_t i = 0; i < calls->count; i++) {
        bool is_io = AT(calls->name, i) != STRING_NONE &&
                     (AT(calls->name, i) == read || AT(calls->name, i) == write);
        if (is_io && processes[profile->threads[AT(calls->thread, i)].process])
            list_add(&found, i);
    }
    // calls are ordered by thread, so their times must be sorted
    int64_t *times = ARENA_ARRAY(arena, int64_t, found.count);
    for (size_t i = 0; i < found.count; i++)
        times[i] = AT(calls->start, found.rows[i]);
    uint32_t *order = sort_by_time(arena, times, NULL, found.count);
    for (size_t i = 0; i < found.count; i++)
        order[i] = found.rows[order[i]];
    lists[DLPROF_IO] = (struct row_list){order, found.count};
}

static struct cover dlprof_cover(const struct profile *profile, const struct selection *selection,
                                 uint32_t device, const void *shared, struct arena *arena)
{
    struct row_list lists[DLPROF_OTHER];
    const struct dlprof_shared *all = shared;
    const bool *processes = processes_on(profile, selection, device, all->anywhere, arena);
    add_gpu_work(profile, selection, device, lists, arena);
    lists[DLPROF_DATALOADER] = ops_of(profile, processes, all, OP_DATALOADER, arena);
    lists[DLPROF_CPU] = ops_of(profile, processes, all, OP_CPU, arena);
    add_io(profile, processes, lists, arena);
    const struct gpu_work *work = &profile->work;
    const struct ops *ops = profile->ops;
    struct cover_source sources[DLPROF_OTHER] = {{0}};
    for (int c = 0; c <= DLPROF_MEMORY; c++)
        sources[c] = (struct cover_source){
            .count = lists[c].count, .start = work->start, .end = work->end, .rows = lists[c].rows};
    sources[DLPROF_IO] = (struct cover_source){.count = lists[DLPROF_IO].count,
                                               .start = profile->osrt.start,
                                               .end = profile->osrt.end,
                                               .rows = lists[DLPROF_IO].rows};
    static const int op_categories[] = {DLPROF_DATALOADER, DLPROF_CPU};
    for (size_t i = 0; i < 2 && ops; i++) {
        const struct row_list *list = &lists[op_categories[i]];
        sources[op_categories[i]] = (struct cover_source){
            .count = list->count, .start = ops->start, .end = ops->end, .rows = list->rows};
    }
    return cover_build(sources, DLPROF_OTHER, arena);
}

// Counts all devices in the file or, for selected processes, those that they use.
static bool dlprof_counts(const struct profile *profile, const struct selection *selection,
                          uint32_t device)
{
    uint32_t chosen = selection->process;
    return device == ROW_NONE || chosen == ROW_NONE || processes_gpu_count(profile, chosen) == 0 ||
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
        return (struct window){0, 0}; // all time is in iterations
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
    .shared = make_shared,
    .cover = dlprof_cover,
    .window = dlprof_window,
};
