// SPDX-License-Identifier: Apache-2.0
#include "analysis/sums/shape_sums.h"

#include "analysis/report/cells.h"
#include "analysis/report/memo.h"
#include "analysis/report/stats.h"
#include "base/scratch.h"

struct making {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    void *kept;
};

// ---- which there are ----------------------------------------------------------------------------

struct kept_kinds {
    size_t count, capacity;
    struct shape_sum *items; // without figures
    struct column32 of_work;
};

static void kinds_body(void *context, struct arena *scratch)
{
    struct making *making = context;
    struct kept_kinds *kept = making->kept;
    const struct profile *profile = making->profile;
    const struct gpu_work *work = &profile->work;
    struct id_map map = {.arena = scratch};
    struct column_writer *of_work = column_begin(scratch);
    for (uint32_t w = 0; w < work->count; w++) {
        uint32_t shape = work_launch_shape(profile, w) ? AT(work->shape, w) : ROW_NONE;
        uint32_t *slot = id_map_slot(
            &map, (struct id_key){AT(work->function, w), shape, work_device(profile, w)});
        if (!*slot) {
            ARENA_PUSH(making->arena, kept->items, kept->count, kept->capacity) =
                (struct shape_sum){.function = AT(work->function, w),
                                   .shape = shape,
                                   .device = work_device(profile, w)};
            *slot = (uint32_t)kept->count;
        }
        column32_put(of_work, *slot - 1);
    }
    kept->of_work = column32_end(of_work, making->arena);
}

static void *kinds_make(const struct profile *profile, const struct selection *selection,
                        struct arena *arena)
{
    struct making making = {profile, selection, arena, ARENA_NEW(arena, struct kept_kinds)};
    scratch_run(arena, kinds_body, &making);
    return making.kept;
}

static const struct memo_kind kept_kinds = {.make = kinds_make};

// ---- by iteration ------------------------------------------------------------------------------

enum { CELL_COUNT, CELL_TOTAL, CELL_EXCLUSIVE, CELL_MIN, CELL_MAX, CELL_COLUMNS };

struct adding {
    const struct profile *profile;
    const struct kept_kinds *kinds;
};

static void add_cells(struct cells_builder *cells, const void *context, uint32_t work)
{
    const struct adding *adding = context;
    uint32_t kind = AT(adding->kinds->of_work, work);
    int64_t ns = work_duration(adding->profile, work);
    cells_add(cells, kind, CELL_COUNT, 1);
    cells_add(cells, kind, CELL_TOTAL, ns);
    cells_add(cells, kind, CELL_EXCLUSIVE, AT(adding->profile->work.exclusive, work));
    cells_add(cells, kind, CELL_MIN, ns);
    cells_add(cells, kind, CELL_MAX, ns);
}

static void cells_body(void *context, struct arena *scratch)
{
    struct making *making = context;
    const struct profile *profile = making->profile;
    const struct kept_kinds *kinds = memo_make(&kept_kinds, profile, making->selection, scratch);
    struct cells *kept = making->kept;
    *kept = (struct cells){
        .groups = (uint32_t)kinds->count, .columns = CELL_COLUMNS, .sums = CELL_MIN, .leasts = 1};
    cells_make_of_work(kept, profile, making->selection, add_cells,
                       &(struct adding){profile, kinds}, making->arena, scratch);
}

static void *cells_make(const struct profile *profile, const struct selection *selection,
                        struct arena *arena)
{
    struct making making = {profile, selection, arena, ARENA_NEW(arena, struct cells)};
    scratch_run(arena, cells_body, &making);
    return making.kept;
}

static const struct memo_kind kept_cells = {.fields = MEMO_PROCESS, .make = cells_make};

// ---- of a selection ----------------------------------------------------------------------------

static void add_kept(const struct cells *cells, const struct selection *selection,
                     struct shape_sum *sums, struct arena *arena)
{
    int64_t *figures = ARENA_ARRAY(arena, int64_t, (size_t)cells->groups * CELL_COLUMNS + 1);
    cells_sum(cells, selection, figures, arena);
    for (uint32_t p = 0; p < cells->groups; p++) {
        const int64_t *own = &figures[(size_t)p * CELL_COLUMNS];
        sums[p].count = own[CELL_COUNT];
        sums[p].total_ns = own[CELL_TOTAL];
        sums[p].exclusive_ns = own[CELL_EXCLUSIVE];
        sums[p].min_ns = own[CELL_MIN];
        sums[p].max_ns = own[CELL_MAX];
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
    const struct kept_kinds *kinds = memo_make(&kept_kinds, profile, selection, arena);
    const struct cells *cells = NULL;
    struct shape_sums sums = {.items = ARENA_ARRAY(arena, struct shape_sum, kinds->count + 1)};
    for (size_t p = 0; p < kinds->count; p++)
        sums.items[p] = kinds->items[p];
    if (selection_is_wide(selection) && HAS(profile->work.exclusive))
        cells = memo_get(&kept_cells, profile, selection, arena);
    if (cells)
        add_kept(cells, selection, sums.items, arena);
    else
        add_work(profile, selection, kinds->of_work, sums.items);
    for (size_t p = 0; p < kinds->count; p++) {
        bool is_here = selection->device == ROW_NONE || sums.items[p].device == selection->device;
        if (sums.items[p].count == 0 || !is_here)
            continue;
        sums.items[sums.count] = sums.items[p];
        if (!HAS(profile->work.exclusive))
            sums.items[sums.count].exclusive_ns = UNKNOWN;
        sums.count++;
    }
    return sums;
}
