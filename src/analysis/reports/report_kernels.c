// SPDX-License-Identifier: Apache-2.0
// Sums GPU work by name over all ops. Kernels appear in the selection's name form. Copies, memsets
// and graph replays are rows of their own kind, so that the rows of kernels equal nsys's sums.
#include "analysis/breakdown/launch_means.h"
#include "analysis/report/report.h"
#include "analysis/report/stats_getters.h"
#include "analysis/sums/function_sums.h"
#include "analysis/sums/named_work.h"
#include "analysis/sums/shape_sums.h"
#include "analysis/sums/work_text.h"
#include "base/text/format.h"

struct kernels_row {
    struct named_work work;
    enum tristate tensor_core;
    struct launch_means means; // of kernels only
};

static const struct kernels_row *row_of(const void *row)
{
    return row;
}

STATS_GETTER(get_gpu_med, kernels_row, work.gpu, real, median)
STATS_GETTER(get_gpu_std, kernels_row, work.gpu, real, deviation)

static struct value get_spread(const void *row)
{
    const struct stats *gpu = &row_of(row)->work.gpu;
    return gpu->median > 0 ? value_real((double)gpu->max / gpu->median) : value_none();
}

static struct value get_tensor_core(const void *row)
{
    const struct kernels_row *r = row;
    if (r->work.kind == WORK_MEMCPY || r->work.kind == WORK_MEMSET)
        return value_none();
    return value_state(r->tensor_core);
}

static struct value get_blocks(const void *row)
{
    return launch_means_blocks(&row_of(row)->means);
}

static struct value get_occupancy(const void *row)
{
    return launch_means_occupancy(&row_of(row)->means);
}

static const struct column columns[] = {
    NAMED_WORK_NAME,
    NAMED_WORK_TIMES,
    {"gpu_med", "Med GPU Time (ns)", "median", UNIT_NS, get_gpu_med,
     "Median duration; of an even number the mean of the middle two.", COLUMN_WIDE},
    NAMED_WORK_EXTREMES,
    {"gpu_std", "StdDev GPU Time (ns)", "stddev", UNIT_NS, get_gpu_std,
     "Standard deviation of a sample (n - 1) of the durations.", COLUMN_DETAIL},
    {"spread", "Max over Median", "max/med", UNIT_REAL, get_spread,
     "Longest duration over the median one: well above 1 means several shapes under one name, a "
     "cold start or interference.",
     0},
    NAMED_WORK_EXCLUSIVE,
    {"tc", "Uses TC", "TC", UNIT_STATE, get_tensor_core,
     "Whether it runs on Tensor Cores, by the full name and rules/kernels.yaml; unknown where the "
     "name does not tell or names in the row differ.",
     0},
    LAUNCH_MEANS_COLUMNS(COLUMN_DETAIL),
    NAMED_WORK_KIND(COLUMN_WIDE),
};

// Groups the functions that ran by (kind, name) and returns the number of groups; `groups[f]` is
// the row of function f.
static size_t group_functions(const struct profile *profile, const struct selection *selection,
                              const uint32_t *calls, struct kernels_row *rows, uint32_t *groups,
                              struct arena *arena)
{
    // Row + 1 by kind and name. The large arrays are zero pages until touched.
    uint32_t *by_name[WORK_KIND_COUNT] = {NULL};
    size_t count = 0;
    for (uint32_t f = 0; f < profile->function_count; f++) {
        const struct function *function = &profile->functions[f];
        if (calls[f] == 0)
            continue;
        string_id name = selection_name(profile, selection, f);
        if (!by_name[function->kind])
            by_name[function->kind] = ARENA_ARRAY(arena, uint32_t, strings_count(profile->strings));
        uint32_t *slot = &by_name[function->kind][name];
        if (!*slot) {
            rows[count].work = named_work_of(profile, selection, f);
            rows[count].tensor_core = function->tensor_core;
            *slot = (uint32_t)++count;
        }
        groups[f] = *slot - 1;
        struct kernels_row *row = &rows[groups[f]];
        row->work.functions++;
        if (row->tensor_core != function->tensor_core)
            row->tensor_core = STATE_UNKNOWN;
    }
    return count;
}

static const char *caption(const struct selection *selection, const struct kernels_row *rows,
                           size_t count, struct arena *arena)
{
    static const char *const forms[NAME_FORM_COUNT] = {"by family", "by short name",
                                                       "by full name"};
    size_t kernels = 0, launches = 0;
    for (size_t i = 0; i < count; i++) {
        kernels += rows[i].work.kind == WORK_KERNEL;
        launches += rows[i].work.kind == WORK_KERNEL ? rows[i].work.gpu.count : 0;
    }
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    return arena_format(arena, "%s %s, %s", format_counted(a, kernels, "kernel"),
                        forms[selection->names], format_counted(b, launches, "launch"));
}

// Measures the rows from the selected work.
static void measure_work(const struct profile *profile, const struct selection *selection,
                         const uint32_t *groups_of, struct kernels_row *rows, size_t count,
                         struct arena *arena)
{
    const struct gpu_work *work = &profile->work;
    uint32_t *counts = ARENA_ARRAY(arena, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++)
        counts[i] = (uint32_t)rows[i].work.gpu.count;
    struct figure_groups groups = groups_begin(counts, count, arena);
    for (uint32_t w = 0; w < work->count; w++) {
        if (!selection_has_work(profile, selection, w))
            continue;
        uint32_t group = groups_of[AT(work->function, w)];
        groups_add(&groups, group, work_duration(profile, w));
        rows[group].work.exclusive_ns += HAS(work->exclusive) ? AT(work->exclusive, w) : 0;
        if (work_launch_shape(profile, w))
            launch_means_add(&rows[group].means, profile, work_device(profile, w),
                             AT(work->shape, w), work_duration(profile, w));
    }
    for (size_t i = 0; i < count; i++)
        rows[i].work.gpu = groups_stats(&groups, i);
}

// Measures the rows from the kept sums per iteration.
static void measure_sums(const struct profile *profile, const struct name_orders *orders,
                         const struct function_sum *sums, const uint32_t *groups_of,
                         struct kernels_row *rows, size_t count, struct arena *arena)
{
    struct squares *squares = ARENA_ARRAY(arena, struct squares, count + 1);
    uint32_t *functions = ARENA_ARRAY(arena, uint32_t, count + 1);
    for (uint32_t f = 0; f < profile->function_count; f++) {
        if (sums[f].count == 0)
            continue;
        uint32_t group = groups_of[f];
        functions[group] = f;
        squares[group].sum += sums[f].squares.sum;
        rows[group].work.exclusive_ns += sums[f].exclusive_ns;
        sum_add(&rows[group].work.gpu.total, sums[f].total_ns);
    }
    for (size_t i = 0; i < count; i++) {
        struct stats *gpu = &rows[i].work.gpu;
        gpu->mean = (double)gpu->total / (double)gpu->count;
        gpu->deviation = stats_deviation(gpu->count, gpu->total, squares[i]);
        name_order_fill(orders, functions[i], gpu);
    }
}

static void measure_launches(const struct profile *profile, const struct selection *selection,
                             const uint32_t *groups_of, struct kernels_row *rows,
                             struct arena *arena)
{
    struct shape_sums sums = shape_sums_of(profile, selection, arena);
    for (size_t i = 0; i < sums.count; i++) {
        const struct shape_sum *sum = &sums.items[i];
        launch_means_add(&rows[groups_of[sum->function]].means, profile, sum->device, sum->shape,
                         sum->total_ns);
    }
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    const struct gpu_work *work = &profile->work;
    uint32_t *calls = ARENA_ARRAY(arena, uint32_t, profile->function_count + 1);
    const struct name_orders orders = name_orders_of(profile, selection, arena);
    const struct function_sum *sums = function_sums_of(profile, selection, arena);
    sums = orders.kept ? sums : NULL;
    for (uint32_t f = 0; sums && f < profile->function_count; f++)
        calls[f] = (uint32_t)sums[f].count;
    for (uint32_t w = 0; !sums && w < work->count; w++)
        calls[AT(work->function, w)] += selection_has_work(profile, selection, w);
    struct kernels_row *rows = ARENA_ARRAY(arena, struct kernels_row, profile->function_count);
    uint32_t *groups_of = ARENA_ARRAY(arena, uint32_t, profile->function_count);
    size_t count = group_functions(profile, selection, calls, rows, groups_of, arena);
    if (count == 0)
        return (struct rows){.empty = work_empty_text(profile)};
    for (uint32_t f = 0; f < profile->function_count; f++)
        if (calls[f] > 0)
            rows[groups_of[f]].work.gpu.count += calls[f];
    if (sums) {
        measure_sums(profile, &orders, sums, groups_of, rows, count, arena);
        measure_launches(profile, selection, groups_of, rows, arena);
    } else {
        measure_work(profile, selection, groups_of, rows, count, arena);
    }
    int64_t work_ns = 0;
    for (size_t i = 0; i < count; i++)
        sum_add(&work_ns, rows[i].work.gpu.total);
    for (size_t i = 0; i < count; i++) {
        rows[i].work.work_ns = work_ns;
        if (!HAS(work->exclusive))
            rows[i].work.exclusive_ns = UNKNOWN;
    }
    return (struct rows){
        .items = rows, .count = count, .caption = caption(selection, rows, count, arena)};
}

static struct row_match (*const fallback_matches[])(const void *row) = {named_work_match_family,
                                                                        NULL};

static uint64_t row_id(const void *row)
{
    return (uint64_t)row_of(row)->work.kind << 32 | row_of(row)->work.name_id;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->name = row_of(row)->work.name_id;
    return "launches";
}

const struct report report_kernels = {
    .name = "kernels",
    .title = "Kernels by name",
    .doc = "GPU work by name, all ops together. The rows of kind \"kernel\" by full name equal "
           "nsys's cuda_gpu_kern_sum where all is taken (--iters=all).",
    .row_size = sizeof(struct kernels_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .is_work = true,
    .build = build,
    .sort = "-gpu_total",
    .id = row_id,
    .match = named_work_match,
    .fallback_matches = fallback_matches,
    .busy = "exclusive",
    .narrow = row_narrow,
};
