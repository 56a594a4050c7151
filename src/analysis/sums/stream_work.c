// SPDX-License-Identifier: Apache-2.0
#include "analysis/sums/stream_work.h"

#include "analysis/report/cells.h"
#include "analysis/report/memo.h"
#include "analysis/report/stats.h"
#include "base/scratch.h"

enum { CELL_KERNELS, CELL_COPIES, CELL_GRAPHS, CELL_NS, CELL_COLUMNS = CELL_NS + CLASS_COUNT };

struct making {
    const struct profile *profile;
    const struct selection *selection;
    struct cells *cells;
    struct arena *arena;
};

// The column that counts work of a function.
static uint32_t counted_in(const struct function *function)
{
    return function->kind == WORK_KERNEL  ? CELL_KERNELS
           : function->kind == WORK_GRAPH ? CELL_GRAPHS
                                          : CELL_COPIES;
}

static void add_work(struct cells_builder *cells, const void *context, uint32_t work)
{
    const struct profile *profile = context;
    const struct function *function = &profile->functions[AT(profile->work.function, work)];
    cells_add(cells, AT(profile->work.stream, work), counted_in(function), 1);
    cells_add(cells, AT(profile->work.stream, work), CELL_NS + function->class,
              work_duration(profile, work));
}

static void keep_body(void *context, struct arena *scratch)
{
    const struct making *making = context;
    *making->cells = (struct cells){
        .groups = making->profile->stream_count, .columns = CELL_COLUMNS, .sums = CELL_COLUMNS};
    cells_make_of_work(making->cells, making->profile, making->selection, add_work, making->profile,
                       making->arena, scratch);
}

static void *keep(const struct profile *profile, const struct selection *selection,
                  struct arena *arena)
{
    struct making making = {profile, selection, ARENA_NEW(arena, struct cells), arena};
    scratch_run(arena, keep_body, &making);
    return making.cells;
}

// By going through the selected work.
static void sum_rows(const struct profile *profile, const struct selection *selection,
                     int64_t *sums)
{
    for (uint32_t w = 0; w < profile->work.count; w++) {
        if (!selection_has_work(profile, selection, w))
            continue;
        const struct function *function = &profile->functions[AT(profile->work.function, w)];
        int64_t *own = &sums[(size_t)AT(profile->work.stream, w) * CELL_COLUMNS];
        own[counted_in(function)]++;
        sum_add(&own[CELL_NS + function->class], work_duration(profile, w));
    }
}

struct stream_work *stream_work_of(const struct profile *profile, const struct selection *selection,
                                   struct arena *arena)
{
    static const struct memo_kind kind = {.fields = MEMO_PROCESS | MEMO_DEVICE, .make = keep};
    uint32_t count = profile->stream_count;
    int64_t *sums = ARENA_ARRAY(arena, int64_t, (size_t)count * CELL_COLUMNS + 1);
    struct stream_work *streams = ARENA_ARRAY(arena, struct stream_work, (size_t)count + 1);
    const struct cells *cells =
        selection_is_wide(selection) ? memo_get(&kind, profile, selection, arena) : NULL;
    if (cells)
        cells_sum(cells, selection, sums, arena);
    else
        sum_rows(profile, selection, sums);
    for (uint32_t s = 0; s < count; s++) {
        const int64_t *own = &sums[(size_t)s * CELL_COLUMNS];
        streams[s] = (struct stream_work){
            .kernels = own[CELL_KERNELS], .copies = own[CELL_COPIES], .graphs = own[CELL_GRAPHS]};
        for (int c = 0; c < CLASS_COUNT; c++)
            streams[s].ns[c] = own[CELL_NS + c];
    }
    return streams;
}
