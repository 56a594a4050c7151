// SPDX-License-Identifier: Apache-2.0
// Shows one row per iteration, selected or not. The bar chart draws these rows.
#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/metrics.h"
#include "analysis/place/row_place_find.h"
#include "analysis/report/memo.h"
#include "analysis/report/report.h"
#include "analysis/steps/step_slowest.h"
#include "analysis/steps/step_statistics.h"

REPORT_DECLARE(iterations);
REPORT_DECLARE(set_steps);

struct iterations_row {
    uint32_t iteration; // index in the split
    int64_t number, start_ns, host_ns;
    struct step_content content;
    struct breakdown gpu;
    int64_t kernels, tc_kernels, work, work_ns;
    bool is_selected, is_cut;
    struct step_slowest slowest; // set only with several GPUs
    struct metric_sums metrics;  // of the GPUs in scope
};

static const struct iterations_row *row_of(const void *row)
{
    return row;
}

static struct value get_number(const void *row)
{
    return value_integer(row_of(row)->number);
}

static struct value get_kind(const void *row)
{
    enum step_kind kind = row_of(row)->content.kind;
    return kind == STEP_KIND_NONE ? value_none() : value_text(step_kind_names[kind]);
}

// One accessor per figure, since an accessor gets only the row.
#define SAID_GETTER(name, figure)                                   \
    static struct value get_##name(const void *row)                 \
    {                                                               \
        return value_integer(row_of(row)->content.figures[figure]); \
    }
SAID_GETTER(requests, STEP_REQUESTS)
SAID_GETTER(prefills, STEP_PREFILLS)
SAID_GETTER(tokens, STEP_TOKENS)
SAID_GETTER(prefill_tokens, STEP_PREFILL_TOKENS)

static struct value get_slowest(const void *row)
{
    return value_integer(row_of(row)->slowest.number);
}

static struct value get_slowest_above(const void *row)
{
    return value_integer(row_of(row)->slowest.above_ns);
}

static struct value get_start(const void *row)
{
    return value_integer(row_of(row)->start_ns);
}

static struct value get_host(const void *row)
{
    return value_integer(row_of(row)->host_ns);
}

static struct value get_gpu(const void *row)
{
    return row_of(row)->gpu.window_ns > 0 ? value_integer(row_of(row)->gpu.window_ns)
                                          : value_none();
}

static struct value category(const void *row, size_t c)
{
    return row_of(row)->gpu.window_ns > 0 ? value_integer(row_of(row)->gpu.ns[c]) : value_none();
}

static struct value get_tensor_core(const void *row)
{
    return category(row, GPU_TENSOR_CORE);
}

static struct value get_other(const void *row)
{
    return category(row, GPU_OTHER_KERNELS);
}

static struct value get_communication(const void *row)
{
    return category(row, GPU_COMMUNICATION);
}

static struct value get_copies(const void *row)
{
    return category(row, GPU_COPIES);
}

static struct value get_graph(const void *row)
{
    return category(row, GPU_GRAPH);
}

static struct value get_idle(const void *row)
{
    return category(row, GPU_IDLE);
}

static struct value get_busy(const void *row)
{
    const struct breakdown *gpu = &row_of(row)->gpu;
    return value_share(breakdown_busy_ns(gpu), gpu->window_ns);
}

static struct value get_kernels(const void *row)
{
    return value_integer(row_of(row)->kernels);
}

static struct value get_tc_kernels(const void *row)
{
    return value_integer(row_of(row)->tc_kernels);
}

static struct value get_work(const void *row)
{
    return value_integer(row_of(row)->work);
}

static struct value get_work_ns(const void *row)
{
    return value_integer(row_of(row)->work_ns);
}

static struct value get_selected(const void *row)
{
    return value_state(row_of(row)->is_selected ? STATE_YES : STATE_NO);
}

static struct value get_cut(const void *row)
{
    return value_state(row_of(row)->is_cut ? STATE_YES : STATE_NO);
}

static const struct metric_sums *sums_of(const void *row)
{
    return &row_of(row)->metrics;
}

METRIC_GETTERS(sums_of)

static const struct column columns[] = {
    {.key = "iteration",
     .title = "Iteration",
     .head = "it",
     .unit = UNIT_ID,
     .get = get_number,
     .doc = "Its number, as the marks of the file call it.",
     .flags = COLUMN_NAME},
    {.key = "kind",
     .title = "Kind",
     .head = "kind",
     .unit = UNIT_TEXT,
     .get = get_kind,
     .doc = "What a server does in it, as its range says: prefill (prompts), decode (new tokens), "
            "mixed (both) or idle. Only where a range says so.",
     .flags = COLUMN_SAID},
    {.key = "requests",
     .title = "Requests",
     .head = "requests",
     .unit = UNIT_COUNT,
     .get = get_requests,
     .doc = "Requests in its batch, as its range says. Only where a range says so.",
     .flags = COLUMN_SAID},
    {.key = "prefills",
     .title = "Prefill Requests",
     .head = "prefills",
     .unit = UNIT_COUNT,
     .get = get_prefills,
     .doc = "Of the requests those whose prompt is read in it. Only where a range says so.",
     .flags = COLUMN_SAID | COLUMN_WIDE},
    {.key = "tokens",
     .title = "Tokens",
     .head = "tokens",
     .unit = UNIT_COUNT,
     .get = get_tokens,
     .doc = "Tokens computed in it, as its range says. Only where a range says so.",
     .flags = COLUMN_SAID},
    {.key = "prefill_tokens",
     .title = "Prefill Tokens",
     .head = "prefill tok",
     .unit = UNIT_COUNT,
     .get = get_prefill_tokens,
     .doc = "Of the tokens those of prompts. Only where a range says so.",
     .flags = COLUMN_SAID | COLUMN_WIDE},
    {.key = "start",
     .title = "Start (ns)",
     .head = "start",
     .unit = UNIT_TIME,
     .get = get_start,
     .doc = "When it begins on the host, in the process that is first.",
     .flags = COLUMN_WIDE},
    {.key = "host",
     .title = "Host Period (ns)",
     .head = "host",
     .unit = UNIT_NS,
     .get = get_host,
     .doc = "From its beginning on the host to that of the next iteration, where these follow each "
            "other directly, else to its end: mean over the processes.",
     .flags = COLUMN_WIDE | COLUMN_ONE_STEP | COLUMN_TIMED},
    {.key = "gpu",
     .title = "GPU Period (ns)",
     .head = "GPU",
     .unit = UNIT_NS,
     .get = get_gpu,
     .doc =
         "From when the GPU begins or waits for it (the work before has ended and it has begun on "
         "the host) to the same moment of the next iteration; the last ends with its work or on "
         "the host, whichever is later: mean over the GPUs. The categories add up to it.",
     .flags = COLUMN_BAR | COLUMN_ONE_STEP | COLUMN_TIMED},
    {.key = "busy",
     .title = "GPU Busy (%)",
     .head = "busy %",
     .unit = UNIT_PERCENT,
     .get = get_busy,
     .doc = "Share of the GPU period in which anything runs on the GPU.",
     .flags = COLUMN_TIMED},
    {.key = "tensor_core",
     .title = "Tensor Core (ns)",
     .head = "TC",
     .unit = UNIT_NS,
     .get = get_tensor_core,
     .doc = "Compute kernels that use Tensor Cores.",
     .flags = COLUMN_ONE_STEP | COLUMN_TIMED},
    {.key = "other_kernels",
     .title = "Other Kernels (ns)",
     .head = "other",
     .unit = UNIT_NS,
     .get = get_other,
     .doc = "Other compute kernels, while none with Tensor Cores runs.",
     .flags = COLUMN_ONE_STEP | COLUMN_TIMED},
    {.key = "communication",
     .title = "Exposed Communication (ns)",
     .head = "comm",
     .unit = UNIT_NS,
     .get = get_communication,
     .doc = "Communication while no compute kernel runs.",
     .flags = COLUMN_WIDE | COLUMN_ONE_STEP | COLUMN_TIMED},
    {.key = "copies",
     .title = "Exposed Copies (ns)",
     .head = "copies",
     .unit = UNIT_NS,
     .get = get_copies,
     .doc = "Copies and memsets while no kernel runs.",
     .flags = COLUMN_WIDE | COLUMN_ONE_STEP | COLUMN_TIMED},
    {.key = "graph",
     .title = "Opaque Graphs (ns)",
     .head = "graph",
     .unit = UNIT_NS,
     .get = get_graph,
     .doc = "CUDA graphs traced as a whole.",
     .flags = COLUMN_WIDE | COLUMN_ONE_STEP | COLUMN_TIMED},
    {.key = "idle",
     .title = "GPU Idle (ns)",
     .head = "idle",
     .unit = UNIT_NS,
     .get = get_idle,
     .doc = "Nothing runs on the GPU.",
     .flags = COLUMN_ONE_STEP | COLUMN_TIMED},
    {.key = "slowest",
     .title = "Slowest",
     .head = "slowest",
     .unit = UNIT_ID,
     .get = get_slowest,
     .doc =
         "The GPU that works longest in it, communication and idle time aside: by its rank, or by "
         "its number in `devices` where not each GPU has a rank of its own.",
     .flags = COLUMN_WIDE | COLUMN_MARK | COLUMN_TIMED},
    {.key = "slowest_above",
     .title = "Slowest above Median (ns)",
     .head = "above median",
     .unit = UNIT_NS,
     .get = get_slowest_above,
     .doc = "How much longer that one works than the GPU in the middle.",
     .flags = COLUMN_WIDE | COLUMN_MARK | COLUMN_TIMED},
    {.key = "kernels",
     .title = "Kernels",
     .head = "kernels",
     .unit = UNIT_COUNT,
     .get = get_kernels,
     .doc = "Kernels launched in it.",
     .flags = COLUMN_ONE_STEP | COLUMN_ALL_GPUS},
    {.key = "tc_kernels",
     .title = "TC Kernels",
     .head = "TC kern",
     .unit = UNIT_COUNT,
     .get = get_tc_kernels,
     .doc = "Of them such that use Tensor Cores, by their full names.",
     .flags = COLUMN_WIDE | COLUMN_ONE_STEP | COLUMN_ALL_GPUS},
    {.key = "work",
     .title = "GPU Work",
     .head = "work",
     .unit = UNIT_COUNT,
     .get = get_work,
     .doc = "Kernels, copies, memsets and graphs launched in it.",
     .flags = COLUMN_DETAIL | COLUMN_ONE_STEP | COLUMN_ALL_GPUS},
    {.key = "work_time",
     .title = "Launched GPU Time (ns)",
     .head = "launched",
     .unit = UNIT_NS,
     .get = get_work_ns,
     .doc = "Durations of the work launched in it: overlap counts twice, and it may run later.",
     .flags = COLUMN_DETAIL | COLUMN_ONE_STEP | COLUMN_ALL_GPUS},
    {.key = "selected",
     .title = "In Set",
     .head = "set",
     .unit = UNIT_STATE,
     .get = get_selected,
     .doc = "Whether it is among the selected iterations."},
    {.key = "cut",
     .title = "Cut",
     .head = "cut",
     .unit = UNIT_STATE,
     .get = get_cut,
     .doc =
         "Whether the capture began or ended in it (its work or calls are not all in the file), or "
         "it lies before the first key op or after the last. It is in no mean.",
     .flags = COLUMN_WIDE},
    METRIC_COLUMNS,
};

struct iteration_launches { // work launched in one iteration
    int64_t kernels, tc_kernels, work, work_ns;
};

static struct iteration_launches *count_work(const struct profile *profile,
                                             const struct selection *scope, struct arena *arena)
{
    const struct split *split = scope->split;
    struct iteration_launches *launched =
        ARENA_ARRAY(arena, struct iteration_launches, (size_t)split->count + 1);
    for (uint32_t w = 0; w < profile->work.count; w++) {
        uint32_t i = split->of_work ? split->of_work[w] : 0;
        if (i >= split->count || !selection_has_work(profile, scope, w))
            continue;
        const struct function *function = &profile->functions[AT(profile->work.function, w)];
        launched[i].work++;
        launched[i].work_ns += work_duration(profile, w);
        if (function->kind == WORK_KERNEL) {
            launched[i].kernels++;
            launched[i].tc_kernels += function->tensor_core == STATE_YES;
        }
    }
    return launched;
}

static void *build_launches(const struct profile *profile, const struct selection *selection,
                            struct arena *arena)
{
    return count_work(profile, selection, arena);
}

static const struct memo_kind launches_kind = {.fields = MEMO_PROCESS | MEMO_DEVICE,
                                               .make = build_launches};

// Returns the launched work of every iteration, selected or not.
static const struct iteration_launches *launches_of(const struct profile *profile,
                                                    const struct selection *selection,
                                                    struct arena *arena)
{
    const struct iteration_launches *memoized =
        selection_is_unfiltered(selection) ? memo_get(&launches_kind, profile, selection, arena)
                                           : NULL;
    struct selection scope = *selection;
    scope.iterations = NULL;
    return memoized ? memoized : count_work(profile, &scope, arena);
}

// Returns the report with the columns of what ranges say of a step, as far as any does.
static const struct report *report_of(const struct report *base, const struct split *split,
                                      struct arena *arena)
{
    enum { KIND_COLUMN = 1 }; // the columns of the figures follow in their order
    bool is_said[1 + STEP_FIGURE_COUNT] = {0}, any = false;
    for (uint32_t i = 0; split->content && i < split->count; i++) {
        const struct step_content *content = &split->content[i];
        any |= step_content_says(content);
        is_said[0] |= content->kind != STEP_KIND_NONE;
        for (unsigned f = 0; f < STEP_FIGURE_COUNT; f++)
            is_said[1 + f] |= content->figures[f] != UNKNOWN;
    }
    if (!any)
        return NULL;
    struct column *said = ARENA_ARRAY(arena, struct column, sizeof columns / sizeof *columns);
    struct report *report = ARENA_NEW(arena, struct report);
    memcpy(said, columns, sizeof columns);
    for (unsigned c = 0; c < 1 + STEP_FIGURE_COUNT; c++)
        said[KIND_COLUMN + c].flags &= is_said[c] ? ~(unsigned)COLUMN_SAID : ~0U;
    *report = *base;
    report->columns = said;
    return report;
}

static struct rows iterations_build(const struct profile *profile,
                                    const struct selection *selection, struct arena *arena)
{
    const struct split *split = selection->split;
    struct iterations_row *rows =
        ARENA_ARRAY(arena, struct iterations_row, (size_t)split->count + 1);
    const struct breakdown *gpu = breakdown_iterations(profile, selection, &breakdown_gpu, arena);
    const struct iteration_launches *launched = launches_of(profile, selection, arena);
    const struct steps_slowest *slowest = steps_slowest(profile, selection, arena);
    const int64_t *host_ns = step_host_periods(profile, selection, arena);
    for (uint32_t i = 0; i < split->count; i++)
        rows[i] = (struct iterations_row){
            .iteration = i,
            .number = split->number[i],
            .start_ns = split->start[i],
            .host_ns = host_ns[i],
            .content = split->content ? split->content[i] : step_content_none,
            .gpu = gpu[i],
            .kernels = launched[i].kernels,
            .tc_kernels = launched[i].tc_kernels,
            .work = launched[i].work,
            .work_ns = launched[i].work_ns,
            .is_selected = selection_has_iteration(selection, i),
            .is_cut = split->is_cut && split->is_cut[i],
            .slowest = slowest->steps[i],
        };
    for (uint32_t d = 0; profile->metrics.first && d < profile->device_count; d++)
        for (uint32_t i = 0; i < split->count; i++)
            if (selection->device == ROW_NONE || selection->device == d)
                metric_sums_iteration(&rows[i].metrics, profile, selection, d, i);
    return (struct rows){
        .items = rows,
        .count = split->count,
        .caption = split->text,
        .empty = split->count ? NULL : "There are no steps.",
        .report = report_of(&report_iterations, split, arena),
    };
}

static uint64_t iterations_id(const void *row)
{
    return row_of(row)->iteration;
}

// The selected iterations only; comparisons use this report instead of `iterations`.
static struct rows set_build(const struct profile *profile, const struct selection *selection,
                             struct arena *arena)
{
    struct rows rows = iterations_build(profile, selection, arena);
    struct iterations_row *selected = ARENA_ARRAY(arena, struct iterations_row, rows.count + 1);
    size_t count = 0;
    for (size_t i = 0; i < rows.count; i++)
        if (row_of(report_row(&report_iterations, &rows, i))->is_selected)
            selected[count++] = *row_of(report_row(&report_iterations, &rows, i));
    rows.items = selected;
    rows.count = count;
    rows.report = report_of(&report_set_steps, selection->split, arena);
    rows.empty = count ? NULL : "No step is selected.";
    return rows;
}

static bool row_place(const struct profile *profile, const struct selection *selection,
                      const void *row, struct row_place *place, struct arena *arena)
{
    (void)profile, (void)arena;
    return place_step(selection, row_of(row)->iteration, place);
}

// clang-format off
#define ITERATIONS \
    .name = "iterations", .title = "Iterations", \
    .doc = "Every iteration with its periods on the host and on the GPU, and what the GPU did.", \
    .row_size = sizeof(struct iterations_row), \
    .column_count = sizeof columns / sizeof *columns, .columns = columns, \
    .id = iterations_id, .place = row_place, .is_steps = true, .match = row_match_any
// clang-format on
const struct report report_set_steps = {ITERATIONS, .build = set_build};
const struct report report_iterations = {ITERATIONS, .build = iterations_build,
                                         .comparison_report = &report_set_steps};
