// SPDX-License-Identifier: Apache-2.0
// Metrics of ops from partial sums per step.
#include "analysis/report/memo.h"
#include "analysis/report/partial_sums.h"
#include "analysis/sums/op_metrics.h"
#include "base/scratch.h"

enum {
    SUM_CALLS,
    SUM_TOTAL,
    SUM_KERNEL_NS = SUM_TOTAL + TIME_KINDS,
    SUM_TC_NS,
    SUM_TC_CALLS, // number of calls that use Tensor Cores
    SUM_OVERLAP_NS,
    MINIMA, // minima follow, then maxima
    MAXIMA = MINIMA + TIME_KINDS,
    SUM_COLUMNS = MAXIMA + TIME_KINDS,
};

struct op_sums_build {
    const struct profile *profile;
    const struct selection *selection;
    struct partial_sums *partial;
    struct arena *arena;
};

static void add_instance(struct partial_sums_builder *partial, const struct op_metrics *instance)
{
    partial_sums_add(partial, instance->op, SUM_CALLS, 1);
    partial_sums_add(partial, instance->op, SUM_KERNEL_NS, instance->kernel_ns);
    partial_sums_add(partial, instance->op, SUM_TC_NS, instance->tc_ns);
    partial_sums_add(partial, instance->op, SUM_TC_CALLS, instance->uses_tc);
    partial_sums_add(partial, instance->op, SUM_OVERLAP_NS, instance->overlap_ns);
    for (uint32_t k = 0; k < TIME_KINDS; k++) {
        partial_sums_add(partial, instance->op, SUM_TOTAL + k, instance->times.metric[k].total);
        partial_sums_add(partial, instance->op, MINIMA + k, instance->times.metric[k].total);
        partial_sums_add(partial, instance->op, MAXIMA + k, instance->times.metric[k].total);
    }
}

static void build_op_sums(void *context, struct arena *scratch)
{
    const struct op_sums_build *build = context;
    const struct profile *profile = build->profile;
    const struct split *split = build->selection->split;
    const struct ops *ops = profile->ops;
    struct op_scope scope = op_scope_open(profile, build->selection, scratch);
    uint32_t *step_of = ARENA_ARRAY(scratch, uint32_t, (size_t)ops->instance_count + 1);
    for (uint32_t i = 0; i < ops->instance_count; i++)
        step_of[i] = op_scope_has_instance(&scope, i)
                         ? partial_sums_step_of(split, split->of_instance[i])
                         : ROW_NONE;
    *build->partial = (struct partial_sums){.groups = ops->count,
                                            .columns = SUM_COLUMNS,
                                            .sums = MINIMA,
                                            .minimum_count = TIME_KINDS,
                                            .threads = profile->workers,
                                            .step_count = split->count + 1};
    struct grouped_rows rows =
        grouped_rows_build(step_of, ops->instance_count, split->count + 1, scratch);
    struct partial_sums_builder partial = partial_sums_begin(build->partial, build->arena, scratch);
    for (uint32_t l = 0; l <= split->count; l++) {
        for (uint32_t i = rows.first[l]; i < rows.first[l + 1]; i++) {
            struct op_metrics instance = op_instance_measure(&scope, rows.rows[i]);
            add_instance(&partial, &instance);
        }
        partial_sums_step(&partial, l);
    }
    partial_sums_end(&partial);
}

static void *make_op_sums(const struct profile *profile, const struct selection *selection,
                          struct arena *arena)
{
    struct op_sums_build build = {profile, selection, ARENA_NEW(arena, struct partial_sums), arena};
    scratch_run(arena, build_op_sums, &build);
    return build.partial;
}

static const struct memo_kind op_sums_memo = {.fields = MEMO_PROCESS | MEMO_DEVICE,
                                              .make = make_op_sums};

// Converts the sums of an op to its metrics.
static struct op_metrics metrics_of_sums(const int64_t *instance, uint32_t op)
{
    struct op_metrics metrics = {.op = op,
                                 .calls = instance[SUM_CALLS],
                                 .kernel_ns = instance[SUM_KERNEL_NS],
                                 .tc_ns = instance[SUM_TC_NS],
                                 .overlap_ns = instance[SUM_OVERLAP_NS],
                                 .uses_tc = instance[SUM_TC_CALLS] > 0};
    metrics.times.count = metrics.calls;
    for (int k = 0; k < TIME_KINDS && metrics.calls; k++)
        metrics.times.metric[k] = (struct time_metric){instance[SUM_TOTAL + k],
                                                       instance[MINIMA + k], instance[MAXIMA + k]};
    return metrics;
}

const struct op_metrics *op_metrics_from_memo(const struct profile *profile,
                                              const struct selection *selection,
                                              struct arena *arena)
{
    const struct partial_sums *partial = selection_is_unfiltered(selection)
                                             ? memo_get(&op_sums_memo, profile, selection, arena)
                                             : NULL;
    if (!partial)
        return NULL;
    uint32_t count = profile->ops->count;
    int64_t *sums = ARENA_ARRAY(arena, int64_t, (size_t)count * SUM_COLUMNS + 1);
    struct op_metrics *metrics = ARENA_ARRAY(arena, struct op_metrics, (size_t)count + 1);
    partial_sums_total(partial, selection, sums, arena);
    for (uint32_t o = 0; o < count; o++)
        metrics[o] = metrics_of_sums(&sums[(size_t)o * SUM_COLUMNS], o);
    return metrics;
}
