// SPDX-License-Identifier: Apache-2.0
#include "analysis/sums/counted_work.h"

#include "analysis/report/cells.h"
#include "analysis/report/dlprof_rules.h"
#include "analysis/report/memo.h"
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

// ---- kept per iteration ------------------------------------------------------------------------

enum { CELL_COUNT, CELL_GPU_NS, CELL_API_NS, CELL_COLUMNS };

struct kept {
    uint32_t count;
    uint32_t *kinds; // of each group
    struct cells cells;
};

struct making {
    const struct profile *profile;
    const struct selection *selection;
    struct kept *kept;
    struct arena *arena;
};

// Groups in the order in which they first occur; by work.
static uint32_t *number_groups(const struct making *making, struct arena *scratch)
{
    const struct profile *profile = making->profile;
    struct kept *kept = making->kept;
    size_t names = strings_count(profile->strings), count = 0, capacity = 0;
    uint32_t *numbers = ARENA_ARRAY(scratch, uint32_t, (names + 1) * COUNTED_KINDS);
    uint32_t *group = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->work.count + 1);
    for (uint32_t w = 0; w < profile->work.count; w++) {
        if (!selection_has_work(profile, making->selection, w))
            continue;
        uint32_t *number = &numbers[group_of(profile, w)];
        if (!*number) {
            *number = (uint32_t)count + 1;
            ARENA_PUSH(making->arena, kept->kinds, count, capacity) = kind_of(profile, w);
        }
        group[w] = *number - 1;
    }
    kept->count = (uint32_t)count;
    return group;
}

struct adding {
    const struct profile *profile;
    const uint32_t *group; // by work
};

static void add_work(struct cells_builder *cells, const void *context, uint32_t work)
{
    const struct adding *adding = context;
    uint32_t group = adding->group[work];
    cells_add(cells, group, CELL_COUNT, 1);
    cells_add(cells, group, CELL_GPU_NS, work_duration(adding->profile, work));
    cells_add(cells, group, CELL_API_NS, work_api_ns(adding->profile, work));
}

static void keep_body(void *context, struct arena *scratch)
{
    const struct making *making = context;
    struct kept *kept = making->kept;
    const struct adding adding = {making->profile, number_groups(making, scratch)};
    kept->cells =
        (struct cells){.groups = kept->count, .columns = CELL_COLUMNS, .sums = CELL_COLUMNS};
    cells_make_of_work(&kept->cells, making->profile, making->selection, add_work, &adding,
                       making->arena, scratch);
}

static void *keep(const struct profile *profile, const struct selection *selection,
                  struct arena *arena)
{
    struct making making = {profile, selection, ARENA_NEW(arena, struct kept), arena};
    scratch_run(arena, keep_body, &making);
    return making.kept;
}

static const struct memo_kind kept_work = {.fields = MEMO_PROCESS | MEMO_DEVICE, .make = keep};

// ---- adding up ---------------------------------------------------------------------------------

static void counted_add(struct counted *counted, int64_t gpu_ns, int64_t api_ns, bool is_new)
{
    sum_add(&counted->gpu_ns, gpu_ns);
    sum_add(&counted->api_ns, api_ns);
    counted->names += is_new;
}

void counted_work(const struct profile *profile, const struct selection *selection,
                  struct counted counted[COUNTED_KINDS], struct arena *arena)
{
    const struct kept *kept =
        selection_is_wide(selection) ? memo_get(&kept_work, profile, selection, arena) : NULL;
    if (kept) {
        int64_t *sums = ARENA_ARRAY(arena, int64_t, (size_t)kept->count * CELL_COLUMNS + 1);
        cells_sum(&kept->cells, selection, sums, arena);
        for (uint32_t g = 0; g < kept->count; g++) {
            const int64_t *own = &sums[(size_t)g * CELL_COLUMNS];
            if (own[CELL_COUNT] > 0)
                counted_add(&counted[kept->kinds[g]], own[CELL_GPU_NS], own[CELL_API_NS], true);
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
