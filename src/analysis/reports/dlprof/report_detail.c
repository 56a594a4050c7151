// SPDX-License-Identifier: Apache-2.0
// DLProf's detailed report: one row per op.
#include "analysis/report/report.h"
#include "analysis/sums/op_getters.h"
#include "analysis/sums/op_metrics.h"
#include "analysis/sums/work_text.h"

struct detail_row {
    struct op_times times; // must be the first member: OP_TIME_COLUMNS casts the row
    const struct profile *profile;
    const struct op *op;
    uint32_t op_row;
    int64_t calls;
    bool uses_tc;
    const char *input_shapes; // of the first run of the op that has a marker with shapes
};

static const struct detail_row *row_of(const void *row)
{
    return row;
}

OP_TEXT_GETTER(id, detail_row)
OP_TEXT_GETTER(name, detail_row)
OP_TEXT_GETTER(type, detail_row)
OP_TEXT_GETTER(data_type, detail_row)
OP_TEXT_GETTER(stack, detail_row)
OP_DIRECTION_GETTER(detail_row)

static struct value get_calls(const void *row)
{
    return value_integer(row_of(row)->calls);
}

static struct value get_eligible(const void *row)
{
    return value_state(row_of(row)->op->tensor_core_eligible);
}

static struct value get_used(const void *row)
{
    return value_state(row_of(row)->uses_tc ? STATE_YES : STATE_NO);
}

static struct value get_input_shapes(const void *row)
{
    return value_text(row_of(row)->input_shapes);
}

static const struct column columns[] = {
    OP_IDENTITY_COLUMNS,
    {.key = "calls",
     .title = "No. Calls",
     .head = "calls",
     .unit = UNIT_COUNT,
     .get = get_calls,
     .doc = "How often the op ran in the selected iterations."},
    {.key = "eligible",
     .title = "TC Eligible",
     .head = "TC can",
     .unit = UNIT_STATE,
     .get = get_eligible,
     .doc = "Whether ops of this type could use Tensor Cores."},
    {.key = "tc",
     .title = "Using TC",
     .head = "TC does",
     .unit = UNIT_STATE,
     .get = get_used,
     .doc = "Whether any kernel of the op uses Tensor Cores, by its short name."},
    OP_TIME_COLUMNS,
    {.key = "data_type",
     .title = "Data Type",
     .head = "dtype",
     .unit = UNIT_TEXT,
     .get = get_op_data_type,
     .doc = "Of the first tensor argument.",
     .flags = COLUMN_WIDE},
    {.key = "stack",
     .title = "Stack Trace",
     .head = "stack",
     .unit = UNIT_TEXT,
     .get = get_op_stack,
     .doc = "Call stack in the source, innermost last.",
     .flags = COLUMN_QUOTED | COLUMN_DETAIL},
    {.key = "input_shapes",
     .title = "Input Shapes",
     .head = "shapes",
     .unit = UNIT_TEXT,
     .get = get_input_shapes,
     .doc = "Shapes of the inputs; in DLProf's file in place of the stack, outside PyTorch.",
     .flags = COLUMN_QUOTED | COLUMN_DETAIL},
};

static const char *op_input_shapes(const struct profile *profile, const struct op *op,
                                   struct arena *arena)
{
    uint32_t marker = op->instance_count
                          ? AT(profile->ops->marker, AT(profile->ops->by_op, op->first_instance))
                          : ROW_NONE;
    return marker != ROW_NONE ? op_shape_text(profile, marker, SHAPE_INPUT, arena) : "";
}

static struct rows detail_build(const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    struct op_metrics_list list = op_metrics_build(profile, selection, arena);
    if (list.count == 0)
        return (struct rows){.empty = "No op ran in what is selected."};
    op_metrics_sort_by_id(profile, &list, arena);
    struct detail_row *rows = ARENA_ARRAY(arena, struct detail_row, list.count);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct op_metrics *metrics = &list.items[i];
        const struct op *op = &profile->ops->items[metrics->op];
        rows[i] = (struct detail_row){
            .times = metrics->times,
            .profile = profile,
            .op = op,
            .op_row = metrics->op,
            .calls = metrics->calls,
            .uses_tc = metrics->uses_tc,
            .input_shapes = op_input_shapes(profile, op, arena),
        };
    }
    return (struct rows){.items = rows,
                         .count = list.count,
                         .caption = tensor_core_caption(profile, selection, arena)};
}

static uint64_t detail_id(const void *row)
{
    return row_of(row)->op_row;
}

static struct row_match detail_match(const void *row)
{
    return (struct row_match){{get_op_name(row).text, get_op_direction(row).text}};
}

static const char *detail_narrow(const struct profile *profile, const void *row,
                                 struct selection *selection)
{
    (void)profile;
    selection->op = row_of(row)->op_row;
    return "kernel";
}

const struct report report_detail = {
    .name = "detail",
    .title = "Ops",
    .doc = "DLProf's detailed report: every op with its calls, CPU and GPU time, overhead and "
           "idle time.",
    .row_size = sizeof(struct detail_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = detail_build,
    .sort = "-gpu_total",
    .id = detail_id,
    .narrow = detail_narrow,
    .match = detail_match,
    .apart = "may lie in each other",
    .is_dlprof = true,
    .needs_ops = true,
    .file = "detailed",
    .file_title = "All Iterations",
};
