// SPDX-License-Identifier: Apache-2.0
// Builds DLProf's kernel rows, see op_kernels.h.
#include "analysis/sums/op_kernels.h"

#include <string.h>

#include "analysis/report/dlprof_rules.h"
#include "base/sort.h"

static int compare_functions(const void *context, uint32_t a, uint32_t b)
{
    const struct profile *profile = context;
    string_id left = profile->functions[a].brief, right = profile->functions[b].brief;
    return left == right ? 0 : strcmp(profile_text(profile, left), profile_text(profile, right));
}

// Returns the rank of each function's short name in byte order; equal names have equal ranks.
static uint32_t *short_name_ranks(const struct profile *profile, struct arena *arena)
{
    uint32_t count = profile->function_count;
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, count + 1);
    uint32_t *rank = ARENA_ARRAY(arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    sort_ids(order, count, compare_functions, profile, arena);
    for (uint32_t i = 1; i < count; i++)
        rank[order[i]] = rank[order[i - 1]] + (profile->functions[order[i]].brief !=
                                               profile->functions[order[i - 1]].brief);
    return rank;
}

struct kernel_launch_order {
    const struct profile *profile;
    const uint32_t *rank;
};

static int64_t launch_time(const struct profile *profile, uint32_t work)
{
    uint32_t launch = AT(profile->work.launch, work);
    return launch != ROW_NONE ? AT(profile->api.start, launch) : AT(profile->work.start, work);
}

static int compare_launches(const void *context, uint32_t a, uint32_t b)
{
    const struct kernel_launch_order *order = context;
    const struct profile *profile = order->profile;
    uint32_t left = order->rank[AT(profile->work.function, a)];
    uint32_t right = order->rank[AT(profile->work.function, b)];
    if (left != right)
        return left < right ? -1 : 1;
    int64_t left_ns = launch_time(profile, a), right_ns = launch_time(profile, b);
    if (left_ns != right_ns)
        return left_ns < right_ns ? -1 : 1;
    return (AT(profile->work.start, a) > AT(profile->work.start, b)) -
           (AT(profile->work.start, a) < AT(profile->work.start, b));
}

// Appends the selected kernels of one op to `list`. Returns their number.
static uint32_t collect_op_kernels(const struct profile *profile, const struct selection *selection,
                                   const struct op *op, uint32_t *list)
{
    const struct ops *ops = profile->ops;
    uint32_t count = 0;
    for (uint32_t i = 0; i < op->instance_count; i++) {
        uint32_t instance = AT(ops->by_op, op->first_instance + i);
        struct row_span span = op_work(ops, instance);
        for (uint32_t w = span.first; w < span.end; w++) {
            uint32_t work = AT(ops->work_rows, w);
            if (work_is_kernel(profile, work) && selection_has_work(profile, selection, work))
                list[count++] = work;
        }
    }
    return count;
}

// Adds a launch to a kernel row.
static void kernel_add(const struct profile *profile, struct op_kernel *kernel, uint32_t work)
{
    metric_add(&kernel->gpu, kernel->calls, work_duration(profile, work));
    metric_add(&kernel->api, kernel->calls, work_api_ns(profile, work));
    kernel->calls++;
    kernel->function = AT(profile->work.function, work);
    kernel->uses_tc = kernel->uses_tc || work_uses_tc(profile, work);
}

struct op_launches op_launches_build(const struct profile *profile,
                                     const struct selection *selection, struct op_kernels *kernels,
                                     struct arena *arena)
{
    struct op_launches launches = {0};
    const struct ops *ops = profile->ops;
    *kernels = (struct op_kernels){0};
    if (!ops)
        return launches;
    size_t capacity = 0;
    launches.work = ARENA_ARRAY(arena, uint32_t, (size_t)profile->work.count + 1);
    launches.kernel = ARENA_ARRAY(arena, uint32_t, (size_t)profile->work.count + 1);
    const uint32_t *rank = short_name_ranks(profile, arena), *order = ops_by_name(profile, arena);
    struct kernel_launch_order by_launch = {profile, rank};
    size_t kernel_count = 0;
    for (uint32_t o = 0; o < ops->count; o++) {
        const struct op *op = &ops->items[order[o]];
        uint32_t *list = launches.work + launches.count;
        uint32_t count = collect_op_kernels(profile, selection, op, list);
        sort_ids(list, count, compare_launches, &by_launch, arena);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t function = AT(profile->work.function, list[i]);
            if (i == 0 || rank[function] != rank[AT(profile->work.function, list[i - 1])])
                ARENA_PUSH(arena, kernels->items, kernel_count, capacity) =
                    (struct op_kernel){.op = order[o], .name = profile->functions[function].brief};
            kernel_add(profile, &kernels->items[kernel_count - 1], list[i]);
            launches.kernel[launches.count + i] = (uint32_t)kernel_count - 1;
        }
        launches.count += count;
    }
    kernels->count = (uint32_t)kernel_count;
    return launches;
}

struct op_kernels op_kernels_build(const struct profile *profile, const struct selection *selection,
                                   struct arena *arena)
{
    struct op_kernels kernels;
    struct op_launches launches = op_launches_build(profile, selection, &kernels, arena);
    ARENA_RELEASE(arena, launches.work, profile->work.count + 1);
    ARENA_RELEASE(arena, launches.kernel, profile->work.count + 1);
    return kernels;
}
