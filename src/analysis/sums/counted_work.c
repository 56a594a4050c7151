// SPDX-License-Identifier: Apache-2.0
// Sums GPU work by DLProf's counting rule, from partial sums or from the rows.
#include "analysis/sums/counted_work.h"

#include "analysis/report/dlprof_rules.h"
#include "analysis/report/memo.h"
#include "analysis/report/partial_sums.h"
#include "analysis/report/stats.h"
#include "analysis/sums/op_metrics.h"
#include "base/scratch.h"

static string_id name_of(const struct profile *profile, uint32_t work)
{
    const struct function *function = &profile->functions[AT(profile->work.function, work)];
    if (function_is_kernel(function))
        return function->brief;
    uint32_t launch = AT(profile->work.launch, work);
    return launch != ROW_NONE ? AT(profile->api.name, launch) : function->full;
}

static enum counted_kind kind_of(const struct profile *profile, uint32_t work)
{
    const struct function *function = &profile->functions[AT(profile->work.function, work)];
    return !function_is_kernel(function)  ? COUNTED_MEMORY
           : function->dlprof_tensor_core ? COUNTED_TC
                                          : COUNTED_OTHER;
}

static uint32_t group_of(const struct profile *profile, uint32_t work)
{
    return name_of(profile, work) * COUNTED_KINDS + kind_of(profile, work);
}

// ---- partial sums per step ----------------------------------------------------------------------

enum { SUM_COUNT, SUM_GPU_NS, SUM_API_NS, SUM_COLUMNS };

struct counted_sums {
    uint32_t count;
    uint32_t *kinds; // enum counted_kind of each group
    struct partial_sums partial;
};

struct counted_build {
    const struct profile *profile;
    const struct selection *selection;
    struct counted_sums *cached;
    struct arena *arena;
};

// Numbers the groups in order of first occurrence. Returns the group of each piece of work.
static uint32_t *number_groups(const struct counted_build *build, struct arena *scratch)
{
    const struct profile *profile = build->profile;
    struct counted_sums *cached = build->cached;
    size_t names = strings_count(profile->strings), count = 0, capacity = 0;
    uint32_t *numbers = ARENA_ARRAY(scratch, uint32_t, (names + 1) * COUNTED_KINDS);
    uint32_t *group = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->work.count + 1);
    for (uint32_t w = 0; w < profile->work.count; w++) {
        if (!selection_has_work(profile, build->selection, w))
            continue;
        uint32_t *number = &numbers[group_of(profile, w)];
        if (!*number) {
            *number = (uint32_t)count + 1;
            ARENA_PUSH(build->arena, cached->kinds, count, capacity) = kind_of(profile, w);
        }
        group[w] = *number - 1;
    }
    cached->count = (uint32_t)count;
    return group;
}

struct counted_adder {
    const struct profile *profile;
    const uint32_t *group; // by row of work
};

static void add_work(struct partial_sums_builder *partial, const void *context, uint32_t work)
{
    const struct counted_adder *adder = context;
    uint32_t group = adder->group[work];
    partial_sums_add(partial, group, SUM_COUNT, 1);
    partial_sums_add(partial, group, SUM_GPU_NS, work_duration(adder->profile, work));
    partial_sums_add(partial, group, SUM_API_NS, work_api_ns(adder->profile, work));
}

static void build_sums(void *context, struct arena *scratch)
{
    const struct counted_build *build = context;
    struct counted_sums *cached = build->cached;
    const struct counted_adder adder = {build->profile, number_groups(build, scratch)};
    cached->partial =
        (struct partial_sums){.groups = cached->count, .columns = SUM_COLUMNS, .sums = SUM_COLUMNS};
    partial_sums_of_work(&cached->partial, build->profile, build->selection, add_work, &adder,
                         build->arena, scratch);
}

static void *make_sums(const struct profile *profile, const struct selection *selection,
                       struct arena *arena)
{
    struct counted_build build = {profile, selection, ARENA_NEW(arena, struct counted_sums), arena};
    scratch_run(arena, build_sums, &build);
    return build.cached;
}

static const struct memo_kind counted_memo = {.fields = MEMO_PROCESS | MEMO_DEVICE,
                                              .make = make_sums};

// ---- sums of a selection ------------------------------------------------------------------------

static void counted_add(struct counted *counted, int64_t gpu_ns, int64_t api_ns, bool is_new)
{
    sum_add(&counted->gpu_ns, gpu_ns);
    sum_add(&counted->api_ns, api_ns);
    counted->names += is_new;
}

void counted_work(const struct profile *profile, const struct selection *selection,
                  struct counted counted[COUNTED_KINDS], struct arena *arena)
{
    const struct counted_sums *cached = selection_is_unfiltered(selection)
                                            ? memo_get(&counted_memo, profile, selection, arena)
                                            : NULL;
    if (cached) {
        int64_t *sums = ARENA_ARRAY(arena, int64_t, (size_t)cached->count * SUM_COLUMNS + 1);
        partial_sums_total(&cached->partial, selection, sums, arena);
        for (uint32_t g = 0; g < cached->count; g++) {
            const int64_t *row = &sums[(size_t)g * SUM_COLUMNS];
            if (row[SUM_COUNT] > 0)
                counted_add(&counted[cached->kinds[g]], row[SUM_GPU_NS], row[SUM_API_NS], true);
        }
        return;
    }
    size_t names = strings_count(profile->strings);
    bool *seen = ARENA_ARRAY(arena, bool, (names + 1) * COUNTED_KINDS);
    for (uint32_t w = 0; w < profile->work.count; w++) {
        if (!selection_has_work(profile, selection, w))
            continue;
        uint32_t group = group_of(profile, w);
        counted_add(&counted[kind_of(profile, w)], work_duration(profile, w),
                    work_api_ns(profile, w), !seen[group]);
        seen[group] = true;
    }
}
