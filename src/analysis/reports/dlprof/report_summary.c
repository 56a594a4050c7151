// SPDX-License-Identifier: Apache-2.0
// DLProf's summary: the machine, where the time went, the iterations, and totals of ops and
// kernels.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/report/dlprof_rules.h"
#include "analysis/report/report.h"
#include "analysis/reports/dlprof/dlprof_rows.h"
#include "analysis/sums/counted_work.h"
#include "analysis/sums/op_metrics.h"
#include "analysis/sums/work_text.h"
#include "base/scratch.h"
#include "base/sums.h"

REPORT_DECLARE(breakdown);

#ifndef DLPROF_TUI_VERSION
#define DLPROF_TUI_VERSION "0.1.0"
#endif
#ifndef DLPROF_TUI_BUILD
#define DLPROF_TUI_BUILD "dlprof-tui"
#endif

const char *const summary_section_titles[SUMMARY_SECTIONS] = {
    [SUMMARY_SYSTEM] = "System Config",  [SUMMARY_TIMES] = "Summary Report",
    [SUMMARY_ITERATIONS] = "Iterations", [SUMMARY_OPS] = "All Ops",
    [SUMMARY_KERNELS] = "All Kernels",
};
const char *const summary_count_titles[SUMMARY_SECTIONS] = {
    [SUMMARY_OPS] = "# Ops",
    [SUMMARY_KERNELS] = "# Kernels",
};

static const struct summary_row *row_of(const void *row)
{
    return row;
}

static struct value get_section(const void *row)
{
    return value_text(summary_section_titles[row_of(row)->section]);
}

static struct value get_name(const void *row)
{
    return value_text(row_of(row)->name);
}

static struct value get_value(const void *row)
{
    return value_text(row_of(row)->text);
}

static struct value get_gpu(const void *row)
{
    return value_integer(row_of(row)->gpu_ns);
}

static struct value get_cpu(const void *row)
{
    return value_integer(row_of(row)->cpu_ns);
}

static struct value get_count(const void *row)
{
    return value_integer(row_of(row)->count);
}

static const struct column columns[] = {
    {.key = "section",
     .title = "Section",
     .head = "section",
     .unit = UNIT_TEXT,
     .get = get_section,
     .doc = "The block of DLProf's summary."},
    {.key = "name",
     .title = "Name",
     .head = "name",
     .unit = UNIT_TEXT,
     .get = get_name,
     .doc = "What is told.",
     .flags = COLUMN_NAME},
    {.key = "value",
     .title = "Value",
     .head = "value",
     .unit = UNIT_TEXT,
     .get = get_value,
     .doc = "As DLProf prints it: times in ns, shares in percent of the wall clock."},
    {.key = "gpu",
     .title = "GPU Time (ns)",
     .head = "GPU",
     .unit = UNIT_NS,
     .get = get_gpu,
     .doc = "Ops: union per call, accumulated. Kernels: sum of durations."},
    {.key = "cpu",
     .title = "CPU Time (ns)",
     .head = "CPU",
     .unit = UNIT_NS,
     .get = get_cpu,
     .doc = "Ops: length of their ranges. Kernels: duration of the launching calls."},
    {.key = "count",
     .title = "Count",
     .head = "count",
     .unit = UNIT_COUNT,
     .get = get_count,
     .doc = "Ops; kernels by distinct short names, memory by distinct API names."},
};

// ---- rows ---------------------------------------------------------------------------------------

enum { SUMMARY_ROWS = 48 };

struct summary_sums {
    int64_t gpu_ns, cpu_ns, count;
};

static void sums_add(struct summary_sums *sums, int64_t gpu_ns, int64_t cpu_ns, int64_t count)
{
    sums->gpu_ns = add_saturating(sums->gpu_ns, gpu_ns);
    sums->cpu_ns = add_saturating(sums->cpu_ns, cpu_ns);
    sums->count += count;
}

struct summary {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    struct summary_row *rows;
    size_t count;
    struct breakdown breakdown;
    struct counted counted[COUNTED_KINDS];
    struct summary_sums ops[TC_PARTS];
    double tc_percent; // tensor_core_utilization()
};

static struct summary_row *add_row(struct summary *summary, enum summary_section section,
                                   const char *name)
{
    struct summary_row *row = &summary->rows[summary->count++];
    *row = (struct summary_row){
        .section = section, .name = name, .gpu_ns = UNKNOWN, .cpu_ns = UNKNOWN, .count = UNKNOWN};
    return row;
}

static void add_text(struct summary *summary, const char *name, const char *text)
{
    struct summary_row *row = add_row(summary, SUMMARY_SYSTEM, name);
    row->text = text ? text : "";
    row->value = value_text(row->text);
}

static void add_integer(struct summary *summary, enum summary_section section, const char *name,
                        int64_t value)
{
    struct summary_row *row = add_row(summary, section, name);
    row->value = value_integer(value);
    row->text = arena_format(summary->arena, "%" PRId64, value);
}

static void add_real(struct summary *summary, enum summary_section section, const char *name,
                     double value)
{
    struct summary_row *row = add_row(summary, section, name);
    row->value = value_real(value);
    row->text = arena_format(summary->arena, "%.1f", value);
}

// Adds a figure that depends on when things ran; it has no value without recorded times.
static void add_timed_integer(struct summary *summary, enum summary_section section,
                              const char *name, int64_t value)
{
    if (summary->profile->lacks_times)
        add_row(summary, section, name);
    else
        add_integer(summary, section, name, value);
}

static void add_timed_real(struct summary *summary, enum summary_section section, const char *name,
                           double value)
{
    if (summary->profile->lacks_times)
        add_row(summary, section, name);
    else
        add_real(summary, section, name, value);
}

static bool is_by_dlprof(const struct capture *capture)
{
    return *capture->dlprof;
}

const char *figures_version(const struct capture *capture)
{
    return is_by_dlprof(capture) ? capture->dlprof : "dlprof-tui v" DLPROF_TUI_VERSION;
}

const char *figures_build(const struct capture *capture)
{
    return is_by_dlprof(capture) ? capture->dlprof_build : DLPROF_TUI_BUILD;
}

static void add_system(struct summary *summary)
{
    const struct profile *profile = summary->profile;
    const struct capture *capture = &profile->capture;
    const char *names = "";
    for (uint32_t d = 0; d < profile->device_count; d++)
        names = arena_format(summary->arena, "%s%s%s", names, d ? ", " : "",
                             profile_text(profile, profile->devices[d].name));
    if (capture->name && capture->name[0])
        add_text(summary, "Profile Name", capture->name);
    add_integer(summary, SUMMARY_SYSTEM, "GPU Count", profile->device_count);
    add_text(summary, "GPU Name(s)", names);
    add_text(summary, "CPU Model", capture->cpu);
    add_text(summary, "GPU Driver Version", capture->driver);
    add_text(summary, "Framework", capture->framework);
    add_text(summary, "CUDA Version", capture->cuda);
    if (*capture->cudnn)
        add_text(summary, "cuDNN Version", capture->cudnn);
    add_text(summary, "NSys Version", capture->nsys);
    add_text(summary, "DLProf Version", figures_version(capture));
    add_text(summary, "DLProf Build", figures_build(capture));
}

static double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

// Returns the share of Tensor Core kernels in the kernel time of eligible ops, in percent.
static double tensor_core_utilization(const struct profile *profile,
                                      const struct op_metrics_list *list)
{
    int64_t tc = 0, all = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (profile->ops->items[list->items[i].op].tensor_core_eligible != STATE_YES)
            continue;
        tc += list->items[i].tc_ns;
        all += list->items[i].kernel_ns;
    }
    return percent(tc, all);
}

static void measure_ops(struct summary *summary, struct arena *scratch)
{
    const struct profile *profile = summary->profile;
    struct op_metrics_list list = op_metrics_build(profile, summary->selection, scratch);
    summary->tc_percent = tensor_core_utilization(profile, &list);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct op_metrics *metrics = &list.items[i];
        const struct time_metric *metric = metrics->times.metric;
        sums_add(&summary->ops[op_tc_part(profile, metrics)], metric[TIME_GPU].total,
                 metric[TIME_CPU].total, 1);
    }
}

static void measure_times(struct summary *summary, struct arena *scratch)
{
    summary->breakdown =
        breakdown_total(summary->profile, summary->selection, &breakdown_dlprof, scratch);
}

static void measure_kernels(struct summary *summary, struct arena *scratch)
{
    counted_work(summary->profile, summary->selection, summary->counted, scratch);
}

// Measurements that do not depend on each other. Simple mode runs the first only.
static void (*const measures[])(struct summary *summary, struct arena *scratch) = {
    measure_kernels, measure_times, measure_ops};

static void measure(void *context, size_t i, struct arena *scratch)
{
    measures[i](context, scratch);
}

static void add_times(struct summary *summary)
{
    static const char *const names[] = {
        "Tensor Core Kernel Duration %",
        "Non-Tensor Core Kernel Duration %",
        "Memory Duration %",
        "Dataloader Duration %",
        "IO Duration %",
        "CPU Duration %",
        "Other Duration %",
    };
    const struct breakdown *breakdown = &summary->breakdown;
    int64_t window = breakdown->window_ns;
    add_timed_integer(summary, SUMMARY_TIMES, "Wall Clock Time (ns)",
                      selection_wall_ns(summary->profile, summary->selection));
    add_real(summary, SUMMARY_TIMES, "Tensor Core Kernel Utilization %", summary->tc_percent);
    add_timed_real(summary, SUMMARY_TIMES, "GPU Utilization %",
                   percent(breakdown_kernel_ns(breakdown), window));
    for (size_t c = 0; c < breakdown_dlprof.count; c++)
        add_timed_real(summary, SUMMARY_TIMES, names[c], percent(breakdown->ns[c], window));
}

static void add_iterations(struct summary *summary)
{
    const struct selection *selection = summary->selection;
    const struct split *split = selection->split;
    uint32_t count = selection_iteration_count(selection),
             first = selection_first_iteration(selection),
             last = selection_last_iteration(selection);
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < split->count; i++)
        if (selection_has_iteration(selection, i))
            sum += (double)iteration_length(split, i);
    double mean = count ? sum / count : 0;
    for (uint32_t i = 0; i < split->count; i++) {
        double deviation = (double)iteration_length(split, i) - mean;
        if (selection_has_iteration(selection, i))
            squares += deviation * deviation;
    }
    add_integer(summary, SUMMARY_ITERATIONS, "Total Iterations", split->count);
    add_integer(summary, SUMMARY_ITERATIONS, "Aggregated Iterations", count);
    add_integer(summary, SUMMARY_ITERATIONS, "Start Iteration",
                first == ROW_NONE ? 0 : split->number[first]);
    add_integer(summary, SUMMARY_ITERATIONS, "Stop Iteration",
                last == ROW_NONE ? 0 : split->number[last]);
    add_timed_real(summary, SUMMARY_ITERATIONS, "Average Iteration Time (ns)", mean);
    add_timed_real(summary, SUMMARY_ITERATIONS, "Iteration Time Standard Deviation",
                   count ? sqrt(squares / count) : 0);
}

static void add_sums(struct summary *summary, enum summary_section section, const char *name,
                     struct summary_sums sums)
{
    struct summary_row *row = add_row(summary, section, name);
    row->gpu_ns = sums.gpu_ns;
    row->cpu_ns = summary->profile->lacks_times ? UNKNOWN : sums.cpu_ns;
    row->count = sums.count;
}

static void add_ops(struct summary *summary)
{
    static const char *const names[TC_PARTS] = {[TC_PART_USING] = "Ops using TC",
                                                [TC_PART_ELIGIBLE] =
                                                    "Ops eligible for TC but not using",
                                                [TC_PART_OTHER] = "All other ops"};
    struct summary_sums all = {0};
    for (int part = 0; part < TC_PARTS; part++)
        sums_add(&all, summary->ops[part].gpu_ns, summary->ops[part].cpu_ns,
                 summary->ops[part].count);
    add_sums(summary, SUMMARY_OPS, "All ops", all);
    for (int part = 0; part < TC_PARTS; part++)
        add_sums(summary, SUMMARY_OPS, names[part], summary->ops[part]);
}

static void add_kernels(struct summary *summary)
{
    static const char *const names[COUNTED_KINDS] = {[COUNTED_TC] = "Kernels using TC",
                                                     [COUNTED_MEMORY] = "Memory",
                                                     [COUNTED_OTHER] = "All other kernels"};
    const struct counted *counted = summary->counted;
    struct summary_sums all = {0}, parts[COUNTED_KINDS] = {{0}};
    for (int k = 0; k < COUNTED_KINDS; k++) {
        sums_add(&parts[k], counted[k].gpu_ns, counted[k].api_ns, counted[k].names);
        sums_add(&all, counted[k].gpu_ns, counted[k].api_ns, counted[k].names);
    }
    add_sums(summary, SUMMARY_KERNELS, "All kernels", all);
    for (int k = 0; k < COUNTED_KINDS; k++)
        add_sums(summary, SUMMARY_KERNELS, names[k], parts[k]);
}

// Adds the three figures of simple mode.
static void add_figures(struct summary *summary)
{
    int64_t gpu_ns = 0;
    for (int k = 0; k < COUNTED_KINDS; k++)
        gpu_ns = add_saturating(gpu_ns, summary->counted[k].gpu_ns);
    add_timed_integer(summary, SUMMARY_TIMES, "Wall Clock Time (ns)",
                      selection_wall_ns(summary->profile, summary->selection));
    add_integer(summary, SUMMARY_TIMES, "Total GPU Time (ns)", gpu_ns);
    add_integer(summary, SUMMARY_TIMES, "Total Tensor Core Kernel Time (ns)",
                summary->counted[COUNTED_TC].gpu_ns);
}

static struct rows rows_make(const struct profile *profile, const struct selection *selection,
                             bool is_simple, struct arena *arena)
{
    struct summary summary = {.profile = profile,
                              .selection = selection,
                              .arena = arena,
                              .rows = ARENA_ARRAY(arena, struct summary_row, SUMMARY_ROWS)};
    size_t needed = is_simple ? 1 : sizeof measures / sizeof *measures;
    scratch_jobs(arena, profile->workers, needed, measure, &summary);
    add_system(&summary);
    if (is_simple) {
        add_figures(&summary);
    } else {
        add_times(&summary);
        add_iterations(&summary);
        add_ops(&summary);
        add_kernels(&summary);
    }
    return (struct rows){.items = summary.rows,
                         .count = summary.count,
                         .caption = tensor_core_text(profile, selection, arena)};
}

struct rows summary_full_rows(const struct profile *profile, const struct selection *selection,
                              struct arena *arena)
{
    return rows_make(profile, selection, false, arena);
}

static struct rows summary_build(const struct profile *profile, const struct selection *selection,
                                 struct arena *arena)
{
    return rows_make(profile, selection, profile->mode == MODE_SIMPLE, arena);
}

static uint64_t summary_id(const void *row)
{
    return text_id(row_of(row)->section, row_of(row)->name);
}

static const char *summary_narrow(const struct profile *profile, const void *row,
                                  struct selection *selection)
{
    (void)profile;
    (void)selection;
    static const char *const opens[SUMMARY_SECTIONS] = {
        [SUMMARY_SYSTEM] = "devices",        [SUMMARY_TIMES] = "breakdown",
        [SUMMARY_ITERATIONS] = "iterations", [SUMMARY_OPS] = "detail",
        [SUMMARY_KERNELS] = "kernels",
    };
    return opens[row_of(row)->section];
}

const struct report report_summary = {
    .name = "summary",
    .title = "DLProf summary",
    .doc = "DLProf's summary: the machine, resource usage, iterations, totals of ops and kernels.",
    .row_size = sizeof(struct summary_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = summary_build,
    .id = summary_id,
    .narrow = summary_narrow,
    .comparison_report = &report_breakdown,
    .is_dlprof = true,
    .file = "summary",
};
