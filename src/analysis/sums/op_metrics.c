// SPDX-License-Identifier: Apache-2.0
// Measures op runs and sums them per op.
#include "analysis/sums/op_metrics.h"

#include <string.h>

#include "analysis/breakdown/cover.h"
#include "analysis/report/dlprof_rules.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/sums.h"
#include "model/ops/op_tree.h"

// ---- sums --------------------------------------------------------------------------------------

void metric_add(struct time_metric *metric, int64_t count_before, int64_t value)
{
    metric->total = add_saturating(metric->total, value);
    if (count_before == 0 || value < metric->min)
        metric->min = value;
    if (count_before == 0 || value > metric->max)
        metric->max = value;
}

void metric_merge(struct time_metric *metric, int64_t count_before, const struct time_metric *more,
                  int64_t count)
{
    if (count == 0)
        return;
    metric->total = add_saturating(metric->total, more->total);
    if (count_before == 0 || more->min < metric->min)
        metric->min = more->min;
    if (count_before == 0 || more->max > metric->max)
        metric->max = more->max;
}

void op_times_add(struct op_times *times, const int64_t values[TIME_KINDS])
{
    for (int i = 0; i < TIME_KINDS; i++)
        metric_add(&times->metric[i], times->count, values[i]);
    times->count++;
}

double metric_average(const struct time_metric *metric, int64_t count)
{
    return count > 0 ? (double)metric->total / (double)count : 0;
}

// ---- helpers of several reports -----------------------------------------------------------------

enum tc_part op_tc_part(const struct profile *profile, const struct op_metrics *metrics)
{
    const struct op *op = &profile->ops->items[metrics->op];
    return metrics->uses_tc                        ? TC_PART_USING
           : op->tensor_core_eligible == STATE_YES ? TC_PART_ELIGIBLE
                                                   : TC_PART_OTHER;
}

int64_t work_api_ns(const struct profile *profile, uint32_t work)
{
    const struct api_calls *api = &profile->api;
    uint32_t launch = AT(profile->work.launch, work);
    if (launch == ROW_NONE)
        return 0;
    if (HAS(api->first_work) && AT(api->work_rows, AT(api->first_work, launch)) != work)
        return 0;
    return AT(api->end, launch) - AT(api->start, launch);
}

int64_t selection_wall_ns(const struct profile *profile, const struct selection *selection)
{
    const struct split *split = selection->split;
    if (!selection->iterations && split->method == SPLIT_RANGES)
        return profile->last_ns - profile->first_ns;
    int64_t wall = 0;
    for (uint32_t i = 0; i < split->count; i++)
        if (selection_has_iteration(selection, i))
            wall += iteration_length(split, i);
    return wall;
}

static int compare_ops_by_name(const void *context, uint32_t a, uint32_t b)
{
    const struct profile *profile = context;
    const struct op *left = &profile->ops->items[a], *right = &profile->ops->items[b];
    int order = left->name == right->name
                    ? 0
                    : strcmp(profile_text(profile, left->name), profile_text(profile, right->name));
    return order ? order
                 : strcmp(profile_text(profile, left->id), profile_text(profile, right->id));
}

uint32_t *ops_by_name(const struct profile *profile, struct arena *arena)
{
    uint32_t count = profile->ops ? profile->ops->count : 0;
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    sort_ids(order, count, compare_ops_by_name, profile, arena);
    return order;
}

// ---- scope -------------------------------------------------------------------------------------

// Returns [op]: whether one of its nodes is in the selected subtree; NULL: no subtree is selected.
static const bool *ops_in_node(const struct profile *profile, const struct selection *selection,
                               struct arena *arena)
{
    const struct op_tree *tree = profile->tree, *selected_tree = selection_tree(profile, selection);
    if (selection->node == ROW_NONE || !tree || !selected_tree ||
        selection->node >= selected_tree->count)
        return NULL;
    bool *found = ARENA_ARRAY(arena, bool, profile->ops->count + 1);
    uint32_t end = selected_tree->subtree_end[selection->node];
    for (uint32_t n = 0; n < tree->count; n++) {
        uint32_t at = selected_tree != tree && tree->folded ? tree->folded[n] : n;
        if (at >= selection->node && at < end && tree->op[n] != ROW_NONE)
            found[tree->op[n]] = true;
    }
    return found;
}

struct op_scope op_scope_open(const struct profile *profile, const struct selection *selection,
                              struct arena *arena)
{
    struct op_scope scope = {.profile = profile, .selection = selection, .inner = *selection};
    scope.inner.iterations = NULL;
    scope.inner.node = ROW_NONE; // decided by the op run
    scope.in_node = profile->ops ? ops_in_node(profile, selection, arena) : NULL;
    scope.takes_all_work = selection->process == ROW_NONE && selection->device == ROW_NONE &&
                           selection->function == ROW_NONE && selection->name == STRING_NONE &&
                           selection->shape == ROW_NONE && selection->op == ROW_NONE &&
                           selection->op_type == STRING_NONE;
    return scope;
}

bool op_scope_has_instance(const struct op_scope *scope, uint32_t instance)
{
    if (scope->in_node && !scope->in_node[AT(scope->profile->ops->op, instance)])
        return false;
    return selection_has_instance(scope->profile, scope->selection, instance);
}

bool op_scope_has_work(const struct op_scope *scope, uint32_t work)
{
    return scope->takes_all_work || selection_has_work(scope->profile, &scope->inner, work);
}

// ---- metrics per op -----------------------------------------------------------------------------

// Returns the time inside the API calls of an op run, clipped to its range. Calls of a thread may
// nest (runtime over driver), so their union is used.
static int64_t instance_api_ns(const struct profile *profile, uint32_t instance)
{
    const struct ops *ops = profile->ops;
    const struct api_calls *api = &profile->api;
    int64_t total = 0, covered = AT(ops->start, instance), stop = AT(ops->end, instance);
    struct row_span span = op_calls(ops, instance);
    for (uint32_t i = span.first; i < span.end; i++) {
        uint32_t row = AT(ops->api_rows, i);
        int64_t end = AT(api->end, row);
        total += interval_union_add(&covered, AT(api->start, row), end < stop ? end : stop);
    }
    return total;
}

struct op_metrics op_instance_measure(const struct op_scope *scope, uint32_t instance)
{
    const struct profile *profile = scope->profile;
    const struct ops *ops = profile->ops;
    struct op_metrics metrics = {.op = AT(ops->op, instance), .calls = 1};
    int64_t first = INT64_MAX, covered = INT64_MIN, busy = 0;
    struct row_span span = op_work(ops, instance);
    for (uint32_t i = span.first; i < span.end; i++) {
        uint32_t work = AT(ops->work_rows, i);
        if (!op_scope_has_work(scope, work))
            continue;
        int64_t start = AT(profile->work.start, work), end = AT(profile->work.end, work);
        if (first == INT64_MAX)
            first = start;
        int64_t added_ns = interval_union_add(&covered, start, end);
        busy += added_ns;
        metrics.overlap_ns = add_saturating(metrics.overlap_ns, end - start - added_ns);
        const struct function *function = &profile->functions[AT(profile->work.function, work)];
        if (!function_is_kernel(function))
            continue;
        metrics.kernel_ns = add_saturating(metrics.kernel_ns, end - start);
        if (function->dlprof_tensor_core) {
            metrics.uses_tc = true;
            metrics.tc_ns = add_saturating(metrics.tc_ns, end - start);
        }
    }
    int64_t values[TIME_KINDS] = {[TIME_GPU] = busy};
    if (first != INT64_MAX)
        values[TIME_IDLE] = covered - first - busy;
    // GPU work without a launch has no host time
    if (AT(ops->thread, instance) != ROW_NONE) {
        int64_t cpu = op_self_ns(ops, instance);
        int64_t api = instance_api_ns(profile, instance), overhead = cpu - api;
        values[TIME_CPU] = cpu;
        values[TIME_API] = api;
        values[TIME_OVERHEAD] = overhead > 0 ? overhead : 0;
    }
    op_times_add(&metrics.times, values);
    return metrics;
}

static void metrics_add(struct op_metrics *sum, const struct op_metrics *part)
{
    int64_t values[TIME_KINDS];
    for (int k = 0; k < TIME_KINDS; k++)
        values[k] = part->times.metric[k].total;
    op_times_add(&sum->times, values);
    sum->calls++;
    sum->kernel_ns = add_saturating(sum->kernel_ns, part->kernel_ns);
    sum->tc_ns = add_saturating(sum->tc_ns, part->tc_ns);
    sum->overlap_ns = add_saturating(sum->overlap_ns, part->overlap_ns);
    sum->uses_tc |= part->uses_tc;
}

static void metrics_merge(struct op_metrics *sum, const struct op_metrics *other)
{
    for (int k = 0; k < TIME_KINDS; k++)
        metric_merge(&sum->times.metric[k], sum->calls, &other->times.metric[k], other->calls);
    sum->times.count += other->times.count;
    sum->calls += other->calls;
    sum->kernel_ns = add_saturating(sum->kernel_ns, other->kernel_ns);
    sum->tc_ns = add_saturating(sum->tc_ns, other->tc_ns);
    sum->overlap_ns = add_saturating(sum->overlap_ns, other->overlap_ns);
    sum->uses_tc |= other->uses_tc;
}

struct op_measuring {
    struct op_scope scope;
    size_t jobs;
    struct op_metrics *items; // [job * ops->count + op]
};

// Measures a part of the op runs in order of time, whose rows are close in memory.
static void measure_job(void *context, size_t job)
{
    const struct op_measuring *measuring = context;
    const struct ops *ops = measuring->scope.profile->ops;
    struct op_metrics *items = measuring->items + job * ops->count;
    uint32_t first = (uint32_t)parallel_first(ops->instance_count, job, measuring->jobs);
    uint32_t end = (uint32_t)parallel_first(ops->instance_count, job + 1, measuring->jobs);
    for (uint32_t o = 0; o < ops->count; o++)
        items[o].op = o;
    for (uint32_t i = first; i < end; i++) {
        if (!op_scope_has_instance(&measuring->scope, i))
            continue;
        struct op_metrics run = op_instance_measure(&measuring->scope, i);
        metrics_add(&items[run.op], &run);
    }
}

static void measure_all(const struct profile *profile, const struct selection *selection,
                        struct op_metrics *items, struct arena *arena)
{
    enum { MAX_JOBS = 16 };
    enum { MIN_RUNS_PER_OP = 8 }; // per op and job; fewer do not pay for separate sums
    const struct ops *ops = profile->ops;
    struct op_measuring measuring = {.scope = op_scope_open(profile, selection, arena)};
    size_t most = ops->instance_count / ((size_t)ops->count * MIN_RUNS_PER_OP + 1);
    most = most < MAX_JOBS ? most : MAX_JOBS;
    measuring.jobs = most < profile->workers ? most : profile->workers;
    measuring.jobs = measuring.jobs ? measuring.jobs : 1;
    measuring.items = ARENA_ARRAY(arena, struct op_metrics, measuring.jobs * ops->count);
    parallel_run(profile->workers, measuring.jobs, measure_job, &measuring);
    for (uint32_t o = 0; o < ops->count; o++) {
        items[o].op = o;
        for (size_t j = 0; j < measuring.jobs; j++)
            metrics_merge(&items[o], &measuring.items[j * ops->count + o]);
    }
    ARENA_RELEASE(arena, measuring.items, measuring.jobs * ops->count);
}

struct op_metrics_list op_metrics_build(const struct profile *profile,
                                        const struct selection *selection, struct arena *arena)
{
    struct op_metrics_list list = {0};
    const struct ops *ops = profile->ops;
    if (!ops)
        return list;
    list.items = ARENA_ARRAY(arena, struct op_metrics, ops->count + 1);
    list.row_of_op = ARENA_ARRAY(arena, uint32_t, ops->count + 1);
    const struct op_metrics *metrics_of_ops = op_metrics_from_memo(profile, selection, arena);
    if (!metrics_of_ops) {
        measure_all(profile, selection, list.items, arena);
        metrics_of_ops = list.items;
    }
    for (uint32_t o = 0; o < ops->count; o++) {
        list.row_of_op[o] = metrics_of_ops[o].calls ? list.count : ROW_NONE;
        if (metrics_of_ops[o].calls)
            list.items[list.count++] = metrics_of_ops[o];
    }
    return list;
}

struct id_order {
    const struct profile *profile;
    const struct op_metrics *items;
};

static int compare_by_id(const void *context, uint32_t a, uint32_t b)
{
    const struct id_order *order = context;
    const struct op *items = order->profile->ops->items;
    return strcmp(profile_text(order->profile, items[order->items[a].op].id),
                  profile_text(order->profile, items[order->items[b].op].id));
}

void op_metrics_sort_by_id(const struct profile *profile, struct op_metrics_list *list,
                           struct arena *arena)
{
    uint32_t *ids = ARENA_ARRAY(arena, uint32_t, list->count + 1);
    struct op_metrics *sorted = ARENA_ARRAY(arena, struct op_metrics, list->count + 1);
    for (uint32_t i = 0; i < list->count; i++)
        ids[i] = i;
    sort_ids(ids, list->count, compare_by_id, &(struct id_order){profile, list->items}, arena);
    for (uint32_t i = 0; i < list->count; i++) {
        sorted[i] = list->items[ids[i]];
        list->row_of_op[sorted[i].op] = i;
    }
    list->items = sorted;
}

// ---- columns ------------------------------------------------------------------------------------

static const struct time_metric *row_metric(const void *row, enum op_time kind)
{
    return &((const struct op_times *)row)->metric[kind];
}

#define DEFINE_GETTERS(name, kind)                                                         \
    struct value get_##name##_total(const void *row)                                       \
    {                                                                                      \
        return value_integer(row_metric(row, kind)->total);                                \
    }                                                                                      \
    struct value get_##name##_avg(const void *row)                                         \
    {                                                                                      \
        return value_real(                                                                 \
            metric_average(row_metric(row, kind), ((const struct op_times *)row)->count)); \
    }                                                                                      \
    struct value get_##name##_min(const void *row)                                         \
    {                                                                                      \
        return value_integer(row_metric(row, kind)->min);                                  \
    }                                                                                      \
    struct value get_##name##_max(const void *row)                                         \
    {                                                                                      \
        return value_integer(row_metric(row, kind)->max);                                  \
    }

DEFINE_GETTERS(cpu, TIME_CPU)
DEFINE_GETTERS(gpu, TIME_GPU)
DEFINE_GETTERS(overhead, TIME_OVERHEAD)
DEFINE_GETTERS(idle, TIME_IDLE)
