// SPDX-License-Identifier: Apache-2.0
#include "analysis/stream_work.h"

#include "analysis/cells.h"
#include "analysis/memo.h"
#include "analysis/stats.h"
#include "model/scratch.h"

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

static void keep_body(void *context, struct arena *scratch)
{
    const struct making *making = context;
    const struct profile *profile = making->profile;
    const struct split *split = making->selection->split;
    uint32_t lines = split->count + 1, count = profile->work.count;
    uint32_t *line = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    for (uint32_t w = 0; w < count; w++)
        line[w] = selection_has_work(profile, making->selection, w)
                      ? cells_line_of(split, split->of_work[w])
                      : ROW_NONE;
    *making->cells = (struct cells){.groups = profile->stream_count,
                                    .columns = CELL_COLUMNS,
                                    .sums = CELL_COLUMNS,
                                    .line_count = lines};
    struct line_rows rows = line_rows_make(line, count, lines, scratch);
    struct cells_builder cells = cells_begin(making->cells, making->arena, scratch);
    for (uint32_t l = 0; l < lines; l++) {
        for (uint32_t i = rows.first[l]; i < rows.first[l + 1]; i++) {
            uint32_t w = rows.rows[i], stream = profile->work.stream[w];
            const struct function *function = &profile->functions[profile->work.function[w]];
            cells_add(&cells, stream, counted_in(function), 1);
            cells_add(&cells, stream, CELL_NS + function->class,
                      profile->work.end[w] - profile->work.start[w]);
        }
        cells_line(&cells, l);
    }
    cells_end(&cells);
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
        const struct function *function = &profile->functions[profile->work.function[w]];
        int64_t *own = &sums[(size_t)profile->work.stream[w] * CELL_COLUMNS];
        own[counted_in(function)]++;
        sum_add(&own[CELL_NS + function->class], profile->work.end[w] - profile->work.start[w]);
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
