// SPDX-License-Identifier: Apache-2.0
// The overview of PyTorch's TensorBoard plugin: the mean step and each step by role.
#include <inttypes.h>
#include <string.h>

#include "analysis/place/row_place_find.h"
#include "analysis/plugin/plugin_steps.h"
#include "analysis/report/report.h"
#include "analysis/reports/plugin/report_overview.h"
#include "base/sort.h"
#include "base/sums.h"
#include "base/text/format.h"

struct overview_row {
    const char *step;   // "average", or a number: "7"
    uint32_t iteration; // index in the split, or ROW_NONE
    int64_t count;      // number of steps in the mean; a row of one step number has one per process
    int64_t start, stop; // UNKNOWN for the mean of several steps
    struct breakdown parts;
};

static const struct overview_row *row_of(const void *row)
{
    return row;
}

const struct breakdown *overview_row_parts(const void *row)
{
    return &row_of(row)->parts;
}

static struct value get_step(const void *row)
{
    return value_text(row_of(row)->step);
}

static struct value get_total(const void *row)
{
    return value_integer(row_of(row)->parts.window_ns);
}

static struct value get_count(const void *row)
{
    return value_integer(row_of(row)->count);
}

static struct value get_start(const void *row)
{
    return value_integer(row_of(row)->start);
}

static struct value get_stop(const void *row)
{
    return value_integer(row_of(row)->stop);
}

// Time of a role and its share of the step.
#define ROLE_GETTERS(name, role)                                                       \
    static struct value get_##name(const void *row)                                    \
    {                                                                                  \
        return value_integer(row_of(row)->parts.ns[role]);                             \
    }                                                                                  \
    static struct value get_##name##_share(const void *row)                            \
    {                                                                                  \
        return value_share(row_of(row)->parts.ns[role], row_of(row)->parts.window_ns); \
    }
ROLE_GETTERS(kernel, PLUGIN_KERNEL)
ROLE_GETTERS(memcpy, PLUGIN_MEMCPY)
ROLE_GETTERS(memset, PLUGIN_MEMSET)
ROLE_GETTERS(communication, PLUGIN_COMMUNICATION)
ROLE_GETTERS(runtime, PLUGIN_RUNTIME)
ROLE_GETTERS(loader, PLUGIN_LOADER)
ROLE_GETTERS(cpu, PLUGIN_CPU)
ROLE_GETTERS(other, PLUGIN_OTHER)

// clang-format off
static const struct column columns[] = {
    {"step", "Step", "step", UNIT_TEXT, get_step,
     "Number of the step as its range has it, or average: the mean of the steps selected.",
     COLUMN_NAME},
    {"total", "Step Time (ns)", "total", UNIT_NS, get_total,
     "From the start of the step on the host, or the end of the one before, to the end of its "
     "last GPU work.", COLUMN_ONE_STEP},
    {"kernel", "Kernel (ns)", "kernel", UNIT_NS, get_kernel,
     "Kernels run that are not communication; CUDA graphs that are traced as a whole, too.",
     COLUMN_ONE_STEP},
    {"memcpy", "Memcpy (ns)", "memcpy", UNIT_NS, get_memcpy, "Copies, while no kernel runs.",
     COLUMN_ONE_STEP},
    {"memset", "Memset (ns)", "memset", UNIT_NS, get_memset, "Memsets, while none of the above "
     "runs.", COLUMN_ONE_STEP},
    {"communication", "Communication (ns)", "comm", UNIT_NS, get_communication,
     "Kernels of collectives (by their names, or launched by an op nccl:*, gloo:* ...) and these "
     "ops on the "
     "host, while none of the above runs.", COLUMN_ONE_STEP},
    {"runtime", "Runtime (ns)", "runtime", UNIT_NS, get_runtime,
     "Calls of the CUDA runtime and driver, while none of the above.", COLUMN_ONE_STEP},
    {"dataloader", "DataLoader (ns)", "loader", UNIT_NS, get_loader,
     "Ranges of a data loader, enumerate(DataLoader)#..., while none of the above.",
     COLUMN_ONE_STEP},
    {"cpu_exec", "CPU Exec (ns)", "cpu", UNIT_NS, get_cpu,
     "Other ops and ranges on the host, while none of the above.", COLUMN_ONE_STEP},
    {"other", "Other (ns)", "other", UNIT_NS, get_other, "What is left of the step.",
     COLUMN_ONE_STEP},
    {"kernel_share", "Kernel (% of the step)", "%kernel", UNIT_PERCENT, get_kernel_share,
     "Share of the step.", COLUMN_DETAIL},
    {"memcpy_share", "Memcpy (% of the step)", "%memcpy", UNIT_PERCENT, get_memcpy_share,
     "Share of the step.", COLUMN_DETAIL},
    {"memset_share", "Memset (% of the step)", "%memset", UNIT_PERCENT, get_memset_share,
     "Share of the step.", COLUMN_DETAIL},
    {"communication_share", "Communication (% of the step)", "%comm", UNIT_PERCENT,
     get_communication_share,
     "Share of the step.", COLUMN_DETAIL},
    {"runtime_share", "Runtime (% of the step)", "%runtime", UNIT_PERCENT, get_runtime_share,
     "Share of the step.", COLUMN_DETAIL},
    {"dataloader_share", "DataLoader (% of the step)", "%loader", UNIT_PERCENT, get_loader_share,
     "Share of the step.", COLUMN_DETAIL},
    {"cpu_exec_share", "CPU Exec (% of the step)", "%cpu", UNIT_PERCENT, get_cpu_share,
     "Share of the step.", COLUMN_DETAIL},
    {"other_share", "Other (% of the step)", "%other", UNIT_PERCENT, get_other_share,
     "Share of the step.", COLUMN_DETAIL},
    {"steps", "Steps", "steps", UNIT_COUNT, get_count,
     "How many steps it is the mean of: all, or of several processes one of each.", COLUMN_DETAIL},
    {"start", "Start (ns)", "start", UNIT_TIME, get_start, "When it begins; of a mean not known.",
     COLUMN_DETAIL},
    {"stop", "Stop (ns)", "stop", UNIT_TIME, get_stop, "When it ends; of a mean not known.",
     COLUMN_DETAIL},
};
// clang-format on

struct overview_builder {
    struct arena *arena;
    struct overview_row *rows;
    size_t count;
};

static void row_close(struct overview_builder *builder, struct overview_row row)
{
    if (row.count > 1)
        row.start = row.stop = UNKNOWN;
    row.parts = plugin_mean(&row.parts, row.count);
    builder->rows[builder->count++] = row;
}

// Adds one row per step. With several processes, steps of equal number share a row.
static void add_steps(struct overview_builder *builder, const struct plugin_steps *steps,
                      const struct selection *selection, size_t count)
{
    const struct plugin_step **all =
        ARENA_ARRAY(builder->arena, const struct plugin_step *, count + 1);
    int64_t *numbers = ARENA_ARRAY(builder->arena, int64_t, count + 1);
    size_t step_count = 0;
    for (uint32_t p = 0; p < steps->count; p++)
        for (uint32_t i = 0; i < steps->workers[p].count; i++) {
            const struct plugin_step *step = &steps->workers[p].steps[i];
            if (!plugin_step_is_selected(selection, step))
                continue;
            all[step_count] = step;
            numbers[step_count] = steps->count > 1 ? step->number : (int64_t)step_count;
            step_count++;
        }
    const uint32_t *order = sort_by_time(builder->arena, numbers, NULL, step_count);
    struct overview_row row = {0};
    for (size_t i = 0; i < step_count; i++) {
        const struct plugin_step *step = all[order[i]];
        if (i == 0 || numbers[order[i]] != numbers[order[i - 1]]) {
            if (i > 0)
                row_close(builder, row);
            row = (struct overview_row){
                .iteration = step->iteration, .start = step->start, .stop = step->stop};
            row.step = arena_format(builder->arena, "%" PRId64, step->number);
        }
        row.count++;
        for (int c = 0; c < PLUGIN_ROLES; c++)
            row.parts.ns[c] = add_saturating(row.parts.ns[c], step->parts.ns[c]);
    }
    row_close(builder, row);
}

// Formats 'mean of 6 steps, host's clock: 177 ms, by "ProfilerStep#N"; left out at the end: 1 step
// ...'. It names the host's clock since other views use the GPU's.
static const char *caption_of(const struct plugin_steps *steps, const struct selection *selection,
                              int64_t count, int64_t mean_ns, struct arena *arena)
{
    char number[FORMAT_SIZE], time[FORMAT_SIZE];
    uint64_t dropped = 0;
    for (uint32_t p = 0; p < steps->count; p++)
        dropped += steps->workers[p].dropped;
    const char *text = arena_format(arena, "mean of %s, host's clock: %s",
                                    format_counted(number, (uint64_t)count, "step"),
                                    format_duration(time, mean_ns, false));
    text = arena_format(arena, "%s, %s", text, plugin_steps_text(steps, selection, arena));
    if (steps->count > 1)
        text = arena_format(arena, "%s, %s", text, format_counted(number, steps->count, "process"));
    if (dropped)
        text = arena_format(arena, "%s; left out at the end: %s with less GPU work", text,
                            format_counted(number, dropped, "step"));
    return text;
}

static struct rows build_rows(const struct profile *profile, const struct selection *selection,
                              bool has_mean, struct arena *arena)
{
    const struct plugin_steps *steps = plugin_steps_of(profile, selection, arena);
    int64_t count;
    struct breakdown mean = plugin_average(steps, selection, &count);
    if (count == 0)
        return (struct rows){
            .empty = steps->count == 0 ? "No steps: the file holds neither ops nor ranges, calls "
                                         "or GPU work of what is looked at."
                                       : "No step is selected."};
    struct overview_builder builder = {.arena = arena};
    builder.rows = ARENA_ARRAY(arena, struct overview_row, (size_t)count + 1);
    if (has_mean)
        builder.rows[builder.count++] = (struct overview_row){.step = "average",
                                                              .iteration = ROW_NONE,
                                                              .count = count,
                                                              .start = UNKNOWN,
                                                              .stop = UNKNOWN,
                                                              .parts = mean};
    add_steps(&builder, steps, selection, (size_t)count);
    return (struct rows){.items = builder.rows,
                         .count = builder.count,
                         .caption = caption_of(steps, selection, count, mean.window_ns, arena)};
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    return build_rows(profile, selection, true, arena);
}

// Comparisons use the steps without the mean, since they add steps up.
static struct rows build_steps(const struct profile *profile, const struct selection *selection,
                               struct arena *arena)
{
    return build_rows(profile, selection, false, arena);
}

static uint64_t row_id(const void *row)
{
    return text_id(row_of(row)->iteration, row_of(row)->step);
}

static bool row_place(const struct profile *profile, const struct selection *selection,
                      const void *row, struct row_place *place, struct arena *arena)
{
    (void)profile, (void)arena;
    return place_step(selection, row_of(row)->iteration, place);
}

// clang-format off
#define OVERVIEW_REPORT \
    .name = "overview", .title = "Step time breakdown", \
    .doc = "The mean step and each step by what is active in it, as the overview of PyTorch's " \
           "TensorBoard plugin: kernels, copies, memsets, communication, CUDA calls, data " \
           "loader, ops on " \
           "the host, other. Steps reach to the end of the GPU work that they launch.", \
    .row_size = sizeof(struct overview_row), \
    .column_count = sizeof columns / sizeof *columns, .columns = columns, \
    .has_own_steps = true, .id = row_id, .place = row_place, .is_steps = true, \
    .match = row_match_any, .is_timed = true
// clang-format on

const struct report report_overview_steps = {OVERVIEW_REPORT, .build = build_steps};
const struct report report_overview = {OVERVIEW_REPORT, .build = build,
                                       .comparison_report = &report_overview_steps};
