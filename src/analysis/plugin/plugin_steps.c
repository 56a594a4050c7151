// SPDX-License-Identifier: Apache-2.0
// Steps as the plugin cuts them, see plugin_steps.h. For each worker: find the marks of its steps,
// extend the steps over the GPU work that they launched, collect the intervals of each role
// (kernel, copy, runtime call, ...), and cut each step by the first active role.
#include "analysis/plugin/plugin_steps.h"

#include <string.h>

#include "analysis/breakdown/cover.h"
#include "analysis/plugin/plugin_roles.h"
#include "analysis/report/dlprof_rules.h"
#include "analysis/report/memo.h"
#include "analysis/sums/op_metrics.h"
#include "base/scratch.h"
#include "base/sort.h"
#include "base/sums.h"

static const struct breakdown_category categories[PLUGIN_ROLES] = {
    [PLUGIN_KERNEL] = {"kernel", "Kernel", "Kernels that are not communication, and graphs", '#'},
    [PLUGIN_MEMCPY] = {"memcpy", "Memcpy", "Copies while no kernel runs", '='},
    [PLUGIN_MEMSET] = {"memset", "Memset", "Memsets while none of the above", '-'},
    [PLUGIN_COMMUNICATION] =
        {"communication", "Communication",
         "Kernels of collectives, and their ops on the host, while none of the "
         "above",
         '%'},
    [PLUGIN_RUNTIME] = {"runtime", "Runtime",
                        "Calls of the CUDA runtime and driver while none of the above", '*'},
    [PLUGIN_LOADER] = {"dataloader", "DataLoader",
                       "The host waits for or makes a batch while none of the above", '+'},
    [PLUGIN_CPU] = {"cpu_exec", "CPU Exec",
                    "Other ops and ranges on the host while none of the above", ':'},
    [PLUGIN_OTHER] = {"other", "Other", "What is left of the steps", '.'},
};

const struct breakdown_scheme breakdown_plugin = {
    .name = "plugin",
    .doc =
        "As the overview of PyTorch's TensorBoard plugin: the steps of a process with the GPU work "
        "that they launch, cut by what is active in this order. Mean of the selected steps.",
    .count = PLUGIN_ROLES,
    .categories = categories,
};

const char *plugin_steps_text(const struct plugin_steps *steps, const struct selection *selection,
                              struct arena *arena)
{
    const struct split *split = selection->split;
    if (*steps->by)
        return arena_format(arena, "by \"%s\"", steps->by);
    if (!split || split->method == SPLIT_NONE)
        return split && split->has_unused ? "no marks are likely steps" : "nothing marks steps";
    return arena_format(arena,
                        "no ProfilerStep#N marks steps: the whole trace is one, whichever %ss are "
                        "chosen",
                        split->unit);
}

bool plugin_step_is_selected(const struct selection *selection, const struct plugin_step *step)
{
    return step->iteration == ROW_NONE || selection_has_iteration(selection, step->iteration);
}

// ---- intervals per role ------------------------------------------------------------------------

struct role_times {
    int64_t *start, *end;
    size_t count, start_capacity, end_capacity;
};

// An interval that begins inside the previous one extends it, so nested ranges are merged.
static void interval_add(struct role_times *times, int64_t start, int64_t end, struct arena *arena)
{
    size_t last = times->count - 1;
    if (times->count && start >= times->start[last] && start <= times->end[last]) {
        times->end[last] = end > times->end[last] ? end : times->end[last];
        return;
    }
    size_t count = times->count;
    ARENA_PUSH(arena, times->start, times->count, times->start_capacity) = start;
    ARENA_PUSH(arena, times->end, count, times->end_capacity) = end;
}

static struct cover_source cover_source_of_role(const struct role_times *times, struct arena *arena)
{
    struct cover_source source = cover_source_of(times->start, times->end, times->count, arena);
    source.rows = sort_by_time(arena, times->start, NULL, times->count);
    return source;
}

// ---- a worker -------------------------------------------------------------------------------

struct worker_parts {
    bool is_chosen, has_profiler_steps;
    struct role_times roles[PLUGIN_OTHER];
};

struct plugin_build {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena; // of the result
    const uint8_t *roles;
    uint32_t *worker_of;        // [process]
    struct worker_parts *parts; // [worker.process]
    struct plugin_steps *steps;
};

static bool is_thread_of(const struct plugin_build *build, uint32_t worker,
                         const struct thread *thread)
{
    return build->worker_of[thread->process] == worker;
}

static int work_role(const struct plugin_build *build, uint32_t work)
{
    switch (build->profile->functions[AT(build->profile->work.function, work)].kind) {
    case WORK_MEMCPY:
        return PLUGIN_MEMCPY;
    case WORK_MEMSET:
        return PLUGIN_MEMSET;
    case WORK_KERNEL:
        return work_communicates(build->profile, build->roles, work) ? PLUGIN_COMMUNICATION
                                                                     : PLUGIN_KERNEL;
    default:
        return PLUGIN_KERNEL;
    }
}

static void gather_work(struct plugin_build *build, struct arena *scratch)
{
    const struct profile *profile = build->profile;
    uint32_t device = build->selection->device;
    for (uint32_t w = 0; w < profile->work.count; w++) {
        struct worker_parts *parts = &build->parts[build->worker_of[work_process(profile, w)]];
        if (!parts->is_chosen || (device != ROW_NONE && work_device(profile, w) != device))
            continue;
        interval_add(&parts->roles[work_role(build, w)], AT(profile->work.start, w),
                     AT(profile->work.end, w), scratch);
    }
}

// Steps by start, and the earliest stop among each step and its successors: one binary search
// decides whether a range contains a step.
struct step_cover_index {
    uint32_t count;
    int64_t *start, *stop;
};

static struct step_cover_index step_index_build(const struct plugin_worker *worker,
                                                struct arena *scratch)
{
    struct step_cover_index index = {worker->count,
                                     ARENA_ARRAY(scratch, int64_t, (size_t)worker->count + 1),
                                     ARENA_ARRAY(scratch, int64_t, (size_t)worker->count + 1)};
    int64_t *starts = ARENA_ARRAY(scratch, int64_t, (size_t)worker->count + 1);
    for (uint32_t i = 0; i < worker->count; i++)
        starts[i] = worker->steps[i].host_start;
    const uint32_t *order = sort_by_time(scratch, starts, NULL, worker->count);
    int64_t earliest_stop = INT64_MAX;
    for (uint32_t i = worker->count; i-- > 0;) {
        int64_t stop = worker->steps[order[i]].host_stop;
        earliest_stop = stop < earliest_stop ? stop : earliest_stop;
        index.start[i] = starts[order[i]];
        index.stop[i] = earliest_stop;
    }
    return index;
}

// Returns true if the interval contains a step. (nsys does not record whether a range is an op; one
// that contains a step is not.)
static bool contains_step(const struct step_cover_index *index, int64_t start, int64_t end)
{
    uint32_t low = 0, high = index->count; // the first step that does not begin before the range
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (index->start[middle] < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low < index->count && index->stop[low] <= end;
}

// Collects the intervals of a thread's API calls and ranges by role.
static void gather_thread(struct plugin_build *build, uint32_t worker,
                          const struct step_cover_index *index, const struct thread *thread,
                          struct arena *scratch)
{
    const struct profile *profile = build->profile;
    struct worker_parts *parts = &build->parts[worker];
    for (uint32_t call = thread->first_api; call < thread->end_api; call++)
        interval_add(&parts->roles[PLUGIN_RUNTIME], AT(profile->api.start, call),
                     AT(profile->api.end, call), scratch);
    static const int plugin_role_of[] = {[RANGE_IS_LOADER] = PLUGIN_LOADER,
                                         [RANGE_IS_COMMUNICATION] = PLUGIN_COMMUNICATION,
                                         [RANGE_IS_CPU] = PLUGIN_CPU};
    for (uint32_t range = thread->first_range; range < thread->end_range; range++) {
        const struct range_label *label = range_label(&profile->ranges, range);
        enum range_role role = build->roles[AT(profile->ranges.label, range)];
        int64_t start = AT(profile->ranges.start, range), end = AT(profile->ranges.end, range);
        if (role == RANGE_IS_MARK && parts->has_profiler_steps)
            role = RANGE_IS_CPU;
        if (role == RANGE_HAS_NO_ROLE || role == RANGE_IS_STEP || role == RANGE_IS_MARK ||
            label->ending == RANGE_CROSS_THREAD ||
            (label->said == SAID_NOTHING && contains_step(index, start, end)))
            continue;
        interval_add(&parts->roles[plugin_role_of[role]], start, end, scratch);
    }
}

// ---- marks of steps ----------------------------------------------------------------------------

struct step_list {
    struct plugin_step *items;
    size_t count, capacity;
};

static void step_add(struct plugin_build *build, struct step_list *steps, int64_t number,
                     int64_t start, int64_t stop)
{
    ARENA_PUSH(build->arena, steps->items, steps->count, steps->capacity) =
        (struct plugin_step){.number = number,
                             .iteration = ROW_NONE,
                             .host_start = start,
                             .host_stop = stop,
                             .start = start,
                             .stop = stop};
}

static void add_profiler_steps(struct plugin_build *build, uint32_t worker, struct step_list *steps,
                               struct arena *scratch)
{
    const struct profile *profile = build->profile;
    struct step_list found = {0};
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        const struct thread *thread = &profile->threads[t];
        for (uint32_t r = thread->first_range;
             is_thread_of(build, worker, thread) && r < thread->end_range; r++)
            if (build->roles[AT(profile->ranges.label, r)] == RANGE_IS_STEP)
                step_add(
                    build, &found,
                    profiler_step_number(profile_text(profile, range_name(&profile->ranges, r))),
                    AT(profile->ranges.start, r), AT(profile->ranges.end, r));
    }
    int64_t *starts = ARENA_ARRAY(scratch, int64_t, found.count + 1);
    for (size_t i = 0; i < found.count; i++)
        starts[i] = found.items[i].start;
    const uint32_t *order = sort_by_time(scratch, starts, NULL, found.count);
    for (size_t i = 0; i < found.count; i++) {
        const struct plugin_step *step = &found.items[order[i]];
        step_add(build, steps, step->number, step->start, step->stop);
        steps->items[i].iteration = split_at(build->selection->split, worker, step->start);
    }
}

// True if the split defines the steps. For a trace of the PyTorch Profiler it must be certain,
// since there the plugin relies on marks.
static bool split_is_usable(const struct plugin_build *build, uint32_t worker)
{
    const struct split *split = build->selection->split;
    return split->method != SPLIT_NONE && split_has_steps(split) &&
           (split->confidence == CONFIDENCE_CERTAIN || !process_is_traced(build->profile, worker));
}

static void add_split_steps(struct plugin_build *build, uint32_t worker, struct step_list *steps)
{
    const struct split *split = build->selection->split;
    for (uint32_t i = 0; i < split->count; i++) {
        size_t at = (size_t)worker * split->count + i;
        bool is_own = split->process_start && split->process_stop;
        int64_t start = is_own ? split->process_start[at] : split->start[i];
        int64_t stop = is_own ? split->process_stop[at] : iteration_stop(split, i);
        if (start == UNKNOWN || stop == UNKNOWN || stop < start)
            continue;
        step_add(build, steps, split->number[i], start, stop);
        steps->items[steps->count - 1].iteration = i;
    }
}

struct time_extent {
    int64_t start, end; // end < start: empty
};

static void extent_add(struct time_extent *extent, int64_t start, int64_t end)
{
    extent->start = start < extent->start ? start : extent->start;
    extent->end = end > extent->end ? end : extent->end;
}

// Returns the interval from the first op to the end of the last; without ops the interval of other
// ranges, without ranges that of API calls, else that of GPU work.
static struct time_extent whole_extent(const struct plugin_build *build, uint32_t worker)
{
    enum { OPS, RANGES, CALLS, WORK, KINDS };
    const struct profile *profile = build->profile;
    struct time_extent extents[KINDS];
    for (int k = 0; k < KINDS; k++)
        extents[k] = (struct time_extent){INT64_MAX, INT64_MIN};
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        const struct thread *thread = &profile->threads[t];
        if (!is_thread_of(build, worker, thread))
            continue;
        for (uint32_t r = thread->first_range; r < thread->end_range; r++)
            extent_add(&extents[range_label(&profile->ranges, r)->said == SAID_OP ? OPS : RANGES],
                       AT(profile->ranges.start, r), AT(profile->ranges.end, r));
        for (uint32_t c = thread->first_api; c < thread->end_api; c++)
            extent_add(&extents[CALLS], AT(profile->api.start, c), AT(profile->api.end, c));
    }
    for (uint32_t w = 0; w < profile->work.count; w++)
        if (build->worker_of[work_process(profile, w)] == worker)
            extent_add(&extents[WORK], AT(profile->work.start, w), AT(profile->work.end, w));
    int kind = OPS;
    while (kind < WORK && extents[kind].end < extents[kind].start)
        kind++;
    return extents[kind];
}

// ---- extending steps over their GPU work -------------------------------------------------------

struct step_launches { // calls that launched GPU work, by start
    uint32_t *calls;
    size_t count;
};

// Returns the calls of a worker that launched GPU work.
static struct step_launches launches_of(const struct plugin_build *build, uint32_t worker,
                                        struct arena *scratch)
{
    const struct profile *profile = build->profile;
    struct step_launches launches = {0};
    size_t capacity = 0, start_count = 0, start_capacity = 0;
    uint32_t *calls = NULL;
    int64_t *starts = NULL;
    for (uint32_t t = 0; HAS(profile->api.first_work) && t < profile->thread_count; t++) {
        const struct thread *thread = &profile->threads[t];
        for (uint32_t call = thread->first_api;
             is_thread_of(build, worker, thread) && call < thread->end_api; call++) {
            struct row_span span = api_work(&profile->api, call);
            if (span.first == span.end)
                continue;
            ARENA_PUSH(scratch, calls, launches.count, capacity) = call;
            ARENA_PUSH(scratch, starts, start_count, start_capacity) = AT(profile->api.start, call);
        }
    }
    launches.calls = sort_by_time(scratch, starts, NULL, launches.count);
    for (size_t i = 0; i < launches.count; i++)
        launches.calls[i] = calls[launches.calls[i]];
    return launches;
}

// Fills extents[step] with the extent of the work launched wholly within the step, and sets
// is_in_step[work] for that work.
static void find_step_work(const struct profile *profile, const struct step_launches *launches,
                           struct step_list *steps, struct time_extent *extents, bool *is_in_step)
{
    size_t at = 0;
    for (size_t i = 0; i < launches->count; i++) {
        uint32_t call = launches->calls[i];
        int64_t start = AT(profile->api.start, call), end = AT(profile->api.end, call);
        while (at < steps->count && start >= steps->items[at].stop)
            at++;
        if (at == steps->count || start < steps->items[at].start || end > steps->items[at].stop)
            continue;
        struct row_span span = api_work(&profile->api, call);
        steps->items[at].launched += span.end - span.first;
        for (uint32_t w = span.first; w < span.end; w++) {
            uint32_t work = AT(profile->api.work_rows, w);
            extent_add(&extents[at], AT(profile->work.start, work), AT(profile->work.end, work));
            is_in_step[work] = true;
        }
    }
}

// Returns where the first step begins: at the latest end of work that no step launched and that
// ends before the first step's work begins, but no earlier than `first_start`.
static int64_t latest_end_before(const struct plugin_build *build, uint32_t worker,
                                 const bool *is_in_step, int64_t first_work, int64_t first_start)
{
    const struct profile *profile = build->profile;
    int64_t before = first_start;
    for (uint32_t w = 0; w < profile->work.count; w++) {
        int64_t end = AT(profile->work.end, w);
        if (!is_in_step[w] && end < first_work && end > before &&
            build->worker_of[work_process(profile, w)] == worker)
            before = end;
    }
    return before;
}

// Returns the number of steps without incomplete ones at the end (see plugin_steps.h). There are at
// least two steps.
static uint32_t complete_step_count(const struct step_list *steps)
{
    size_t last = steps->count;
    while (last > 0 && steps->items[last - 1].launched == 0)
        last--;
    if (last > 1 && steps->items[last - 2].launched * 0.8 > steps->items[last - 1].launched)
        last--;
    return (uint32_t)last;
}

static void extend_step(struct plugin_step *step, int64_t before, const struct time_extent *work)
{
    step->start = before > step->start ? before : step->start;
    step->stop = work->end > step->stop ? work->end : step->stop;
    if (step->stop < step->start && step->launched)
        step->start = step->stop;
    else if (step->stop < step->start)
        step->stop = step->start;
}

// Extends steps over the work that they launch. Returns the number of complete steps.
static uint32_t extend_steps(const struct plugin_build *build, uint32_t worker,
                             struct step_list *steps, struct arena *scratch)
{
    const struct profile *profile = build->profile;
    struct step_launches launches = launches_of(build, worker, scratch);
    struct time_extent *extents = ARENA_ARRAY(scratch, struct time_extent, steps->count + 1);
    bool *is_in_step = ARENA_ARRAY(scratch, bool, (size_t)profile->work.count + 1);
    for (size_t i = 0; i < steps->count; i++)
        extents[i] = (struct time_extent){INT64_MAX, INT64_MIN};
    find_step_work(profile, &launches, steps, extents, is_in_step);
    bool has_work = false;
    for (size_t i = 0; i < steps->count; i++)
        has_work |= steps->items[i].launched > 0;
    if (!has_work)
        return (uint32_t)steps->count;
    int64_t before = steps->items[0].start;
    if (steps->items[0].launched)
        before = latest_end_before(build, worker, is_in_step, extents[0].start, before);
    for (size_t i = 0; i < steps->count; i++) {
        extend_step(&steps->items[i], before, &extents[i]);
        before = steps->items[i].stop;
    }
    return steps->count > 1 ? complete_step_count(steps) : (uint32_t)steps->count;
}

// ---- result ------------------------------------------------------------------------------------

static bool has_profiler_step(const struct plugin_build *build, uint32_t worker)
{
    const struct ranges *ranges = &build->profile->ranges;
    for (uint32_t l = 0; l < ranges->label_count; l++)
        if (build->roles[l] == RANGE_IS_STEP &&
            is_thread_of(build, worker, &build->profile->threads[ranges->labels[l].thread]))
            return true;
    return false;
}

// Finds the steps of a worker, by the best marks that it has.
static void make_worker(struct plugin_build *build, uint32_t worker, struct arena *scratch)
{
    struct step_list steps = {0};
    const char *by = "";
    build->parts[worker].has_profiler_steps = has_profiler_step(build, worker);
    if (build->parts[worker].has_profiler_steps) {
        add_profiler_steps(build, worker, &steps, scratch);
        by = "ProfilerStep#N";
    } else if (split_is_usable(build, worker)) {
        add_split_steps(build, worker, &steps);
        by = build->selection->split->key;
    } else {
        struct time_extent whole = whole_extent(build, worker);
        if (whole.end >= whole.start)
            step_add(build, &steps, 0, whole.start, whole.end);
    }
    if (steps.count == 0)
        return;
    if (!*build->steps->by)
        build->steps->by = by;
    uint32_t complete = extend_steps(build, worker, &steps, scratch);
    build->steps->workers[build->steps->count++] =
        (struct plugin_worker){worker, complete, (uint32_t)steps.count - complete, steps.items};
}

// In a trace of several ranks each rank's process is a worker; otherwise all processes of a trace
// form one.
static bool process_is_worker(const struct profile *profile, uint32_t process)
{
    const struct process *row = &profile->processes[process];
    return !process_is_traced(profile, process) ||
           (row->has_gpu_sibling && row->gpus != PROCESS_NO_GPU);
}

// Fills worker_of[process].
static void find_workers(struct plugin_build *build, struct arena *scratch)
{
    const struct profile *profile = build->profile;
    uint32_t *of_source = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->source_count + 1);
    for (uint32_t s = 0; s < profile->source_count; s++)
        of_source[s] = ROW_NONE;
    for (uint32_t p = 0; p < profile->process_count; p++) {
        uint32_t source = profile->processes[p].source;
        build->worker_of[p] = p;
        if (process_is_worker(profile, p))
            continue;
        if (of_source[source] == ROW_NONE)
            of_source[source] = p;
        build->worker_of[p] = of_source[source];
    }
}

// Returns [process]: true if it runs anything on the selected GPU, or on any GPU if none is
// selected.
static bool *find_gpu_users(const struct plugin_build *build, struct arena *scratch)
{
    const struct profile *profile = build->profile;
    uint32_t device = build->selection->device;
    bool *uses = ARENA_ARRAY(scratch, bool, (size_t)profile->process_count + 1);
    for (uint32_t p = 0; device == ROW_NONE && p < profile->process_count; p++)
        uses[p] = profile->processes[p].gpus != PROCESS_NO_GPU;
    for (uint32_t w = 0; device != ROW_NONE && w < profile->work.count; w++)
        if (work_device(profile, w) == device)
            uses[work_process(profile, w)] = true;
    return uses;
}

// Chooses the workers with work on a GPU in scope or, if there are none, all workers.
static void choose_workers(struct plugin_build *build, struct arena *scratch)
{
    const struct profile *profile = build->profile;
    const bool *uses = find_gpu_users(build, scratch);
    bool has_gpu = false,
         *uses_gpu = ARENA_ARRAY(scratch, bool, (size_t)profile->process_count + 1);
    for (uint32_t p = 0; p < profile->process_count; p++) {
        if (!process_is_selected(profile, build->selection->process, p))
            continue;
        build->parts[build->worker_of[p]].is_chosen = true;
        uses_gpu[build->worker_of[p]] |= uses[p];
        has_gpu |= uses[p];
    }
    for (uint32_t p = 0; p < profile->process_count; p++)
        build->parts[p].is_chosen &= !has_gpu || uses_gpu[p];
}

// Cuts the steps of a worker into parts by role.
static void cut_steps(struct plugin_build *build, struct plugin_worker *worker,
                      struct arena *scratch)
{
    const struct role_times *roles = build->parts[worker->process].roles;
    struct cover_source sources[PLUGIN_OTHER];
    for (int r = 0; r < PLUGIN_OTHER; r++)
        sources[r] = cover_source_of_role(&roles[r], scratch);
    struct cover cover = cover_build(sources, PLUGIN_OTHER, scratch);
    for (uint32_t i = 0; i < worker->count; i++) {
        struct plugin_step *step = &worker->steps[i];
        struct breakdown *parts = &step->parts;
        parts->window_ns = parts->ns[PLUGIN_OTHER] = step->stop - step->start;
        cover_add(&cover, step->start, step->stop, parts->ns);
        for (int r = 0; r < PLUGIN_OTHER; r++)
            parts->ns[PLUGIN_OTHER] -= parts->ns[r];
    }
}

static void build_steps(void *context, struct arena *scratch)
{
    struct plugin_build *build = context;
    const struct profile *profile = build->profile;
    build->roles = range_roles(profile, scratch);
    build->parts = ARENA_ARRAY(scratch, struct worker_parts, (size_t)profile->process_count + 1);
    find_workers(build, scratch);
    choose_workers(build, scratch);
    for (uint32_t p = 0; p < profile->process_count; p++)
        if (build->parts[p].is_chosen)
            make_worker(build, p, scratch);
    gather_work(build, scratch);
    for (uint32_t i = 0; i < build->steps->count; i++) {
        struct plugin_worker *worker = &build->steps->workers[i];
        struct step_cover_index index = step_index_build(worker, scratch);
        for (uint32_t t = 0; t < profile->thread_count; t++)
            if (is_thread_of(build, worker->process, &profile->threads[t]))
                gather_thread(build, worker->process, &index, &profile->threads[t], scratch);
        cut_steps(build, worker, scratch);
    }
}

static void *make_steps(const struct profile *profile, const struct selection *selection,
                        struct arena *arena)
{
    struct plugin_build build = {.profile = profile, .selection = selection, .arena = arena};
    build.steps = ARENA_NEW(arena, struct plugin_steps);
    build.steps->by = "";
    build.steps->workers =
        ARENA_ARRAY(arena, struct plugin_worker, (size_t)profile->process_count + 1);
    build.steps->worker_of = build.worker_of =
        ARENA_ARRAY(arena, uint32_t, (size_t)profile->process_count + 1);
    scratch_run(arena, build_steps, &build);
    return build.steps;
}

static const struct memo_kind plugin_steps_kind = {.fields = MEMO_PROCESS | MEMO_DEVICE,
                                                   .make = make_steps};

const struct plugin_steps *plugin_steps_of(const struct profile *profile,
                                           const struct selection *selection, struct arena *arena)
{
    return memo_require(&plugin_steps_kind, profile, selection, arena);
}

// ---- means ----------------------------------------------------------------------------------

// Rounds the running sum after each part instead of the part, so that the parts add up.
struct breakdown plugin_mean(const struct breakdown *sum, int64_t count)
{
    struct breakdown mean = {0};
    if (count == 0)
        return mean;
    int64_t before = 0, bound = 0;
    for (int c = 0; c < PLUGIN_ROLES; c++) {
        before = add_saturating(before, sum->ns[c]);
        int64_t next = before / count + (before % count > (count - 1) / 2);
        mean.ns[c] = next - bound;
        bound = next;
    }
    mean.window_ns = bound;
    return mean;
}

struct breakdown plugin_average(const struct plugin_steps *steps, const struct selection *selection,
                                int64_t *count)
{
    struct breakdown sum = {0};
    *count = 0;
    for (uint32_t p = 0; p < steps->count; p++)
        for (uint32_t i = 0; i < steps->workers[p].count; i++) {
            const struct plugin_step *step = &steps->workers[p].steps[i];
            if (!plugin_step_is_selected(selection, step))
                continue;
            ++*count;
            for (int c = 0; c < PLUGIN_ROLES; c++)
                sum.ns[c] = add_saturating(sum.ns[c], step->parts.ns[c]);
        }
    return plugin_mean(&sum, *count);
}
