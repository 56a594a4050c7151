// SPDX-License-Identifier: Apache-2.0
// Figures of each GPU over its windows. A window is a run of consecutive selected steps of a
// worker, including the time between them; the windows of a GPU are the union over the workers that
// use it.
#include "analysis/plugin/gpu_summary.h"

#include "analysis/breakdown/blocks.h"
#include "analysis/breakdown/occupancy.h"
#include "analysis/plugin/plugin_steps.h"
#include "analysis/report/memo.h"
#include "base/scratch.h"
#include "base/sort.h"
#include "base/sums.h"
#include "model/profile/vendor.h"

// ---- the window -----------------------------------------------------------------------------

struct gpu_windows_list { // disjoint, in order of time
    int64_t *from, *to;
    size_t count;
};

// Adds the windows of a worker. Returns the number of windows.
static size_t windows_add(const struct plugin_worker *worker, const struct selection *selection,
                          struct gpu_windows_list *windows)
{
    bool is_continued = false;
    for (uint32_t i = 0; i < worker->count; i++) {
        const struct plugin_step *step = &worker->steps[i];
        bool is_selected = plugin_step_is_selected(selection, step);
        if (is_selected && is_continued) {
            int64_t *to = &windows->to[windows->count - 1];
            *to = step->stop > *to ? step->stop : *to;
        } else if (is_selected) {
            windows->from[windows->count] = step->start;
            windows->to[windows->count++] = step->stop;
        }
        is_continued = is_selected;
    }
    return windows->count;
}

// Returns the union of windows, in order of time.
static struct gpu_windows_list windows_union(const struct gpu_windows_list *all,
                                             struct arena *scratch)
{
    struct gpu_windows_list joined = {ARENA_ARRAY(scratch, int64_t, all->count + 1),
                                      ARENA_ARRAY(scratch, int64_t, all->count + 1), 0};
    const uint32_t *order = sort_by_time(scratch, all->from, NULL, all->count);
    for (size_t i = 0; i < all->count; i++) {
        int64_t from = all->from[order[i]], to = all->to[order[i]];
        if (joined.count && from <= joined.to[joined.count - 1]) {
            if (to > joined.to[joined.count - 1])
                joined.to[joined.count - 1] = to;
            continue;
        }
        joined.from[joined.count] = from;
        joined.to[joined.count++] = to;
    }
    return joined;
}

// Sets uses_gpu[worker] for the workers that have work on the GPU. Returns their number; *last_user
// is the last one.
static uint32_t find_gpu_workers(const struct profile *profile, const struct plugin_steps *steps,
                                 uint32_t device, bool *uses_gpu, uint32_t *last_user,
                                 struct arena *scratch)
{
    bool *uses = ARENA_ARRAY(scratch, bool, (size_t)profile->process_count + 1);
    uint32_t count = 0;
    *last_user = 0;
    for (uint32_t s = 0; s < profile->stream_count; s++)
        uses[steps->worker_of[profile->streams[s].process]] |= profile->streams[s].device == device;
    for (uint32_t p = 0; p < steps->count; p++) {
        uses_gpu[p] = uses[steps->workers[p].process];
        count += uses_gpu[p];
        *last_user = uses_gpu[p] ? p : *last_user;
    }
    return count;
}

// Returns the windows of all processes that have work on the GPU.
static struct gpu_windows_list device_windows(const struct profile *profile,
                                              const struct selection *selection,
                                              const struct plugin_steps *steps, uint32_t device,
                                              struct arena *scratch)
{
    bool *uses_gpu = ARENA_ARRAY(scratch, bool, (size_t)steps->count + 1);
    uint32_t last_user;
    find_gpu_workers(profile, steps, device, uses_gpu, &last_user, scratch);
    size_t capacity = 0;
    for (uint32_t p = 0; p < steps->count; p++)
        capacity += steps->workers[p].count;
    struct gpu_windows_list all = {ARENA_ARRAY(scratch, int64_t, capacity + 1),
                                   ARENA_ARRAY(scratch, int64_t, capacity + 1), 0};
    for (uint32_t p = 0; p < steps->count; p++)
        if (uses_gpu[p])
            windows_add(&steps->workers[p], selection, &all);
    return windows_union(&all, scratch);
}

// Returns how much of [from, to) is inside the windows.
static int64_t windows_overlap(const struct gpu_windows_list *windows, int64_t from, int64_t to)
{
    size_t low = 0, high = windows->count; // the first window that ends after `from`
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (windows->to[middle] <= from)
            low = middle + 1;
        else
            high = middle;
    }
    int64_t sum = 0;
    for (; low < windows->count && windows->from[low] < to; low++) {
        int64_t a = windows->from[low] > from ? windows->from[low] : from;
        int64_t b = windows->to[low] < to ? windows->to[low] : to;
        sum += b > a ? b - a : 0;
    }
    return sum;
}

// ---- kernel time -------------------------------------------------------------------------------

// Calls add() with disjoint intervals, in order, in which some kernel (or graph that is traced as a
// whole) of the selected process runs.
static void walk_kernels(const struct profile *profile, const struct selection *selection,
                         uint32_t device, void (*add)(void *context, int64_t from, int64_t to),
                         void *context)
{
    int64_t covered_to = INT64_MIN;
    for (uint32_t w = profile->devices[device].first_work; w < profile->devices[device].end_work;
         w++) {
        enum work_kind kind = profile->functions[AT(profile->work.function, w)].kind;
        int64_t start = AT(profile->work.start, w), end = AT(profile->work.end, w);
        if ((kind != WORK_KERNEL && kind != WORK_GRAPH) || end <= covered_to ||
            !process_is_selected(profile, selection->process, work_process(profile, w)))
            continue;
        add(context, start > covered_to ? start : covered_to, end);
        covered_to = end;
    }
}

// Starts and stops of a worker's steps, in order, with the kernel time before each of them.
struct step_bounds {
    uint32_t count;
    const int64_t *at; // times of the bounds
    int64_t *before;   // by bound: kernel time before it, ns
    uint32_t next;     // the first bound not yet passed
    int64_t sum;       // kernel time added so far
};

static void bounds_add(void *context, int64_t from, int64_t to)
{
    struct step_bounds *bounds = context;
    for (; bounds->next < bounds->count && bounds->at[bounds->next] <= to; bounds->next++) {
        int64_t at = bounds->at[bounds->next];
        bounds->before[bounds->next] = bounds->sum + (at > from ? at - from : 0);
    }
    bounds->sum += to - from;
}

// [device]: kernel time before each bound, if exactly one worker uses the device and its steps are
// in order; else NULL.
struct kernel_times {
    const int64_t **before;
    uint32_t *worker;
};

struct kernel_times_build {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    struct kernel_times *times;
};

// Fills the kernel time before each bound, for GPUs that one worker uses.
static void build_kernel_times(void *context, struct arena *scratch)
{
    const struct kernel_times_build *call = context;
    const struct profile *profile = call->profile;
    const struct plugin_steps *steps = plugin_steps_of(profile, call->selection, call->arena);
    bool *uses_gpu = ARENA_ARRAY(scratch, bool, (size_t)steps->count + 1);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        uint32_t last_user;
        if (find_gpu_workers(profile, steps, d, uses_gpu, &last_user, scratch) != 1)
            continue;
        const struct plugin_worker *worker = &steps->workers[last_user];
        int64_t *at = ARENA_ARRAY(scratch, int64_t, 2 * (size_t)worker->count + 1);
        for (size_t i = 0; i < worker->count; i++) {
            at[2 * i] = worker->steps[i].start;
            at[2 * i + 1] = worker->steps[i].stop;
        }
        bool is_ordered = true; // false if a side stream finishes after the next step
        for (size_t i = 1; i < 2 * (size_t)worker->count; i++)
            is_ordered &= at[i - 1] <= at[i];
        if (!is_ordered)
            continue;
        struct step_bounds bounds = {
            2 * worker->count, at, ARENA_ARRAY(call->arena, int64_t, 2 * (size_t)worker->count + 1),
            0, 0};
        walk_kernels(profile, call->selection, d, bounds_add, &bounds);
        for (uint32_t i = bounds.next; i < bounds.count; i++)
            bounds.before[i] = bounds.sum;
        call->times->before[d] = bounds.before;
        call->times->worker[d] = last_user;
    }
}

static void *make_kernel_times(const struct profile *profile, const struct selection *selection,
                               struct arena *arena)
{
    struct kernel_times_build call = {profile, selection, arena,
                                      ARENA_NEW(arena, struct kernel_times)};
    call.times->before = ARENA_ARRAY(arena, const int64_t *, (size_t)profile->device_count + 1);
    call.times->worker = ARENA_ARRAY(arena, uint32_t, (size_t)profile->device_count + 1);
    scratch_run(arena, build_kernel_times, &call);
    return call.times;
}

static const struct memo_kind kernel_times_kind = {.fields = MEMO_PROCESS | MEMO_DEVICE,
                                                   .make = make_kernel_times};

// Returns the sums over the windows of a worker that is the only one on its GPU.
static struct gpu_share share_of_steps(const struct plugin_worker *worker,
                                       const struct selection *selection, const int64_t *before)
{
    struct gpu_share share = {0};
    size_t first = SIZE_MAX;
    for (size_t i = 0; i <= worker->count; i++) {
        bool is_in = i < worker->count && plugin_step_is_selected(selection, &worker->steps[i]);
        if (is_in && first == SIZE_MAX)
            first = i;
        if (is_in || first == SIZE_MAX)
            continue;
        share.window_ns += worker->steps[i - 1].stop - worker->steps[first].start;
        share.kernel_ns += before[2 * i - 1] - before[2 * first];
        first = SIZE_MAX;
    }
    return share;
}

struct overlap_sum {
    const struct gpu_windows_list *windows;
    int64_t ns;
};

static void add_overlap(void *context, int64_t from, int64_t to)
{
    struct overlap_sum *inside = context;
    inside->ns += windows_overlap(inside->windows, from, to);
}

struct gpu_share_job {
    const struct profile *profile;
    const struct selection *selection;
    const struct plugin_steps *steps;
    const struct kernel_times *times; // NULL: the kernels must be read
    struct gpu_share *shares;
};

// Computes the window and kernel time of a GPU, if possible from kernel_times.
static void compute_share(void *context, size_t d, struct arena *scratch)
{
    const struct gpu_share_job *call = context;
    struct gpu_share *share = &call->shares[d];
    if (call->times && call->times->before[d]) {
        *share = share_of_steps(&call->steps->workers[call->times->worker[d]], call->selection,
                                call->times->before[d]);
        return;
    }
    struct gpu_windows_list windows =
        device_windows(call->profile, call->selection, call->steps, (uint32_t)d, scratch);
    struct overlap_sum inside = {.windows = &windows};
    for (size_t i = 0; i < windows.count; i++)
        share->window_ns += windows.to[i] - windows.from[i];
    walk_kernels(call->profile, call->selection, (uint32_t)d, add_overlap, &inside);
    share->kernel_ns = inside.ns;
}

static const struct gpu_share *shares_of(const struct profile *profile,
                                         const struct selection *selection,
                                         const struct plugin_steps *steps, struct arena *arena)
{
    struct gpu_share_job call = {.profile = profile, .selection = selection, .steps = steps};
    call.times = memo_get(&kernel_times_kind, profile, selection, arena);
    call.shares = ARENA_ARRAY(arena, struct gpu_share, (size_t)profile->device_count + 1);
    scratch_jobs(arena, profile->workers, profile->device_count, compute_share, &call);
    return call.shares;
}

const struct gpu_share *gpu_shares(const struct profile *profile, const struct selection *selection,
                                   struct arena *arena)
{
    return shares_of(profile, selection, plugin_steps_of(profile, selection, arena), arena);
}

// ---- a device -------------------------------------------------------------------------------

struct blocks_integral {
    const struct gpu_windows_list *windows;
    double ns;
};

static void blocks_add(void *context, int64_t from, int64_t to, uint32_t micro)
{
    struct blocks_integral *sum = context;
    sum->ns += (double)windows_overlap(sum->windows, from, to) *
               (micro < MICRO ? (double)micro / MICRO : 1);
}

static double blocks_time(const struct running_kernels *running,
                          const struct gpu_windows_list *windows, struct arena *scratch)
{
    struct blocks_integral sum = {.windows = windows};
    blocks_sweep(running, scratch, blocks_add, &sum);
    return sum.ns;
}

struct gpu_summary_job {
    const struct profile *profile;
    const struct selection *selection;
    const struct plugin_steps *steps;
    const struct gpu_share *shares;
    struct gpu_summary *summaries;
};

static void add_tensor_core(const struct gpu_summary_job *job, uint32_t work,
                            struct gpu_summary *summary)
{
    if (!selection_has_work(job->profile, job->selection, work))
        return;
    const struct function *function =
        &job->profile->functions[AT(job->profile->work.function, work)];
    int64_t length = work_duration(job->profile, work);
    summary->kernels++;
    summary->all_ns = add_saturating(summary->all_ns, length);
    if (function->tensor_core == STATE_YES)
        summary->tensor_core_ns = add_saturating(summary->tensor_core_ns, length);
    else if (function->tensor_core == STATE_UNKNOWN)
        summary->unknown_ns = add_saturating(summary->unknown_ns, length);
}

static void summarise_device(void *context, size_t d, struct arena *scratch)
{
    const struct gpu_summary_job *job = context;
    const struct profile *profile = job->profile;
    const struct device *device = &profile->devices[d];
    struct gpu_summary *summary = &job->summaries[d];
    struct gpu_windows_list windows =
        device_windows(profile, job->selection, job->steps, (uint32_t)d, scratch);
    size_t capacity = (size_t)(device->end_work - device->first_work) + 1;
    struct running_kernels running = {ARENA_ARRAY(scratch, int64_t, capacity),
                                      ARENA_ARRAY(scratch, int64_t, capacity),
                                      ARENA_ARRAY(scratch, int64_t, capacity), 0};
    struct launch_figures *shapes =
        ARENA_ARRAY(scratch, struct launch_figures, (size_t)profile->shape_count + 1);
    double occupied = 0, recorded = 0, known_ns = 0, recorded_ns = 0, kernel_ns = 0;
    summary->window_ns = job->shares[d].window_ns;
    summary->kernel_ns = job->shares[d].kernel_ns;
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        enum work_kind kind = profile->functions[AT(profile->work.function, w)].kind;
        int64_t start = AT(profile->work.start, w), end = AT(profile->work.end, w);
        if (kind != WORK_KERNEL ||
            !process_is_selected(profile, job->selection->process, work_process(profile, w)))
            continue;
        add_tensor_core(job, w, summary);
        double inside = (double)windows_overlap(&windows, start, end);
        kernel_ns += inside;
        const struct launch_shape *shape = work_launch_shape(profile, w);
        if (!shape)
            continue;
        struct launch_figures *figures = &shapes[shape - profile->shapes];
        if (!figures->is_made)
            *figures = launch_figures_of(profile, device, shape);
        summary->is_computed |= figures->is_computed;
        if (figures->micro_blocks != UNKNOWN && figures->micro_blocks > 0 && inside > 0) {
            running.start[running.count] = start;
            running.end[running.count] = end;
            running.micro_blocks[running.count++] = figures->micro_blocks;
        }
        if (figures->occupancy >= 0) {
            occupied += inside * figures->occupancy;
            known_ns += inside;
        }
        if (figures->told >= 0) {
            recorded += inside * figures->told;
            recorded_ns += inside;
        }
    }
    summary->sm_efficiency =
        running.count && summary->window_ns > 0
            ? blocks_time(&running, &windows, scratch) / (double)summary->window_ns
            : -1;
    summary->occupancy = known_ns > 0 ? occupied / known_ns : -1;
    summary->recorded_occupancy = recorded_ns > 0 ? recorded / recorded_ns : -1;
    summary->occupancy_known = kernel_ns > 0 ? known_ns / kernel_ns : -1;
}

const struct gpu_summary *gpu_summaries(const struct profile *profile,
                                        const struct selection *selection, struct arena *arena)
{
    struct gpu_summary_job job = {.profile = profile, .selection = selection};
    job.steps = plugin_steps_of(profile, selection, arena);
    job.shares = shares_of(profile, selection, job.steps, arena);
    job.summaries = ARENA_ARRAY(arena, struct gpu_summary, (size_t)profile->device_count + 1);
    scratch_jobs(arena, profile->workers, profile->device_count, summarise_device, &job);
    return job.summaries;
}
