// SPDX-License-Identifier: Apache-2.0
// Writes one aggregation of a DLProf database: the figures of DLProf's reports, taken from their
// rows.
#include <string.h>
#include <time.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/detect/detect_tools.h"
#include "analysis/detectors/expert.h"
#include "analysis/export/export_dldb.h"
#include "analysis/report/dlprof_rules.h"
#include "analysis/report/names.h"
#include "analysis/reports/dlprof/dlprof_rows.h"
#include "analysis/reports/report_list.h"
#include "analysis/sums/counted_work.h"
#include "analysis/sums/op_kernels.h"
#include "base/sums.h"
#include "model/steps/split_build.h"

REPORT_DECLARE(group_node);
REPORT_DECLARE(op_type);

#define AGGREGATION DLDB_INT(DLDB_AGGREGATION)
#define DOMAIN      DLDB_INT(DLDB_DOMAIN)

// ---- common to several tables -------------------------------------------------------------------

static struct value put_times(struct dldb_out *out, const struct op_times *times)
{
    const struct time_metric *metric = times->metric;
    struct value cpu = dldb_metric(out, &metric[TIME_CPU], times->count),
                 gpu = dldb_metric(out, &metric[TIME_GPU], times->count),
                 api = dldb_metric(out, &metric[TIME_API], times->count),
                 overhead = dldb_metric(out, &metric[TIME_OVERHEAD], times->count),
                 idle = dldb_metric(out, &metric[TIME_IDLE], times->count);
    return DLDB_INT(DLDB_PUT(out, TABLE_NODE_TIME_METRICS, cpu, gpu, api, overhead, idle));
}

struct category {
    int64_t cpu_ns, gpu_ns, overhead_ns, idle_ns, count;
};

static void category_add(struct category *category, const struct category *more)
{
    category->cpu_ns = add_saturating(category->cpu_ns, more->cpu_ns);
    category->gpu_ns = add_saturating(category->gpu_ns, more->gpu_ns);
    category->overhead_ns = add_saturating(category->overhead_ns, more->overhead_ns);
    category->idle_ns = add_saturating(category->idle_ns, more->idle_ns);
    category->count += more->count;
}

static struct value put_category(struct dldb_out *out, const struct category *category)
{
    return DLDB_INT(DLDB_PUT(out, TABLE_CATEGORY_SUMMARY, DLDB_INT(category->cpu_ns),
                             DLDB_INT(category->gpu_ns), DLDB_INT(category->overhead_ns),
                             DLDB_INT(category->idle_ns), DLDB_INT(category->count)));
}

static struct rows rows_of(struct dldb_out *out, const struct report *report)
{
    return report->build(out->profile, out->selection, out->arena);
}

static struct value cell(const struct report *report, const char *column, const void *row)
{
    return report_column(report, column)->get(row);
}

// ---- summary ------------------------------------------------------------------------------------

// DLProf stores the user and host name; both are left empty for privacy.
static void put_aggregation(struct dldb_out *out)
{
    char text[40];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &utc);
    DLDB_PUT(out, TABLE_AGGREGATIONS, dldb_plain(""), dldb_plain(""), dldb_plain(text),
             DLDB_INT(0));
}

// Returns the value of a row of the summary; percentages have 6 decimals.
static struct value summary_value(const struct rows *rows, const char *name)
{
    const struct summary_row *row = rows->items;
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(row[i].name, name) == 0)
            return row[i].value.kind == VALUE_REAL ? dldb_real(row[i].value.real) : row[i].value;
    return value_none();
}

static struct value put_part(struct dldb_out *out, const struct category parts[TC_PARTS],
                             enum tc_part part)
{
    return put_category(out, &parts[part]);
}

static const char *key_of(const struct dldb_out *out)
{
    const struct split *split = out->selection->split;
    const struct aggregation *recorded =
        split->is_told ? aggregation_find(out->profile, split->key) : NULL;
    return recorded ? recorded->key : split->key;
}

static void put_summary(struct dldb_out *out, const struct op_metrics_list *list)
{
    // In the order of the columns after the categories.
    static const char *const names[] = {"GPU Utilization %",
                                        "Tensor Core Kernel Utilization %",
                                        "Tensor Core Kernel Duration %",
                                        "Non-Tensor Core Kernel Duration %",
                                        "Memory Duration %",
                                        "Dataloader Duration %",
                                        "IO Duration %",
                                        "CPU Duration %",
                                        "Other Duration %",
                                        "Average Iteration Time (ns)",
                                        "Iteration Time Standard Deviation",
                                        "Total Iterations",
                                        "Aggregated Iterations",
                                        "Start Iteration",
                                        "Stop Iteration"};
    enum { IS_CUSTOM = 1 }; // DLProf sets it for the default domain as well
    enum { BEFORE = 8, NAMES = sizeof names / sizeof *names };
    const struct rows rows = summary_full_rows(out->profile, out->selection, out->arena);
    struct category total = {0}, parts[TC_PARTS] = {{0}};
    for (uint32_t i = 0; i < list->count; i++) {
        const struct time_metric *metric = list->items[i].times.metric;
        const struct category op_category = {metric[TIME_CPU].total, metric[TIME_GPU].total,
                                             metric[TIME_OVERHEAD].total, metric[TIME_IDLE].total,
                                             1};
        category_add(&total, &op_category);
        category_add(&parts[op_tc_part(out->profile, &list->items[i])], &op_category);
    }
    struct value values[BEFORE + NAMES + 1] = {AGGREGATION, DOMAIN, DLDB_INT(IS_CUSTOM),
                                               summary_value(&rows, "Wall Clock Time (ns)")};
    values[4] = put_category(out, &total);
    values[5] = put_part(out, parts, TC_PART_ELIGIBLE);
    values[6] = put_part(out, parts, TC_PART_USING);
    values[7] = put_part(out, parts, TC_PART_OTHER);
    for (size_t i = 0; i < NAMES; i++)
        values[BEFORE + i] = summary_value(&rows, names[i]);
    values[BEFORE + NAMES] = dldb_text(out, key_of(out));
    dldb_put(out, TABLE_MODEL_SUMMARY, values, sizeof values / sizeof *values);
}

static void put_iterations(struct dldb_out *out)
{
    const struct split *split = out->selection->split;
    const struct breakdown *breakdowns =
        breakdown_iterations(out->profile, out->selection, &breakdown_dlprof, out->arena);
    DLDB_PUT(out, TABLE_ITERATION_KEY, AGGREGATION, dldb_text(out, key_of(out)));
    for (uint32_t i = 0; i < split->count; i++)
        DLDB_PUT(out, TABLE_ITERATION_LIST, AGGREGATION, DLDB_INT(split->number[i]),
                 DLDB_INT(split->start[i]), DLDB_INT(iteration_stop(split, i)));
    for (uint32_t i = 0; i < split->count; i++) {
        if (!selection_has_iteration(out->selection, i))
            continue;
        enum { BEFORE = 3 };
        // Unlike the model's utilization this includes copies.
        int64_t busy = breakdown_kernel_ns(&breakdowns[i]) + breakdowns[i].ns[DLPROF_MEMORY];
        struct value values[BEFORE + DLPROF_CATEGORIES] = {
            AGGREGATION, DLDB_INT(split->number[i]),
            dldb_real(100 * breakdown_share(&breakdowns[i], busy))};
        for (int c = 0; c < DLPROF_CATEGORIES; c++)
            values[BEFORE + c] = DLDB_INT(breakdowns[i].ns[c]);
        dldb_put(out, TABLE_ITERATION_AGGREGATION_LIST, values, sizeof values / sizeof *values);
    }
}

static void put_devices(struct dldb_out *out)
{
    const struct breakdown *breakdowns =
        breakdown_devices(out->profile, out->selection, &breakdown_dlprof, out->arena);
    for (uint32_t d = 0; d < out->profile->device_count; d++)
        DLDB_PUT(
            out, TABLE_DEVICE_GPU_UTILIZATIONS, AGGREGATION, DOMAIN, DLDB_INT((int64_t)d + 1),
            dldb_real(100 * breakdown_share(&breakdowns[d], breakdown_kernel_ns(&breakdowns[d]))));
}

// Stores, for one kind of problem, the function that DLProf's viewer calls when it is opened. The
// arguments for other problems are unknown.
static void put_expert(struct dldb_out *out)
{
    struct finding_list findings = expert_dlprof(out->profile, out->selection, out->arena);
    for (size_t i = 0; i < findings.count; i++) {
        const struct finding *finding = &findings.items[i];
        bool is_amp = strcmp(finding->detector->id, "amp_detector") == 0;
        if (finding->severity != SEVERITY_NOT_JUDGED)
            DLDB_PUT(out, TABLE_EXPERT_SYSTEMS_FEEDBACK, AGGREGATION,
                     dldb_plain(finding->detector->id), dldb_plain(finding->problem),
                     dldb_plain(finding->recommendation),
                     dldb_plain(is_amp ? "ShowBadDataTypeOps" : ""), dldb_plain(""));
    }
}

// ---- kernels ------------------------------------------------------------------------------------

struct kernel_sums {
    int64_t count, tc_count, gpu_ns, tc_ns;
};

static void sums_add(struct kernel_sums *sums, int64_t gpu_ns, bool uses_tc)
{
    sums->count++;
    sums->gpu_ns = add_saturating(sums->gpu_ns, gpu_ns);
    sums->tc_count += uses_tc;
    sums->tc_ns = add_saturating(sums->tc_ns, uses_tc ? gpu_ns : 0);
}

struct dldb_kernels {
    struct op_kernels kernels;
    struct op_launches launches;
    struct kernel_sums *in_iteration; // of the current op, [split->count]
    struct kernel_sums *of_all_ops;   // by iteration
};

static uint32_t iteration_of(const struct dldb_out *out, uint32_t work)
{
    const uint32_t *of_work = out->selection->split->of_work;
    return of_work ? of_work[work] : 0;
}

// Adds the launches [first, end) of one op. Each row has the op's sums of the same iteration.
static void put_op_launches(struct dldb_out *out, struct dldb_kernels *kernels, uint32_t first,
                            uint32_t end)
{
    const struct profile *profile = out->profile;
    const struct split *split = out->selection->split;
    int64_t op = out->op_of[kernels->kernels.items[kernels->launches.kernel[first]].op];
    for (uint32_t i = first; i < end; i++) {
        uint32_t work = kernels->launches.work[i], iteration = iteration_of(out, work);
        if (iteration < split->count)
            kernels->in_iteration[iteration] = (struct kernel_sums){0};
    }
    for (uint32_t i = first; i < end; i++) {
        uint32_t work = kernels->launches.work[i], iteration = iteration_of(out, work);
        if (iteration >= split->count)
            continue;
        sums_add(&kernels->in_iteration[iteration], work_duration(profile, work),
                 work_uses_tc(profile, work));
        sums_add(&kernels->of_all_ops[iteration], work_duration(profile, work),
                 work_uses_tc(profile, work));
    }
    for (uint32_t i = first; i < end; i++) {
        uint32_t work = kernels->launches.work[i], iteration = iteration_of(out, work);
        if (iteration >= split->count)
            continue;
        const struct kernel_sums *sums = &kernels->in_iteration[iteration];
        DLDB_PUT(out, TABLE_KERNEL_ITERATION_NODE, AGGREGATION, DOMAIN, DLDB_INT(op),
                 DLDB_INT(out->kernel_of[work]), DLDB_INT(split->number[iteration]),
                 DLDB_INT(sums->count), DLDB_INT(sums->tc_count), DLDB_INT(sums->gpu_ns),
                 DLDB_INT(sums->tc_ns));
    }
}

static void put_launches(struct dldb_out *out, struct dldb_kernels *kernels)
{
    const struct split *split = out->selection->split;
    const struct op_launches *launches = &kernels->launches;
    kernels->in_iteration = ARENA_ARRAY(out->arena, struct kernel_sums, (size_t)split->count + 1);
    kernels->of_all_ops = ARENA_ARRAY(out->arena, struct kernel_sums, (size_t)split->count + 1);
    for (uint32_t first = 0, end; first < launches->count; first = end) {
        uint32_t op = kernels->kernels.items[launches->kernel[first]].op;
        for (end = first + 1; end < launches->count; end++)
            if (kernels->kernels.items[launches->kernel[end]].op != op)
                break;
        put_op_launches(out, kernels, first, end);
    }
    for (uint32_t i = 0; i < split->count; i++)
        if (selection_has_iteration(out->selection, i))
            DLDB_PUT(
                out, TABLE_KERNEL_ITERATION_STATS, AGGREGATION, DOMAIN, DLDB_INT(split->number[i]),
                DLDB_INT(kernels->of_all_ops[i].count), DLDB_INT(kernels->of_all_ops[i].tc_count),
                DLDB_INT(kernels->of_all_ops[i].gpu_ns), DLDB_INT(kernels->of_all_ops[i].tc_ns));
}

// Adds the kernels in the order of the ops; the kernels of an op are adjacent.
static void put_kernel_summaries(struct dldb_out *out, const struct op_metrics_list *list,
                                 const struct op_kernels *kernels)
{
    uint32_t *first = ARENA_ARRAY(out->arena, uint32_t, (size_t)out->profile->ops->count + 1);
    for (uint32_t k = kernels->count; k-- > 0;)
        first[kernels->items[k].op] = k;
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t op = list->items[i].op;
        for (uint32_t k = first[op]; k < kernels->count && kernels->items[k].op == op; k++) {
            const struct op_kernel *kernel = &kernels->items[k];
            struct value api = dldb_metric(out, &kernel->api, kernel->calls),
                         gpu = dldb_metric(out, &kernel->gpu, kernel->calls);
            DLDB_PUT(out, TABLE_KERNEL_SUMMARIES, AGGREGATION, DOMAIN, DLDB_INT(out->op_of[op]),
                     dldb_name(out, kernel->name), api, gpu, DLDB_INT(kernel->uses_tc));
        }
    }
}

static void put_counted(struct dldb_out *out)
{
    struct counted counted[COUNTED_KINDS] = {{0}};
    struct category categories[COUNTED_KINDS], kernels = {0};
    counted_work(out->profile, out->selection, counted, out->arena);
    for (int k = 0; k < COUNTED_KINDS; k++)
        categories[k] = (struct category){
            .cpu_ns = counted[k].api_ns, .gpu_ns = counted[k].gpu_ns, .count = counted[k].names};
    category_add(&kernels, &categories[COUNTED_TC]);
    category_add(&kernels, &categories[COUNTED_OTHER]);
    struct value total = put_category(out, &kernels),
                 tc = put_category(out, &categories[COUNTED_TC]),
                 other = put_category(out, &categories[COUNTED_OTHER]),
                 memory = put_category(out, &categories[COUNTED_MEMORY]);
    DLDB_PUT(out, TABLE_KERNEL_SUMMARY_METRICS, AGGREGATION, DOMAIN, total, tc, other);
    DLDB_PUT(out, TABLE_MEMORY_SUMMARY_METRICS, AGGREGATION, DOMAIN, memory);
}

// ---- ops ----------------------------------------------------------------------------------------

struct op_launch_sums { // sums over all kernels of an op
    int64_t count;
    struct time_metric gpu, api;
};

static struct op_launch_sums *launch_sums(const struct dldb_out *out,
                                          const struct op_kernels *kernels)
{
    struct op_launch_sums *sums =
        ARENA_ARRAY(out->arena, struct op_launch_sums, (size_t)out->profile->ops->count + 1);
    for (uint32_t i = 0; i < kernels->count; i++) {
        const struct op_kernel *kernel = &kernels->items[i];
        struct op_launch_sums *op_sums = &sums[kernel->op];
        metric_merge(&op_sums->gpu, op_sums->count, &kernel->gpu, kernel->calls);
        metric_merge(&op_sums->api, op_sums->count, &kernel->api, kernel->calls);
        op_sums->count += kernel->calls;
    }
    return sums;
}

static void put_ops(struct dldb_out *out, const struct op_metrics_list *list,
                    const struct op_kernels *kernels)
{
    const struct op_launch_sums *launches = launch_sums(out, kernels);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct op_metrics *metrics = &list->items[i];
        const struct op *op = &out->profile->ops->items[metrics->op];
        const struct op_launch_sums *op_sums = &launches[metrics->op];
        struct value times = put_times(out, &metrics->times);
        struct value api = dldb_metric(out, &op_sums->api, op_sums->count),
                     gpu = dldb_metric(out, &op_sums->gpu, op_sums->count);
        bool is_eligible = op->tensor_core_eligible == STATE_YES;
        bool is_bad = is_eligible && !type_is_reduced(profile_text(out->profile, op->data_type));
        DLDB_PUT(out, TABLE_OP_NODES, AGGREGATION, DLDB_INT(out->op_of[metrics->op]), times,
                 DLDB_INT(DLDB_PUT(out, TABLE_KERNEL_TIME_METRICS, api, gpu)),
                 DLDB_INT(metrics->calls), DLDB_INT(op_sums->count), DLDB_INT(is_eligible),
                 DLDB_INT(metrics->uses_tc), DLDB_INT(is_bad));
    }
}

static int64_t slashes(const char *name)
{
    int64_t count = 0;
    for (; *name; name++)
        count += *name == '/';
    return count;
}

enum group_row_type { GROUP_OF_OPS = 1, GROUP_LEAF };

// Adds the groups, and the ops as their leaves. Leaves out the last row of the report, which is the
// whole model.
static void put_groups(struct dldb_out *out, const struct op_metrics_list *list)
{
    const struct report *report = &report_group_node;
    const struct profile *profile = out->profile;
    struct rows rows = rows_of(out, report);
    for (size_t i = 0; i + 1 < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        const char *name = cell(report, "name", row).text;
        struct value times = put_times(out, row), text = dldb_text(out, name);
        DLDB_PUT(out, TABLE_GROUP_OPS, AGGREGATION, DOMAIN, DLDB_INT(GROUP_OF_OPS), text, text,
                 DLDB_INT(slashes(name)), cell(report, "calls", row),
                 cell(report, "tc_eligible", row), cell(report, "tc_used", row), times);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const struct op_metrics *metrics = &list->items[i];
        const struct op *op = &profile->ops->items[metrics->op];
        struct value times = put_times(out, &metrics->times);
        DLDB_PUT(out, TABLE_GROUP_OPS, AGGREGATION, DOMAIN, DLDB_INT(GROUP_LEAF),
                 dldb_name(out, op->id), dldb_name(out, op->name),
                 DLDB_INT(slashes(profile_text(profile, op->name)) + 1), DLDB_INT(metrics->calls),
                 DLDB_INT(op->tensor_core_eligible == STATE_YES), DLDB_INT(metrics->uses_tc),
                 times);
    }
}

static void put_types(struct dldb_out *out)
{
    const struct report *report = &report_op_type;
    struct rows rows = rows_of(out, report);
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        DLDB_PUT(out, TABLE_OP_TYPE_METRICS, AGGREGATION, DOMAIN,
                 dldb_text(out, cell(report, "type", row).text), put_times(out, row),
                 cell(report, "ops", row), cell(report, "calls", row));
    }
}

// ---- entry point --------------------------------------------------------------------------------

void dldb_put_sums(struct dldb_out *out)
{
    struct op_metrics_list list = op_metrics_build(out->profile, out->selection, out->arena);
    struct dldb_kernels kernels = {0};
    kernels.launches =
        op_launches_build(out->profile, out->selection, &kernels.kernels, out->arena);
    op_metrics_sort_by_id(out->profile, &list, out->arena);
    put_aggregation(out);
    put_expert(out);
    put_iterations(out);
    put_summary(out, &list);
    put_devices(out);
    if (list.count) {
        put_ops(out, &list, &kernels.kernels);
        put_groups(out, &list);
        put_types(out);
        put_kernel_summaries(out, &list, &kernels.kernels);
    }
    put_launches(out, &kernels);
    put_counted(out);
}
