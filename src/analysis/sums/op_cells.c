// SPDX-License-Identifier: Apache-2.0
// What ops cost, kept per iteration.
#include "analysis/report/cells.h"
#include "analysis/report/memo.h"
#include "analysis/sums/op_metrics.h"
#include "base/scratch.h"

enum {
    CELL_CALLS,
    CELL_TOTAL,
    CELL_KERNEL_NS = CELL_TOTAL + TIME_KINDS,
    CELL_TC_NS,
    CELL_TC_CALLS, // that use Tensor Cores
    CELL_OVERLAP_NS,
    CELL_MIN, // from here the least, then the most
    CELL_MAX = CELL_MIN + TIME_KINDS,
    CELL_COLUMNS = CELL_MAX + TIME_KINDS,
};

struct making {
    const struct profile *profile;
    const struct selection *selection;
    struct cells *cells;
    struct arena *arena;
};

static void instance_keep(struct cells_builder *cells, const struct op_metrics *own)
{
    cells_add(cells, own->op, CELL_CALLS, 1);
    cells_add(cells, own->op, CELL_KERNEL_NS, own->kernel_ns);
    cells_add(cells, own->op, CELL_TC_NS, own->tc_ns);
    cells_add(cells, own->op, CELL_TC_CALLS, own->uses_tc);
    cells_add(cells, own->op, CELL_OVERLAP_NS, own->overlap_ns);
    for (uint32_t k = 0; k < TIME_KINDS; k++) {
        cells_add(cells, own->op, CELL_TOTAL + k, own->times.metric[k].total);
        cells_add(cells, own->op, CELL_MIN + k, own->times.metric[k].total);
        cells_add(cells, own->op, CELL_MAX + k, own->times.metric[k].total);
    }
}

static void keep_body(void *context, struct arena *scratch)
{
    const struct making *making = context;
    const struct profile *profile = making->profile;
    const struct split *split = making->selection->split;
    const struct ops *ops = profile->ops;
    struct op_scope scope = op_scope_open(profile, making->selection, scratch);
    uint32_t *line = ARENA_ARRAY(scratch, uint32_t, (size_t)ops->instance_count + 1);
    for (uint32_t i = 0; i < ops->instance_count; i++)
        line[i] = op_scope_has_instance(&scope, i) ? cells_line_of(split, split->of_instance[i])
                                                   : ROW_NONE;
    *making->cells = (struct cells){.groups = ops->count,
                                    .columns = CELL_COLUMNS,
                                    .sums = CELL_MIN,
                                    .leasts = TIME_KINDS,
                                    .threads = profile->workers,
                                    .line_count = split->count + 1};
    struct line_rows rows = line_rows_make(line, ops->instance_count, split->count + 1, scratch);
    struct cells_builder cells = cells_begin(making->cells, making->arena, scratch);
    for (uint32_t l = 0; l <= split->count; l++) {
        for (uint32_t i = rows.first[l]; i < rows.first[l + 1]; i++) {
            struct op_metrics own = op_instance_measure(&scope, rows.rows[i]);
            instance_keep(&cells, &own);
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

static const struct memo_kind kept_metrics = {.fields = MEMO_PROCESS | MEMO_DEVICE, .make = keep};

// What is selected of an op, from its row of sums.
static struct op_metrics kept_op(const int64_t *own, uint32_t op)
{
    struct op_metrics metrics = {.op = op,
                                 .calls = own[CELL_CALLS],
                                 .kernel_ns = own[CELL_KERNEL_NS],
                                 .tc_ns = own[CELL_TC_NS],
                                 .overlap_ns = own[CELL_OVERLAP_NS],
                                 .uses_tc = own[CELL_TC_CALLS] > 0};
    metrics.times.count = metrics.calls;
    for (int k = 0; k < TIME_KINDS && metrics.calls; k++)
        metrics.times.metric[k] =
            (struct metric){own[CELL_TOTAL + k], own[CELL_MIN + k], own[CELL_MAX + k]};
    return metrics;
}

const struct op_metrics *op_metrics_kept(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena)
{
    const struct cells *cells =
        selection_is_wide(selection) ? memo_get(&kept_metrics, profile, selection, arena) : NULL;
    if (!cells)
        return NULL;
    uint32_t count = profile->ops->count;
    int64_t *sums = ARENA_ARRAY(arena, int64_t, (size_t)count * CELL_COLUMNS + 1);
    struct op_metrics *metrics = ARENA_ARRAY(arena, struct op_metrics, (size_t)count + 1);
    cells_sum(cells, selection, sums, arena);
    for (uint32_t o = 0; o < count; o++)
        metrics[o] = kept_op(&sums[(size_t)o * CELL_COLUMNS], o);
    return metrics;
}
