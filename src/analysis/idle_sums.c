// SPDX-License-Identifier: Apache-2.0
#include "analysis/idle_sums.h"

#include "analysis/breakdown_scheme.h"
#include "model/scratch.h"

void idle_windows(const struct profile *profile, const struct selection *selection, uint32_t device,
                  void (*add)(void *context, uint32_t iteration, int64_t from, int64_t to),
                  void *context)
{
    if (!selection->iterations) {
        struct window all = breakdown_gpu_rules.window(profile, selection, device, ROW_NONE);
        if (all.to > all.from) {
            add(context, ROW_NONE, all.from, all.to);
            return;
        }
    }
    for (uint32_t i = 0; i < selection->split->count; i++) {
        if (!selection_has_iteration(selection, i))
            continue;
        struct window one = breakdown_gpu_rules.window(profile, selection, device, i);
        if (one.to > one.from)
            add(context, i, one.from, one.to);
    }
}

// ---- sums over devices -------------------------------------------------------------------------

struct job {
    const struct profile *profile;
    const struct selection *selection;
    struct idle_sum *devices;    // by device, or NULL
    struct idle_sum *iterations; // sums over devices, or NULL
    const struct idle *idle;     // of the device at hand
    struct idle_sum *sum;        // that windows go into
};

static void add_window(void *context, uint32_t iteration, int64_t from, int64_t to)
{
    const struct job *job = context;
    (void)iteration;
    idle_add(job->idle, from, to, job->sum->ns);
}

static void job_body(void *context, struct arena *scratch)
{
    struct job *job = context;
    const struct profile *profile = job->profile;
    const struct selection *selection = job->selection;
    const struct idle *all = idle_find(profile, selection->device, selection->process, scratch);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if ((selection->device != ROW_NONE && selection->device != d) || all[d].count == 0 ||
            !breakdown_gpu_rules.counts(profile, selection, d))
            continue;
        job->idle = &all[d];
        if (job->devices) {
            job->sum = &job->devices[d];
            idle_windows(profile, selection, d, add_window, job);
        }
        for (uint32_t i = 0; job->iterations && i < selection->split->count; i++) {
            struct window one = breakdown_gpu_rules.window(profile, selection, d, i);
            idle_add(job->idle, one.from, one.to, job->iterations[i].ns);
        }
    }
}

static void sum_up(struct idle_sum *sum)
{
    sum->idle_ns = 0;
    for (int c = 0; c < IDLE_CAUSES; c++)
        sum->idle_ns += sum->ns[c];
}

struct idle_sum *idle_devices(const struct profile *profile, const struct selection *selection,
                              struct arena *arena)
{
    struct job job = {.profile = profile, .selection = selection};
    job.devices = ARENA_ARRAY(arena, struct idle_sum, (size_t)profile->device_count + 1);
    scratch_run(arena, job_body, &job);
    for (uint32_t d = 0; d < profile->device_count; d++)
        sum_up(&job.devices[d]);
    return job.devices;
}

// Makes sums over devices a mean that adds up to `idle_ns`, itself a rounded one: each its share,
// what rounding leaves to the largest.
static struct idle_sum sum_mean(struct idle_sum sum, int64_t idle_ns)
{
    struct idle_sum mean = {.idle_ns = idle_ns};
    int64_t left = idle_ns;
    int most = IDLE_UNKNOWN;
    sum_up(&sum);
    for (int c = 0; c < IDLE_CAUSES; c++) {
        if (sum.idle_ns > 0)
            mean.ns[c] = (int64_t)((double)idle_ns * ((double)sum.ns[c] / (double)sum.idle_ns));
        mean.ns[c] = mean.ns[c] < left ? mean.ns[c] : left;
        left -= mean.ns[c];
        most = mean.ns[c] > mean.ns[most] ? c : most;
    }
    mean.ns[most] += left;
    return mean;
}

struct idle_sum idle_total(const struct profile *profile, const struct selection *selection,
                           const struct breakdown *total, struct arena *arena)
{
    struct idle_sum sum = {0};
    const struct idle_sum *devices = idle_devices(profile, selection, arena);
    for (uint32_t d = 0; d < profile->device_count; d++)
        for (int c = 0; c < IDLE_CAUSES; c++)
            sum.ns[c] += devices[d].ns[c];
    return sum_mean(sum, total->ns[GPU_IDLE]);
}

struct idle_sum *idle_iterations(const struct profile *profile, const struct selection *selection,
                                 const struct breakdown *each, struct arena *arena)
{
    struct job job = {.profile = profile, .selection = selection};
    job.iterations = ARENA_ARRAY(arena, struct idle_sum, (size_t)selection->split->count + 1);
    scratch_run(arena, job_body, &job);
    for (uint32_t i = 0; i < selection->split->count; i++)
        job.iterations[i] = sum_mean(job.iterations[i], each[i].ns[GPU_IDLE]);
    return job.iterations;
}

size_t idle_order(const struct idle_sum *sum, enum idle_cause order[IDLE_CAUSES])
{
    size_t count = 0;
    for (int c = 0; c < IDLE_CAUSES; c++) {
        size_t at = count;
        for (; at > 0 && sum->ns[order[at - 1]] < sum->ns[c]; at--)
            order[at] = order[at - 1];
        order[at] = (enum idle_cause)c;
        count++;
    }
    while (count > 0 && sum->ns[order[count - 1]] <= 0)
        count--;
    return count;
}
