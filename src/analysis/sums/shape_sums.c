// SPDX-License-Identifier: Apache-2.0
// Sums durations by function, launch shape and GPU, from partial sums or from the rows.
#include "analysis/sums/shape_sums.h"

#include "analysis/report/memo.h"
#include "analysis/report/partial_sums.h"
#include "analysis/report/stats.h"
#include "base/scratch.h"

struct shape_sums_build {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    void *result;
};

// ---- combinations of function, shape and GPU ----------------------------------------------------

struct shape_kinds {
    size_t count, capacity;
    struct shape_sum *items; // without figures
    struct column32 of_work;
};

static void build_kinds(void *context, struct arena *scratch)
{
    struct shape_sums_build *build = context;
    struct shape_kinds *result = build->result;
    const struct profile *profile = build->profile;
    const struct gpu_work *work = &profile->work;
    struct id_map map = {.arena = scratch};
    struct column_writer *of_work = column_begin(scratch);
    for (uint32_t w = 0; w < work->count; w++) {
        uint32_t shape = work_launch_shape(profile, w) ? AT(work->shape, w) : ROW_NONE;
        uint32_t *slot = id_map_slot(
            &map, (struct id_key){AT(work->function, w), shape, work_device(profile, w)});
        if (!*slot) {
            ARENA_PUSH(build->arena, result->items, result->count, result->capacity) =
                (struct shape_sum){.function = AT(work->function, w),
                                   .shape = shape,
                                   .device = work_device(profile, w)};
            *slot = (uint32_t)result->count;
        }
        column32_put(of_work, *slot - 1);
    }
    result->of_work = column32_end(of_work, build->arena);
}

static void *make_kinds(const struct profile *profile, const struct selection *selection,
                        struct arena *arena)
{
    struct shape_sums_build build = {profile, selection, arena,
                                     ARENA_NEW(arena, struct shape_kinds)};
    scratch_run(arena, build_kinds, &build);
    return build.result;
}

static const struct memo_kind shape_kinds = {.make = make_kinds};

// ---- partial sums per step ----------------------------------------------------------------------

enum { SUM_COUNT, SUM_TOTAL, SUM_EXCLUSIVE, MINIMUM, MAXIMUM, SUM_COLUMNS };

struct shape_adder {
    const struct profile *profile;
    const struct shape_kinds *kinds;
};

static void add_to_sums(struct partial_sums_builder *partial, const void *context, uint32_t work)
{
    const struct shape_adder *adder = context;
    uint32_t kind = AT(adder->kinds->of_work, work);
    int64_t ns = work_duration(adder->profile, work);
    partial_sums_add(partial, kind, SUM_COUNT, 1);
    partial_sums_add(partial, kind, SUM_TOTAL, ns);
    partial_sums_add(partial, kind, SUM_EXCLUSIVE, AT(adder->profile->work.exclusive, work));
    partial_sums_add(partial, kind, MINIMUM, ns);
    partial_sums_add(partial, kind, MAXIMUM, ns);
}

static void build_sums(void *context, struct arena *scratch)
{
    struct shape_sums_build *build = context;
    const struct profile *profile = build->profile;
    const struct shape_kinds *kinds =
        memo_require(&shape_kinds, profile, build->selection, scratch);
    struct partial_sums *result = build->result;
    *result = (struct partial_sums){.groups = (uint32_t)kinds->count,
                                    .columns = SUM_COLUMNS,
                                    .sums = MINIMUM,
                                    .minimum_count = 1};
    partial_sums_of_work(result, profile, build->selection, add_to_sums,
                         &(struct shape_adder){profile, kinds}, build->arena, scratch);
}

static void *make_sums(const struct profile *profile, const struct selection *selection,
                       struct arena *arena)
{
    struct shape_sums_build build = {profile, selection, arena,
                                     ARENA_NEW(arena, struct partial_sums)};
    scratch_run(arena, build_sums, &build);
    return build.result;
}

static const struct memo_kind sums_memo = {.fields = MEMO_PROCESS, .make = make_sums};

// ---- sums of a selection ------------------------------------------------------------------------

static void add_partial_sums(const struct partial_sums *partial, const struct selection *selection,
                             struct shape_sum *sums, struct arena *arena)
{
    int64_t *figures = ARENA_ARRAY(arena, int64_t, (size_t)partial->groups * SUM_COLUMNS + 1);
    partial_sums_total(partial, selection, figures, arena);
    for (uint32_t p = 0; p < partial->groups; p++) {
        const int64_t *row = &figures[(size_t)p * SUM_COLUMNS];
        sums[p].count = row[SUM_COUNT];
        sums[p].total_ns = row[SUM_TOTAL];
        sums[p].exclusive_ns = row[SUM_EXCLUSIVE];
        sums[p].min_ns = row[MINIMUM];
        sums[p].max_ns = row[MAXIMUM];
    }
}

static void add_work(const struct profile *profile, const struct selection *selection,
                     struct column32 kind_of, struct shape_sum *sums)
{
    const struct gpu_work *work = &profile->work;
    for (uint32_t w = 0; w < work->count; w++) {
        if (!selection_has_work(profile, selection, w))
            continue;
        struct shape_sum *sum = &sums[AT(kind_of, w)];
        int64_t ns = work_duration(profile, w);
        sum->min_ns = sum->count == 0 || ns < sum->min_ns ? ns : sum->min_ns;
        sum->max_ns = sum->count == 0 || ns > sum->max_ns ? ns : sum->max_ns;
        sum->count++;
        sum_add(&sum->total_ns, ns);
        if (HAS(work->exclusive))
            sum_add(&sum->exclusive_ns, AT(work->exclusive, w));
    }
}

struct shape_sums shape_sums_of(const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    const struct shape_kinds *kinds = memo_require(&shape_kinds, profile, selection, arena);
    const struct partial_sums *partial = NULL;
    struct shape_sums sums = {.items = ARENA_ARRAY(arena, struct shape_sum, kinds->count + 1)};
    for (size_t p = 0; p < kinds->count; p++)
        sums.items[p] = kinds->items[p];
    if (selection_is_unfiltered(selection) && HAS(profile->work.exclusive))
        partial = memo_get(&sums_memo, profile, selection, arena);
    if (partial)
        add_partial_sums(partial, selection, sums.items, arena);
    else
        add_work(profile, selection, kinds->of_work, sums.items);
    for (size_t p = 0; p < kinds->count; p++) {
        bool is_on_selected_device =
            selection->device == ROW_NONE || sums.items[p].device == selection->device;
        if (sums.items[p].count == 0 || !is_on_selected_device)
            continue;
        sums.items[sums.count] = sums.items[p];
        if (!HAS(profile->work.exclusive))
            sums.items[sums.count].exclusive_ns = UNKNOWN;
        sums.count++;
    }
    return sums;
}
