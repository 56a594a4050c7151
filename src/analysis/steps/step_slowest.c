// SPDX-License-Identifier: Apache-2.0
// Finds the GPU that works longest in each step.
#include "analysis/steps/step_slowest.h"

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/gpu_windows.h"
#include "analysis/report/memo.h"
#include "analysis/steps/step_statistics.h"
#include "base/scratch.h"
#include "model/profile/ranks.h"

enum { MAX_STEP_GPU_PAIRS = 1 << 22 }; // limit of steps x GPUs

struct slowest_search {
    const struct profile *profile;
    struct selection selection;
    struct steps_slowest found;
};

// Returns [device * steps + step]: the time of work except communication; UNKNOWN: none in the
// step.
static int64_t *find_work_times(const struct slowest_search *search, const uint32_t *devices,
                                uint32_t count, struct arena *scratch, struct arena *temp)
{
    uint32_t steps = search->selection.split->count;
    int64_t *work_times = ARENA_ARRAY(scratch, int64_t, (size_t)count * steps + 1);
    struct selection selection = search->selection;
    selection.iterations = NULL;
    for (uint32_t d = 0; d < count; d++) {
        selection.device = devices[d];
        const struct breakdown *parts =
            breakdown_iterations(search->profile, &selection, &breakdown_gpu, temp);
        for (uint32_t i = 0; i < steps; i++) {
            int64_t ns = breakdown_busy_ns(&parts[i]) - parts[i].ns[GPU_COMMUNICATION];
            work_times[(size_t)d * steps + i] = parts[i].window_ns > 0 && ns > 0 ? ns : UNKNOWN;
        }
        arena_reset(temp);
    }
    return work_times;
}

static struct step_slowest slowest_of(const uint32_t *devices, const int64_t *numbers,
                                      const int64_t *own_ns, uint32_t count, struct arena *scratch)
{
    struct step_statistics statistics = step_statistics_of(own_ns, NULL, count, scratch);
    struct step_slowest slowest = {.device = ROW_NONE, .number = UNKNOWN};
    for (uint32_t d = 0; statistics.count > 1 && d < count; d++)
        if (own_ns[d] != UNKNOWN && own_ns[d] > slowest.own_ns)
            slowest = (struct step_slowest){
                .device = devices[d], .number = numbers[d], .own_ns = own_ns[d]};
    slowest.above_ns = slowest.device == ROW_NONE ? UNKNOWN : slowest.own_ns - statistics.median_ns;
    slowest.is_odd = slowest.device != ROW_NONE && slowest.above_ns > statistics.median_ns / 100 &&
                     slowest.above_ns > 5 * statistics.mad_ns;
    return slowest;
}

static void find_slowest(void *context, struct arena *scratch, struct arena *temp)
{
    struct slowest_search *search = context;
    const struct profile *profile = search->profile;
    uint32_t steps = search->selection.split->count, count = 0;
    uint32_t *devices = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->device_count + 1);
    int64_t *numbers = ARENA_ARRAY(scratch, int64_t, (size_t)profile->device_count + 1);
    int64_t *ns_of_devices = ARENA_ARRAY(scratch, int64_t, (size_t)profile->device_count + 1);
    for (uint32_t d = 0; d < profile->device_count; d++)
        if (gpu_counts(profile, &search->selection, d))
            devices[count++] = d;
    bool is_not_comparable = count < 2 || (uint64_t)count * steps > MAX_STEP_GPU_PAIRS;
    search->found.by_rank =
        !is_not_comparable && device_display_numbers(profile, devices, count, numbers, scratch);
    const int64_t *work_times =
        is_not_comparable ? NULL : find_work_times(search, devices, count, scratch, temp);
    for (uint32_t i = 0; i < steps; i++) {
        for (uint32_t d = 0; work_times && d < count; d++)
            ns_of_devices[d] = work_times[(size_t)d * steps + i];
        search->found.steps[i] =
            slowest_of(devices, numbers, ns_of_devices, work_times ? count : 0, temp);
        arena_reset(temp);
    }
}

static void *make_slowest(const struct profile *profile, const struct selection *selection,
                          struct arena *arena)
{
    struct slowest_search search = {.profile = profile, .selection = *selection};
    struct steps_slowest *found = ARENA_NEW(arena, struct steps_slowest);
    search.found.steps =
        ARENA_ARRAY(arena, struct step_slowest, (size_t)selection->split->count + 1);
    scratch_run_two(arena, find_slowest, &search);
    *found = search.found;
    return found;
}

static const struct memo_kind slowest_memo = {.fields = MEMO_PROCESS | MEMO_DEVICE,
                                              .make = make_slowest};

const struct steps_slowest *steps_slowest(const struct profile *profile,
                                          const struct selection *selection, struct arena *arena)
{
    return memo_require(&slowest_memo, profile, selection, arena);
}
