// SPDX-License-Identifier: Apache-2.0
// DLProf's Tensor Core report: the ops that could use Tensor Cores, and the kernels that do or do
// not.
#include <string.h>

#include "analysis/report/report.h"
#include "analysis/sums/op_getters.h"
#include "analysis/sums/op_kernels.h"

struct kernel_set { // distinct short names, in byte order
    int64_t count, ns;
    const char *names; // joined by ", "
};

struct tensor_row {
    const struct profile *profile;
    const struct op *op;
    uint32_t op_row;
    struct kernel_set with_tc, without_tc;
};

static const struct tensor_row *row_of(const void *row)
{
    return row;
}

OP_TEXT_GETTER(id, tensor_row)
OP_TEXT_GETTER(name, tensor_row)
OP_TEXT_GETTER(type, tensor_row)
OP_DIRECTION_GETTER(tensor_row)

static struct value get_used(const void *row)
{
    return value_state(row_of(row)->with_tc.count ? STATE_YES : STATE_NO);
}

static struct value get_total(const void *row)
{
    return value_integer(row_of(row)->with_tc.ns + row_of(row)->without_tc.ns);
}

static struct value get_tc(const void *row)
{
    return value_integer(row_of(row)->with_tc.ns);
}

static struct value get_non_tc(const void *row)
{
    return value_integer(row_of(row)->without_tc.ns);
}

static struct value get_utilization(const void *row)
{
    int64_t tc = row_of(row)->with_tc.ns, total = tc + row_of(row)->without_tc.ns;
    return value_real(total > 0 ? (double)tc / (double)total : 0);
}

static struct value get_count(const void *row)
{
    return value_integer(row_of(row)->with_tc.count + row_of(row)->without_tc.count);
}

static struct value get_tc_count(const void *row)
{
    return value_integer(row_of(row)->with_tc.count);
}

static struct value get_tc_names(const void *row)
{
    return value_text(row_of(row)->with_tc.names);
}

static struct value get_non_tc_count(const void *row)
{
    return value_integer(row_of(row)->without_tc.count);
}

static struct value get_non_tc_names(const void *row)
{
    return value_text(row_of(row)->without_tc.names);
}

static const struct column columns[] = {
    OP_IDENTITY_COLUMNS,
    {.key = "tc",
     .title = "Uses TC",
     .head = "TC",
     .unit = UNIT_STATE,
     .get = get_used,
     .doc = "Whether any of its kernels uses Tensor Cores, by short name."},
    {.key = "gpu_total",
     .title = "Total GPU Time (ns)",
     .head = "kernels",
     .unit = UNIT_NS,
     .get = get_total,
     .doc = "Sum of its kernels' durations: no copies, overlap counts twice.",
     .flags = COLUMN_NOT_ADDITIVE | COLUMN_ALL_GPUS | COLUMN_BAR},
    {.key = "tc_total",
     .title = "TC GPU Time (ns)",
     .head = "with TC",
     .unit = UNIT_NS,
     .get = get_tc,
     .doc = "Of it in kernels that use Tensor Cores.",
     .flags = COLUMN_NOT_ADDITIVE | COLUMN_ALL_GPUS},
    {.key = "non_tc_total",
     .title = "Non-TC GPU Time (ns)",
     .head = "without",
     .unit = UNIT_NS,
     .get = get_non_tc,
     .doc = "Of it in kernels that do not.",
     .flags = COLUMN_NOT_ADDITIVE | COLUMN_ALL_GPUS},
    {.key = "tc_share",
     .title = "TC Utilization (%)",
     .head = "TC %",
     .unit = UNIT_PERCENT,
     .get = get_utilization,
     .doc = "Time with Tensor Cores of all kernel time of the op."},
    {.key = "kernels",
     .title = "Total Kernel Count",
     .head = "names",
     .unit = UNIT_COUNT,
     .get = get_count,
     .doc = "Distinct short kernel names.",
     .flags = COLUMN_WIDE},
    {.key = "tc_kernels",
     .title = "TC Kernel Count",
     .head = "TC names",
     .unit = UNIT_COUNT,
     .get = get_tc_count,
     .doc = "Distinct short names that use Tensor Cores.",
     .flags = COLUMN_DETAIL},
    {.key = "tc_names",
     .title = "TC Kernel Names",
     .head = "TC kernels",
     .unit = UNIT_TEXT,
     .get = get_tc_names,
     .doc = "Those names.",
     .flags = COLUMN_QUOTED | COLUMN_DETAIL},
    {.key = "non_tc_kernels",
     .title = "Non-TC Kernel Count",
     .head = "other names",
     .unit = UNIT_COUNT,
     .get = get_non_tc_count,
     .doc = "Distinct short names that do not.",
     .flags = COLUMN_DETAIL},
    {.key = "non_tc_names",
     .title = "Non-TC Kernel Names",
     .head = "other kernels",
     .unit = UNIT_TEXT,
     .get = get_non_tc_names,
     .doc = "Those names.",
     .flags = COLUMN_QUOTED | COLUMN_DETAIL},
};

// Collects the kernels of one op that use (or do not use) Tensor Cores. `kernels` is sorted
// by name.
static struct kernel_set set_of(const struct profile *profile, const struct op_kernel *kernels,
                                uint32_t count, bool with_tc, struct arena *arena)
{
    struct kernel_set set = {.names = ""};
    size_t length = 0;
    for (uint32_t i = 0; i < count; i++)
        if (kernels[i].uses_tc == with_tc)
            length += strings_length(profile->strings, kernels[i].name) + 2;
    char *names = ARENA_ARRAY(arena, char, length + 1), *at = names;
    for (uint32_t i = 0; i < count; i++) {
        if (kernels[i].uses_tc != with_tc)
            continue;
        if (set.count)
            at = stpcpy(at, ", ");
        at = stpcpy(at, profile_text(profile, kernels[i].name));
        set.ns += kernels[i].gpu.total;
        set.count++;
    }
    set.names = names;
    return set;
}

static struct rows tensor_build(const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    static const char none[] = "No op in what is selected could use Tensor Cores.";
    const struct ops *ops = profile->ops;
    if (!ops)
        return (struct rows){.empty = none};
    struct op_metrics_list list = op_metrics_build(profile, selection, arena);
    op_metrics_sort_by_id(profile, &list, arena);
    struct op_kernels kernels = op_kernels_build(profile, selection, arena);
    // The kernels of an op are adjacent.
    uint32_t *first = ARENA_ARRAY(arena, uint32_t, (size_t)ops->count + 1);
    uint32_t *count = ARENA_ARRAY(arena, uint32_t, (size_t)ops->count + 1);
    for (uint32_t k = 0; k < kernels.count; k++)
        if (count[kernels.items[k].op]++ == 0)
            first[kernels.items[k].op] = k;
    struct tensor_row *rows = ARENA_ARRAY(arena, struct tensor_row, (size_t)list.count + 1);
    size_t row_count = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t op_row = list.items[i].op, kernel_count = count[op_row];
        const struct op *op = &ops->items[op_row];
        if (op->tensor_core_eligible != STATE_YES)
            continue;
        const struct op_kernel *op_kernels = kernel_count ? kernels.items + first[op_row] : NULL;
        rows[row_count++] = (struct tensor_row){
            .profile = profile,
            .op = op,
            .op_row = op_row,
            .with_tc = set_of(profile, op_kernels, kernel_count, true, arena),
            .without_tc = set_of(profile, op_kernels, kernel_count, false, arena),
        };
    }
    return (struct rows){.items = rows,
                         .count = row_count,
                         .caption = "TC by DLProf's short names; the op tree uses full names",
                         .empty = row_count ? NULL : none};
}

static uint64_t tensor_id(const void *row)
{
    return row_of(row)->op_row;
}

static struct row_match tensor_match(const void *row)
{
    return (struct row_match){{get_op_name(row).text, get_op_direction(row).text}};
}

static const char *tensor_narrow(const struct profile *profile, const void *row,
                                 struct selection *selection)
{
    (void)profile;
    selection->op = row_of(row)->op_row;
    return "kernel";
}

const struct report report_tensor = {
    .name = "tensor",
    .title = "Tensor Core ops",
    .doc = "DLProf's Tensor Core report: the ops that could use Tensor Cores, and the kernels "
           "with which they do or do not.",
    .row_size = sizeof(struct tensor_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = tensor_build,
    .sort = "-gpu_total",
    .id = tensor_id,
    .narrow = tensor_narrow,
    .match = tensor_match,
    .apart = "may run beside each other",
    .is_dlprof = true,
    .needs_ops = true,
    .file = "tensor_core",
    .file_title = "Tensor Core Report",
};
