// SPDX-License-Identifier: Apache-2.0
// Shows the time of operators on the host and on the GPU, without and with the operators and calls
// inside them: by name, by input shapes, or by call stack.
#include "analysis/plugin/operator_sums.h"
#include "analysis/report/report.h"
#include "analysis/report/stats.h"
#include "base/text/format.h"
#include "model/profile/recorder.h"

struct operators_row {
    // shapes: report by shape; stack, callers: report by stack
    const char *name, *shapes, *stack, *callers;
    const struct operator_sum *sum;
    const struct operator_sum *all; // totals of all rows
    enum operator_key key;
};

static const struct operators_row *row_of(const void *row)
{
    return row;
}

static struct value get_name(const void *row)
{
    return value_text(row_of(row)->name);
}

static struct value get_shapes(const void *row)
{
    return value_text(row_of(row)->shapes);
}

static struct value get_callers(const void *row)
{
    return value_text(row_of(row)->callers);
}

static struct value get_stack(const void *row)
{
    return value_text(row_of(row)->stack);
}

#define SUM_GETTER(field, member)                       \
    static struct value get_##field(const void *row)    \
    {                                                   \
        return value_integer(row_of(row)->sum->member); \
    }

#define SHARE_GETTER(field, part, whole)             \
    static struct value get_##field(const void *row) \
    {                                                \
        const struct operators_row *r = row;         \
        return value_share(r->sum->part, r->whole);  \
    }

SUM_GETTER(calls, calls)
SUM_GETTER(device_self, device_self_ns)
SUM_GETTER(device_total, device_total_ns)
SUM_GETTER(host_self, host_self_ns)
SUM_GETTER(host_total, host_total_ns)
SHARE_GETTER(device_self_share, device_self_ns, all->device_self_ns)
SHARE_GETTER(device_total_share, device_total_ns, all->device_total_ns)
SHARE_GETTER(host_self_share, host_self_ns, all->host_self_ns)
SHARE_GETTER(host_total_share, host_total_ns, all->host_total_ns)

static struct value tensor_share(int64_t part, int64_t unknown, int64_t whole)
{
    return unknown ? value_none() : value_share(part, whole);
}

static struct value get_tensor_self(const void *row)
{
    const struct operator_sum *sum = row_of(row)->sum;
    return tensor_share(sum->tensor_self_ns, sum->unknown_self_ns, sum->device_self_ns);
}

static struct value get_tensor_total(const void *row)
{
    const struct operator_sum *sum = row_of(row)->sum;
    return tensor_share(sum->tensor_total_ns, sum->unknown_total_ns, sum->device_total_ns);
}

static struct value get_eligible(const void *row)
{
    return value_state(row_of(row)->sum->eligible);
}

// clang-format off
#define OPERATOR_COLUMN                                                                           \
    {"operator", "Operator", "operator", UNIT_TEXT, get_name,                                     \
     "Name of the operator: aten::mm, a node of the backward graph, the engine that runs one.",   \
     COLUMN_NAME}
#define OPERATOR_FIGURES                                                                          \
    {"calls", "Calls", "calls", UNIT_COUNT, get_calls,                                            \
     "How often it ran; one with a single call of its own name in it is one call with that.",     \
     COLUMN_SUM | COLUMN_HOST},                                                                   \
    {"device_self", "Device Self Time (ns)", "GPU self", UNIT_NS, get_device_self,                \
     "GPU time of kernels, copies and memsets that its own CUDA calls launched, not those of "    \
     "operators in it; each for as long as it ran.",                                              \
     COLUMN_BAR | COLUMN_SUM},                                                                    \
    {"device_self_share", "Share of Device Self Time (%)", "%self", UNIT_PERCENT,                 \
     get_device_self_share, "Device self time of the row over that of all rows.", COLUMN_SHARE},  \
    {"device_total", "Device Total Time (ns)", "GPU total", UNIT_NS, get_device_total,            \
     "The same with all that lies in it. One that runs within itself counts once for each.",      \
     COLUMN_SUM},                                                                                 \
    {"host_self", "Host Self Time (ns)", "host self", UNIT_NS, get_host_self,                     \
     "Length on the host less the operators and modules in it and less its own CUDA calls, "      \
     "those of the runtime and of the driver.",                                                   \
     COLUMN_SUM | COLUMN_HOST | COLUMN_TIMED},                                                    \
    {"host_total", "Host Total Time (ns)", "host total", UNIT_NS, get_host_total,                 \
     "Length on the host.", COLUMN_SUM | COLUMN_HOST | COLUMN_TIMED},                             \
    {"tc_eligible", "TC Eligible", "eligible", UNIT_STATE, get_eligible,                          \
     "Whether it, or an operator in it, could run on Tensor Cores (rules/ops.yaml).", 0},         \
    {"tc_self", "TC Self (%)", "%TC self", UNIT_PERCENT, get_tensor_self,                         \
     "Part of the device self time in kernels that use Tensor Cores; unknown where the name of " \
     "one does " \
     "not tell.", COLUMN_WIDE},              \
    {"tc_total", "TC Total (%)", "%TC total", UNIT_PERCENT, get_tensor_total,                     \
     "Part of the device total time in kernels that use Tensor Cores; as before.", COLUMN_WIDE}, \
    {"device_total_share", "Share of Device Total Time (%)", "%GPU total", UNIT_PERCENT,          \
     get_device_total_share, "Device total time of the row over that of all rows, which nest.",   \
     COLUMN_DETAIL},                                                                              \
    {"host_self_share", "Share of Host Self Time (%)", "%host self", UNIT_PERCENT,                \
     get_host_self_share, "Host self time of the row over that of all rows.",                     \
     COLUMN_WIDE | COLUMN_TIMED},                                                                 \
    {"host_total_share", "Share of Host Total Time (%)", "%host total", UNIT_PERCENT,             \
     get_host_total_share, "Host total time of the row over that of all rows, which nest.",       \
     COLUMN_DETAIL | COLUMN_TIMED}
// clang-format on

static const struct column name_columns[] = {OPERATOR_COLUMN, OPERATOR_FIGURES};
static const struct column shape_columns[] = {
    OPERATOR_COLUMN,
    {"shapes", "Input Shapes", "input shapes", UNIT_TEXT, get_shapes,
     "Sizes of the inputs, a list for each: [] is no tensor. [] alone: none are told "
     "(record_shapes).",
     COLUMN_IDENTIFIES},
    OPERATOR_FIGURES,
};
static const struct column stack_columns[] = {
    OPERATOR_COLUMN,
    {"callers", "Called From", "called from", UNIT_TEXT, get_callers,
     "The program's calls that led to it, the innermost first, without folders (with_stack): those "
     "of libraries where there are no others.",
     0},
    OPERATOR_FIGURES,
    {"stack", "Call Stack", "call stack", UNIT_TEXT, get_stack,
     "The same as the PyTorch Profiler writes it.", COLUMN_DETAIL | COLUMN_IDENTIFIES},
};

// ---- rows ---------------------------------------------------------------------------------------

static const char *empty_text(const struct profile *profile, enum operator_key key)
{
    if (!profile->ranges.count)
        return recorder_lack_text(profile, LACKS_OPERATORS);
    if (key == OPERATOR_BY_STACK)
        return "No call stack of an operator is told: profile(with_stack=True) records them.";
    return "No operator is in what is selected.";
}

static void add_to_total(struct operator_sum *total, const struct operator_sum *sum)
{
    total->calls += sum->calls;
    sum_add(&total->device_self_ns, sum->device_self_ns);
    sum_add(&total->device_total_ns, sum->device_total_ns);
    sum_add(&total->host_self_ns, sum->host_self_ns);
    sum_add(&total->host_total_ns, sum->host_total_ns);
}

static struct rows build_by(const struct profile *profile, const struct selection *selection,
                            enum operator_key key, struct arena *arena)
{
    struct operator_sums sums = operator_sums_of(profile, selection, key, arena);
    struct operators_row *rows = ARENA_ARRAY(arena, struct operators_row, sums.count + 1);
    struct operator_sum *total = ARENA_NEW(arena, struct operator_sum);
    struct frame_classifier judge = {.profile = profile, .arena = arena};
    size_t count = 0;
    struct operator_sum *without_stack =
        ARENA_NEW(arena, struct operator_sum); // calls without a stack
    for (size_t i = 0; i < sums.count; i++) {
        const struct operator_sum *sum = &sums.items[i];
        const struct range_label *label = &profile->ranges.labels[sum->label];
        struct operators_row row = {
            .name = profile_text(profile, operator_name(profile, label)),
            .sum = sum,
            .all = total,
            .key = key,
        };
        if (key == OPERATOR_BY_SHAPE)
            row.shapes = operator_shapes(profile, label, arena);
        if (key == OPERATOR_BY_STACK)
            row.stack = operator_stack(profile, label, arena);
        if (row.stack)
            row.callers = operator_callers(profile, label, &judge, arena);
        add_to_total(total, sum);
        if (key == OPERATOR_BY_STACK && !row.stack) {
            sum_add(&without_stack->device_self_ns, sum->device_self_ns);
            without_stack->calls += sum->calls;
            continue;
        }
        rows[count++] = row;
    }
    if (!count)
        return (struct rows){.empty = empty_text(profile, key)};
    static const char *const parts[] = {"", " by input shape", " by call stack"};
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    const char *caption =
        arena_format(arena, "%s%s, %s", format_counted(a, count, "operator"), parts[key],
                     format_counted(b, (uint64_t)(total->calls - without_stack->calls), "call"));
    if (without_stack->device_self_ns > 0)
        caption = arena_format(arena, "%s; without a stack: %s%% of GPU self", caption,
                               format_percent(a, (double)without_stack->device_self_ns /
                                                     (double)total->device_self_ns));
    return (struct rows){.items = rows, .count = count, .caption = caption};
}

static struct rows build_names(const struct profile *profile, const struct selection *selection,
                               struct arena *arena)
{
    return build_by(profile, selection, OPERATOR_BY_NAME, arena);
}

static struct rows build_shapes(const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    return build_by(profile, selection, OPERATOR_BY_SHAPE, arena);
}

static struct rows build_stacks(const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    return build_by(profile, selection, OPERATOR_BY_STACK, arena);
}

static struct row_match row_match(const void *row)
{
    const struct operators_row *r = row;
    return (struct row_match){{r->name, r->shapes ? r->shapes : r->stack}};
}

// Matches calls with other sizes or from elsewhere, if there is one on each side.
static struct row_match match_name(const void *row)
{
    return (struct row_match){{row_of(row)->name}};
}

static struct row_match (*const fallback_matches[])(const void *row) = {match_name, NULL};

static uint64_t row_id(const void *row)
{
    const struct operators_row *r = row;
    return text_id(text_id((uint64_t)r->key, r->name), r->shapes ? r->shapes : r->stack);
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->by_operator = row_of(row)->sum->label;
    selection->operator_key = row_of(row)->key;
    return row_of(row)->sum->device_self_ns ? "kernels" : "calls";
}

#define OPERATORS(sums)                                                                   \
    .row_size = sizeof(struct operators_row), .column_count = sizeof sums / sizeof *sums, \
    .columns = sums, .is_aggregate = true, .sort = "-device_self", .id = row_id,          \
    .match = row_match, .narrow = row_narrow

const struct report report_operators = {
    .name = "operators",
    .title = "Operators by name",
    .doc = "Operators with their time on the host and on the GPU, self and with all that lies in "
           "them. "
           "A kernel is of the innermost operator around the call that launched it.",
    .build = build_names,
    OPERATORS(name_columns),
};
const struct report report_operator_shapes = {
    .name = "operator_shapes",
    .title = "Operators by input shape",
    .doc = "Operators by name and sizes of the inputs: `operators` with a row for each.",
    .build = build_shapes,
    .fallback_matches = fallback_matches,
    OPERATORS(shape_columns),
};
const struct report report_operator_stacks = {
    .name = "operator_stacks",
    .title = "Operators by call stack",
    .doc = "Operators by name and call stack, those whose stack is told.",
    .build = build_stacks,
    .fallback_matches = fallback_matches,
    OPERATORS(stack_columns),
};
