// SPDX-License-Identifier: Apache-2.0
// GPU work by name, all ops together: kernels in the present name form; copies, memsets and graph
// replays are rows of their own kind, so that the rows of kernels alone equal nsys's own sums.
#include "analysis/function_sums.h"
#include "analysis/report_list.h"
#include "analysis/stats_getters.h"
#include "analysis/work_text.h"
#include "base/format.h"

struct kernels_row {
    const char *name, *full, *family; // full and family: of the first function of several
    string_id name_id;
    enum work_kind kind;
    enum work_class class;
    enum tristate tensor_core;
    uint32_t functions; // full names in the row
    struct stats gpu;
    int64_t exclusive_ns; // UNKNOWN: not there yet
    int64_t work_ns;      // of all rows: what shares are of
};

static const struct kernels_row *row_of(const void *row)
{
    return row;
}

static struct value get_name(const void *row)
{
    return value_text(row_of(row)->name);
}

static struct value get_full(const void *row)
{
    return value_text(row_of(row)->full);
}

static struct value get_kind(const void *row)
{
    return value_text(work_kind_names[row_of(row)->kind]);
}

static struct value get_class(const void *row)
{
    return value_text(work_class_names[row_of(row)->class]);
}

static struct value get_functions(const void *row)
{
    return value_integer(row_of(row)->functions);
}

static struct value get_calls(const void *row)
{
    return value_integer((int64_t)row_of(row)->gpu.count);
}

STATS_GETTERS(gpu, kernels_row, gpu)

static struct value get_spread(const void *row)
{
    const struct stats *gpu = &row_of(row)->gpu;
    return gpu->median > 0 ? value_real((double)gpu->max / gpu->median) : value_none();
}

static struct value get_share(const void *row)
{
    const struct kernels_row *r = row;
    return value_share(r->gpu.total, r->work_ns);
}

static struct value get_exclusive(const void *row)
{
    return value_integer(row_of(row)->exclusive_ns);
}

static struct value get_tensor_core(const void *row)
{
    const struct kernels_row *r = row;
    if (r->kind == WORK_MEMCPY || r->kind == WORK_MEMSET)
        return value_none();
    return value_state(r->tensor_core);
}

static const struct column columns[] = {
    {"kernel", "Kernel Name", "kernel", UNIT_TEXT, get_name,
     "Name in the form chosen: family (rules/kernels.yaml), short or full.", COLUMN_NAME},
    {"work", "Share of GPU Work (%)", "%work", UNIT_PERCENT, get_share,
     "Total GPU time of the row over that of all rows. Work that overlaps counts in full, so this "
     "is no share of the wall clock.",
     0},
    {"gpu_total", "Total GPU Time (ns)", "GPU", UNIT_NS, get_gpu_total,
     "Sum of the durations on the GPU.", COLUMN_BAR | COLUMN_SUM},
    {"calls", "Calls", "calls", UNIT_COUNT, get_calls, "Number of launches that ran.", COLUMN_SUM},
    {"gpu_avg", "Avg GPU Time (ns)", "avg", UNIT_NS, get_gpu_avg, "Mean duration.", 0},
    {"gpu_med", "Med GPU Time (ns)", "median", UNIT_NS, get_gpu_med,
     "Median duration; of an even number the mean of the middle two.", COLUMN_WIDE},
    {"gpu_min", "Min GPU Time (ns)", "min", UNIT_NS, get_gpu_min, "The shortest.", COLUMN_WIDE},
    {"gpu_max", "Max GPU Time (ns)", "max", UNIT_NS, get_gpu_max, "The longest.", COLUMN_WIDE},
    {"gpu_std", "StdDev GPU Time (ns)", "stddev", UNIT_NS, get_gpu_std,
     "Standard deviation of a sample (n - 1) of the durations.", COLUMN_DETAIL},
    {"spread", "Max over Median", "max/med", UNIT_REAL, get_spread,
     "Longest duration over the median one: well above 1 means several shapes under one name, a "
     "cold start or interference.",
     0},
    {"exclusive", "Exclusive GPU Time (ns)", "exclusive", UNIT_NS, get_exclusive,
     "Time in which this work alone keeps its GPU from being idle; where several overlap, compute "
     "has the instant before communication, and that before copies. Adds up to the busy time.",
     COLUMN_WIDE | COLUMN_SUM},
    {"tc", "Uses TC", "TC", UNIT_STATE, get_tensor_core,
     "Whether it runs on Tensor Cores, by the full name and rules/kernels.yaml; unknown where the "
     "name does not tell or names in the row differ.",
     0},
    {"kind", "Kind", "kind", UNIT_TEXT, get_kind, "kernel, memcpy, memset or graph.", COLUMN_WIDE},
    {"class", "Class", "class", UNIT_TEXT, get_class,
     "compute, comm (communication), copy, or graph (a replay traced as a whole).", COLUMN_WIDE},
    {"names", "Full Names", "names", UNIT_COUNT, get_functions,
     "How many different full names the row holds.", COLUMN_DETAIL},
    {"full", "Full Name", "full name", UNIT_TEXT, get_full,
     "Full name of the first of them that ran.", COLUMN_DETAIL},
};

// Groups the functions by (kind, name); `groups[f]` is the row of function f.
static size_t group_functions(const struct profile *profile, const struct selection *selection,
                              const uint32_t *calls, struct kernels_row *rows, uint32_t *groups,
                              struct arena *arena)
{
    // Row + 1 by kind and name; untouched pages of the large array cost nothing.
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
            rows[count] = (struct kernels_row){
                .name = profile_text(profile, name),
                .full = profile_text(profile, function->full),
                .family = profile_text(profile, function->family),
                .name_id = name,
                .kind = function->kind,
                .class = function->class,
                .tensor_core = function->tensor_core,
            };
            *slot = (uint32_t)++count;
        }
        groups[f] = *slot - 1;
        struct kernels_row *row = &rows[groups[f]];
        row->functions++;
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
        kernels += rows[i].kind == WORK_KERNEL;
        launches += rows[i].kind == WORK_KERNEL ? rows[i].gpu.count : 0;
    }
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    return arena_format(arena, "%s %s, %s", format_counted(a, kernels, "kernel"),
                        forms[selection->names], format_counted(b, launches, "launch"));
}

// By going through the selected work.
static void measure_work(const struct profile *profile, const struct selection *selection,
                         const uint32_t *groups_of, struct kernels_row *rows, size_t count,
                         struct arena *arena)
{
    const struct gpu_work *work = &profile->work;
    uint32_t *counts = ARENA_ARRAY(arena, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++)
        counts[i] = (uint32_t)rows[i].gpu.count;
    struct groups groups = groups_begin(counts, count, arena);
    for (uint32_t w = 0; w < work->count; w++) {
        if (!selection_has_work(profile, selection, w))
            continue;
        uint32_t group = groups_of[work->function[w]];
        groups_add(&groups, group, work_duration(profile, w));
        rows[group].exclusive_ns += work->exclusive ? work->exclusive[w] : 0;
    }
    for (size_t i = 0; i < count; i++)
        rows[i].gpu = groups_stats(&groups, i);
}

// By adding up what is kept of each iteration.
static void measure_kept(const struct profile *profile, const struct name_orders *orders,
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
        rows[group].exclusive_ns += sums[f].exclusive_ns;
        sum_add(&rows[group].gpu.total, sums[f].total_ns);
    }
    for (size_t i = 0; i < count; i++) {
        struct stats *gpu = &rows[i].gpu;
        gpu->mean = (double)gpu->total / (double)gpu->count;
        gpu->deviation = stats_deviation(gpu->count, gpu->total, squares[i]);
        name_order_fill(orders, functions[i], gpu);
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
        calls[work->function[w]] += selection_has_work(profile, selection, w);
    struct kernels_row *rows = ARENA_ARRAY(arena, struct kernels_row, profile->function_count);
    uint32_t *groups_of = ARENA_ARRAY(arena, uint32_t, profile->function_count);
    size_t count = group_functions(profile, selection, calls, rows, groups_of, arena);
    if (count == 0)
        return (struct rows){.empty = work_empty_text(profile)};
    for (uint32_t f = 0; f < profile->function_count; f++)
        if (calls[f] > 0)
            rows[groups_of[f]].gpu.count += calls[f];
    if (sums)
        measure_kept(profile, &orders, sums, groups_of, rows, count, arena);
    else
        measure_work(profile, selection, groups_of, rows, count, arena);
    int64_t work_ns = 0;
    for (size_t i = 0; i < count; i++)
        sum_add(&work_ns, rows[i].gpu.total);
    for (size_t i = 0; i < count; i++) {
        rows[i].work_ns = work_ns;
        if (!work->exclusive)
            rows[i].exclusive_ns = UNKNOWN;
    }
    return (struct rows){
        .items = rows, .count = count, .caption = caption(selection, rows, count, arena)};
}

static struct row_match row_match(const void *row)
{
    return (struct row_match){{row_of(row)->name, work_kind_names[row_of(row)->kind]}};
}

// Renamed: another template argument, another release of the library.
static struct row_match match_family(const void *row)
{
    return (struct row_match){{row_of(row)->family, work_kind_names[row_of(row)->kind]}};
}

static struct row_match (*const match_again[])(const void *row) = {match_family, NULL};

static uint64_t row_id(const void *row)
{
    return (uint64_t)row_of(row)->kind << 32 | row_of(row)->name_id;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->name = row_of(row)->name_id;
    return "launches";
}

const struct report report_kernels = {
    .name = "kernels",
    .title = "Kernels by name",
    .doc = "GPU work by name, all ops together. The rows of kind \"kernel\" by full name equal "
           "nsys's cuda_gpu_kern_sum.",
    .row_size = sizeof(struct kernels_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .is_work = true,
    .build = build,
    .sort = "-gpu_total",
    .id = row_id,
    .match = row_match,
    .match_again = match_again,
    .busy = "exclusive",
    .narrow = row_narrow,
};
