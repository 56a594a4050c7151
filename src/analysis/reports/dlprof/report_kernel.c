// SPDX-License-Identifier: Apache-2.0
// DLProf's kernel report: one row per (op, short kernel name).
#include "analysis/report/report.h"
#include "analysis/sums/op_getters.h"
#include "analysis/sums/op_kernels.h"
#include "analysis/sums/work_text.h"

struct kernel_row {
    const struct profile *profile;
    const struct op *op;
    struct op_kernel kernel;
};

static const struct kernel_row *row_of(const void *row)
{
    return row;
}

static struct value text_of(const void *row, string_id id)
{
    return value_text(profile_text(row_of(row)->profile, id));
}

OP_TEXT_GETTER(id, kernel_row)
OP_TEXT_GETTER(name, kernel_row)
OP_DIRECTION_GETTER(kernel_row)

static struct value get_name(const void *row)
{
    return text_of(row, row_of(row)->kernel.name);
}

static struct value get_used(const void *row)
{
    return value_state(row_of(row)->kernel.uses_tc ? STATE_YES : STATE_NO);
}

#define METRIC_GETTERS(field)                                             \
    static struct value get_##field##_total_ns(const void *row)           \
    {                                                                     \
        return value_integer(row_of(row)->kernel.field.total);            \
    }                                                                     \
    static struct value get_##field##_avg_ns(const void *row)             \
    {                                                                     \
        const struct op_kernel *kernel = &row_of(row)->kernel;            \
        return value_real(metric_average(&kernel->field, kernel->calls)); \
    }                                                                     \
    static struct value get_##field##_min_ns(const void *row)             \
    {                                                                     \
        return value_integer(row_of(row)->kernel.field.min);              \
    }                                                                     \
    static struct value get_##field##_max_ns(const void *row)             \
    {                                                                     \
        return value_integer(row_of(row)->kernel.field.max);              \
    }

METRIC_GETTERS(gpu)
METRIC_GETTERS(api)

// clang-format off
#define METRIC_COLUMNS(field, text, head_text, basis, flag, meaning)                              \
    {.key = #field "_total", .title = "Total " text " (ns)", .head = head_text, .unit = UNIT_NS,  \
     .get = get_##field##_total_ns, .doc = meaning ": sum.",                                      \
     .flags = COLUMN_NOT_ADDITIVE | flag | basis}, \
    {.key = #field "_avg", .title = "Avg " text " (ns)", .head = head_text " avg",                \
     .unit = UNIT_NS, .get = get_##field##_avg_ns, .doc = meaning ": mean.",                      \
     .flags = COLUMN_WIDE | basis},                                                               \
    {.key = #field "_min", .title = "Min " text " (ns)", .head = head_text " min",                \
     .unit = UNIT_NS, .get = get_##field##_min_ns, .doc = meaning ": least.",                     \
     .flags = COLUMN_WIDE | basis},                                                               \
    {.key = #field "_max", .title = "Max " text " (ns)", .head = head_text " max",                \
     .unit = UNIT_NS, .get = get_##field##_max_ns, .doc = meaning ": most.",                      \
     .flags = COLUMN_WIDE | basis}

static const struct column columns[] = {
    {.key = "kernel", .title = "Kernel Name", .head = "kernel", .unit = UNIT_TEXT,
     .get = get_name, .doc = "Short name of the kernel.", .flags = COLUMN_QUOTED | COLUMN_NAME},
    {.key = "id", .title = "Op ID", .head = "op id", .unit = UNIT_TEXT, .get = get_op_id,
     .doc = "The op that launched it.", .flags = COLUMN_QUOTED},
    {.key = "op", .title = "Op Name", .head = "op", .unit = UNIT_TEXT, .get = get_op_name,
     .doc = "Path of that op.", .flags = COLUMN_QUOTED | COLUMN_WIDE | COLUMN_IDENTIFIES},
    {.key = "direction", .title = "Direction", .head = "dir", .unit = UNIT_TEXT,
     .get = get_op_direction, .doc = "fprop, bprop or empty.",
     .flags = COLUMN_IDENTIFIES},
    {.key = "tc", .title = "Uses TC", .head = "TC", .unit = UNIT_STATE, .get = get_used,
     .doc = "Whether the kernel uses Tensor Cores, by its short name."},
    METRIC_COLUMNS(gpu, "GPU Time", "GPU", 0, COLUMN_BAR | COLUMN_ALL_GPUS,
                   "Duration of the kernels on the GPU"),
    METRIC_COLUMNS(api, "API Time", "API", COLUMN_TIMED, COLUMN_WIDE | COLUMN_HOST,
                   "Duration of the launching API calls"),
};
// clang-format on

static struct rows kernel_build(const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    struct op_kernels kernels = op_kernels_build(profile, selection, arena);
    if (kernels.count == 0)
        return (struct rows){.empty = kernels_empty_text(profile)};
    struct kernel_row *rows = ARENA_ARRAY(arena, struct kernel_row, kernels.count);
    static const struct op none = {0}; // simple mode has no ops
    for (uint32_t i = 0; i < kernels.count; i++) {
        const struct op *op = &profile->ops->items[kernels.items[i].op];
        rows[i] = (struct kernel_row){profile, profile->mode == MODE_SIMPLE ? &none : op,
                                      kernels.items[i]};
    }
    return (struct rows){.items = rows,
                         .count = kernels.count,
                         .caption = tensor_core_caption(profile, selection, arena)};
}

static uint64_t kernel_id(const void *row)
{
    const struct op_kernel *kernel = &row_of(row)->kernel;
    return (uint64_t)kernel->op << 32 | kernel->name;
}

static struct row_match kernel_match(const void *row)
{
    return (struct row_match){
        {get_name(row).text, get_op_name(row).text, get_op_direction(row).text}};
}

static const char *kernel_narrow(const struct profile *profile, const void *row,
                                 struct selection *selection)
{
    (void)profile;
    selection->op = row_of(row)->kernel.op;
    // Several functions may share a short name.
    selection->names = NAME_SHORT;
    selection->name = row_of(row)->kernel.name;
    return "launches";
}

const struct report report_kernel = {
    .name = "kernel",
    .title = "Kernels by op",
    .doc = "DLProf's kernel report: the kernels of each op by short name.",
    .row_size = sizeof(struct kernel_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = kernel_build,
    .sort = "-gpu_total",
    .id = kernel_id,
    .narrow = kernel_narrow,
    .match = kernel_match,
    .apart = "may run beside each other",
    .is_dlprof = true,
    .file = "kernel",
    .file_title = "Kernel Report",
};
