// SPDX-License-Identifier: Apache-2.0
// Sums of idle time by cause over windows of steps, and walks over the parts of idle time, cut at
// these windows (pieces).
#include "analysis/idle/idle_sums.h"

#include "analysis/breakdown/gpu_windows.h"
#include "analysis/report/memo.h"
#include "base/scratch.h"
#include "base/sums.h"

// ---- sums over devices ----------------------------------------------------------------------

// limit of sums stored for all GPUs, since a file may have any number of steps
enum { MAX_STORED_SUMS = 1 << 23 };

// Returns, for each selected GPU, [step * IDLE_CAUSES + cause]: the idle time of each step.
static void *make_step_sums(const struct profile *profile, const struct selection *selection,
                            struct arena *arena)
{
    const struct idle *all = idle_of(profile, selection, arena);
    uint32_t count = selection->split->count;
    int64_t free_sums = MAX_STORED_SUMS;
    int64_t **step_sums = ARENA_ARRAY(arena, int64_t *, (size_t)profile->device_count + 1);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (!gpu_counts(profile, selection, d))
            continue;
        free_sums -= (int64_t)count * IDLE_CAUSES;
        if (free_sums < 0) // the remaining GPUs are recomputed on each query
            break;
        step_sums[d] = ARENA_ARRAY(arena, int64_t, (size_t)count * IDLE_CAUSES + 1);
        for (uint32_t i = 0; i < count; i++) {
            struct window window = breakdown_gpu_rules.window(profile, selection, d, i);
            idle_add(&all[d], window.from, window.to, step_sums[d] + (size_t)i * IDLE_CAUSES);
        }
    }
    return step_sums;
}

static const struct memo_kind step_sums_memo = {.fields = MEMO_PROCESS | MEMO_DEVICE,
                                                .make = make_step_sums};

struct idle_job {
    const struct profile *profile;
    const struct selection *selection;
    struct idle_sum *devices;    // [device]; or NULL
    struct idle_sum *iterations; // [step]: sums over devices; or NULL
    const struct idle *idle;     // of the current device
    const int64_t *step_sums;    // make_step_sums() of it; NULL: not stored
    struct idle_sum *sum;        // where add_window() adds
};

static void add_idle(const struct idle_job *job, uint32_t iteration, struct window window,
                     struct idle_sum *sum)
{
    int64_t computed_ns[IDLE_CAUSES] = {0};
    const int64_t *ns = computed_ns;
    if (job->step_sums && iteration != ROW_NONE)
        ns = job->step_sums + (size_t)iteration * IDLE_CAUSES;
    else
        idle_add(job->idle, window.from, window.to, computed_ns);
    for (int c = 0; c < IDLE_CAUSES; c++)
        sum->ns[c] = add_saturating(sum->ns[c], ns[c]);
}

static void add_window(void *context, uint32_t iteration, struct window window)
{
    const struct idle_job *job = context;
    job->sum->window_ns = add_saturating(job->sum->window_ns, window.to - window.from);
    add_idle(job, iteration, window, job->sum);
}

static void add_devices(void *context, struct arena *scratch)
{
    struct idle_job *job = context;
    const struct profile *profile = job->profile;
    const struct selection *selection = job->selection;
    const struct idle *all = idle_of(profile, selection, scratch);
    int64_t *const *step_sums = memo_get(&step_sums_memo, profile, selection, scratch);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (!gpu_counts(profile, selection, d))
            continue;
        job->idle = &all[d];
        job->step_sums = step_sums ? step_sums[d] : NULL;
        if (job->devices) {
            job->sum = &job->devices[d];
            gpu_windows(profile, selection, d, add_window, job);
        }
        for (uint32_t i = 0; job->iterations && i < selection->split->count; i++)
            add_idle(job, i, breakdown_gpu_rules.window(profile, selection, d, i),
                     &job->iterations[i]);
    }
}

static void add_up_causes(struct idle_sum *sum)
{
    sum->idle_ns = 0;
    for (int c = 0; c < IDLE_CAUSES; c++)
        sum->idle_ns = add_saturating(sum->idle_ns, sum->ns[c]);
}

struct idle_sum *idle_devices(const struct profile *profile, const struct selection *selection,
                              struct arena *arena)
{
    struct idle_job job = {.profile = profile, .selection = selection};
    job.devices = ARENA_ARRAY(arena, struct idle_sum, (size_t)profile->device_count + 1);
    scratch_run(arena, add_devices, &job);
    for (uint32_t d = 0; d < profile->device_count; d++)
        add_up_causes(&job.devices[d]);
    return job.devices;
}

// Returns a mean whose causes have the proportions of `sum` and add up to `idle_ns` exactly. The
// largest cause gets the rounding error.
static struct idle_sum sum_mean(struct idle_sum sum, int64_t idle_ns)
{
    struct idle_sum mean = {.idle_ns = idle_ns};
    int64_t remaining = idle_ns;
    int largest = IDLE_UNKNOWN;
    add_up_causes(&sum);
    for (int c = 0; c < IDLE_CAUSES; c++) {
        if (sum.idle_ns > 0)
            mean.ns[c] = (int64_t)((double)idle_ns * ((double)sum.ns[c] / (double)sum.idle_ns));
        mean.ns[c] = mean.ns[c] < remaining ? mean.ns[c] : remaining;
        remaining -= mean.ns[c];
        largest = mean.ns[c] > mean.ns[largest] ? c : largest;
    }
    mean.ns[largest] += remaining;
    return mean;
}

struct idle_sum idle_total(const struct profile *profile, const struct selection *selection,
                           const struct breakdown *total, struct arena *arena)
{
    struct idle_sum sum = {0};
    const struct idle_sum *devices = idle_devices(profile, selection, arena);
    for (uint32_t d = 0; d < profile->device_count; d++)
        for (int c = 0; c < IDLE_CAUSES; c++)
            sum.ns[c] = add_saturating(sum.ns[c], devices[d].ns[c]);
    return sum_mean(sum, total->ns[GPU_IDLE]);
}

struct idle_sum *idle_iterations(const struct profile *profile, const struct selection *selection,
                                 const struct breakdown *each, struct arena *arena)
{
    struct idle_job job = {.profile = profile, .selection = selection};
    job.iterations = ARENA_ARRAY(arena, struct idle_sum, (size_t)selection->split->count + 1);
    scratch_run(arena, add_devices, &job);
    for (uint32_t i = 0; i < selection->split->count; i++)
        job.iterations[i] = sum_mean(job.iterations[i], each[i].ns[GPU_IDLE]);
    return job.iterations;
}

size_t idle_order(const struct idle_sum *sum, enum idle_cause order[IDLE_CAUSES])
{
    size_t count = 0;
    for (int c = 0; c < IDLE_CAUSES; c++) {
        size_t position = count;
        for (; position > 0 && sum->ns[order[position - 1]] < sum->ns[c]; position--)
            order[position] = order[position - 1];
        order[position] = (enum idle_cause)c;
        count++;
    }
    while (count > 0 && sum->ns[order[count - 1]] <= 0)
        count--;
    return count;
}

// ---- pieces ---------------------------------------------------------------------------------

struct idle_walk {
    const struct profile *profile;
    const struct selection *selection;
    const struct idle *idle; // of the device
    uint32_t device;
    uint32_t iteration; // current or next step
    void (*add)(void *context, const struct idle_piece *piece);
    void *context;
};

// Returns the step at `time`, or ROW_NONE. Used if the window is not that of a step. Times must be
// passed in ascending order. If the windows of steps are out of order, some pieces get no step.
static uint32_t iteration_at(struct idle_walk *walk, int64_t time)
{
    const struct split *split = walk->selection->split;
    for (; walk->iteration < split->count; walk->iteration++) {
        struct window window = breakdown_gpu_rules.window(walk->profile, walk->selection,
                                                          walk->device, walk->iteration);
        if (window.to > time)
            return window.from <= time ? walk->iteration : ROW_NONE;
    }
    return ROW_NONE;
}

static bool is_selected_node(const struct idle_walk *walk, uint32_t node)
{
    const struct selection *selection = walk->selection;
    return selection->node == ROW_NONE ||
           (node >= selection->node &&
            node < selection_tree(walk->profile, selection)->subtree_end[selection->node]);
}

// Calls add() for the selected pieces within a window.
static void walk_window(void *context, uint32_t iteration, struct window window)
{
    struct idle_walk *walk = context;
    const struct selection *selection = walk->selection;
    for (size_t p = idle_at(walk->idle, window.from);
         p < walk->idle->count && idle_part_from(walk->idle, p) < window.to; p++) {
        struct idle_piece piece = {
            .part = idle_part_at(walk->idle, p), .index = p, .device = walk->device};
        piece.from = piece.part.from > window.from ? piece.part.from : window.from;
        piece.to = piece.part.to < window.to ? piece.part.to : window.to;
        piece.iteration = iteration == ROW_NONE ? iteration_at(walk, piece.from) : iteration;
        if (selection->idle_cause != ROW_NONE && piece.part.cause != selection->idle_cause)
            continue;
        piece.node = idle_node(walk->profile, selection, &piece.part);
        if (is_selected_node(walk, piece.node))
            walk->add(walk->context, &piece);
    }
}

void idle_each(const struct profile *profile, const struct selection *selection,
               const struct idle *idle, void (*add)(void *context, const struct idle_piece *piece),
               void *context)
{
    for (uint32_t d = 0; d < profile->device_count; d++) {
        struct idle_walk walk = {profile, selection, &idle[d], d, 0, add, context};
        if (idle[d].count > 0 && gpu_counts(profile, selection, d))
            gpu_windows(profile, selection, d, walk_window, &walk);
    }
}

void idle_step_each(const struct profile *profile, const struct selection *selection,
                    const struct idle *idle, uint32_t device, uint32_t iteration,
                    void (*add)(void *context, const struct idle_piece *piece), void *context)
{
    struct idle_walk walk = {profile, selection, &idle[device], device, 0, add, context};
    struct window window = breakdown_gpu_rules.window(profile, selection, device, iteration);
    if (window.to > window.from)
        walk_window(&walk, iteration, window);
}
