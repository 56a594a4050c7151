// SPDX-License-Identifier: Apache-2.0
// Shows modules as a tree: how often each ran, and its time on the host and on the GPU.
#include "analysis/plugin/module_sums.h"
#include "analysis/report/report.h"
#include "base/text/format.h"
#include "model/markers/markers.h"
#include "model/profile/recorder.h"

struct modules_row {
    const char *name;
    int64_t number; // or UNKNOWN
    uint64_t id;
    uint32_t node; // of the unfolded tree, or ROW_NONE
    const struct module_sum *sum;
    const struct module_sum *all; // totals of the outermost rows
};

static const struct modules_row *row_of(const void *row)
{
    return row;
}

static struct value get_name(const void *row)
{
    return value_text(row_of(row)->name);
}

static struct value get_number(const void *row)
{
    return value_integer(row_of(row)->number);
}

#define SUM_GETTER(field, member)                       \
    static struct value get_##field(const void *row)    \
    {                                                   \
        return value_integer(row_of(row)->sum->member); \
    }

SUM_GETTER(calls, calls)
SUM_GETTER(operators, operators)
SUM_GETTER(device_self, device_self_ns)
SUM_GETTER(device_total, device_total_ns)
SUM_GETTER(host_self, host_self_ns)
SUM_GETTER(host_total, host_total_ns)

static struct value get_share(const void *row)
{
    return value_share(row_of(row)->sum->device_total_ns, row_of(row)->all->device_total_ns);
}

static struct value get_average(const void *row)
{
    const struct module_sum *sum = row_of(row)->sum;
    int64_t ns = sum->device_total_ns ? sum->device_total_ns : sum->host_total_ns;
    return value_real((double)ns / (double)sum->calls);
}

static const struct column columns[] = {
    {"module", "Module", "module", UNIT_TEXT, get_name,
     "Class of the module and its number in the order of the program, or its path in the model.",
     COLUMN_NAME},
    {"number", "Module ID", "id", UNIT_ID, get_number,
     "Python's number of the module among those of its class; unknown where the file tells none.",
     COLUMN_DETAIL | COLUMN_IDENTIFIES},
    {"calls", "Occurrences", "calls", UNIT_COUNT, get_calls, "How often it ran in this place.",
     COLUMN_SUM | COLUMN_HOST},
    {"operators", "Operators", "operators", UNIT_COUNT, get_operators,
     "Calls of operators directly in it, not in modules or operators within.",
     COLUMN_SUM | COLUMN_HOST | COLUMN_SELF},
    {"device_total", "Device Total Time (ns)", "GPU total", UNIT_NS, get_device_total,
     "GPU time of kernels, copies and memsets launched in it, each for as long as it ran. Its "
     "backward runs elsewhere and is not in it.",
     COLUMN_BAR | COLUMN_SUM},
    {"device_share", "Share of Device Total Time (%)", "%GPU", UNIT_PERCENT, get_share,
     "Device total time of the row over that of all outermost modules.", COLUMN_SHARE},
    {"device_self", "Device Self Time (ns)", "GPU self", UNIT_NS, get_device_self,
     "Of these what operators directly in it launched, with all that lies in them.",
     COLUMN_SUM | COLUMN_SELF},
    {"host_total", "Host Total Time (ns)", "host total", UNIT_NS, get_host_total,
     "Length on the host.", COLUMN_SUM | COLUMN_HOST | COLUMN_TIMED},
    {"host_self", "Host Self Time (ns)", "host self", UNIT_NS, get_host_self,
     "Length less the operators and modules in it.",
     COLUMN_SUM | COLUMN_HOST | COLUMN_SELF | COLUMN_TIMED},
    {"avg", "Avg Time (ns)", "avg", UNIT_NS, get_average,
     "Device total time of one call; where there is none, the host's.", COLUMN_TIMED},
};

static uint32_t node_of(const struct profile *profile, uint32_t range)
{
    return profile->tree && HAS(profile->ranges.node) ? AT(profile->ranges.node, range) : ROW_NONE;
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    struct module_sums sums = module_sums_of(profile, selection, arena);
    if (!sums.count)
        return (struct rows){.empty = recorder_lack_text(profile, LACKS_MODULES)};
    struct modules_row *rows = ARENA_ARRAY(arena, struct modules_row, sums.count);
    struct module_sum *all = ARENA_NEW(arena, struct module_sum);
    for (size_t i = 0; i < sums.count; i++) {
        const struct module_sum *sum = &sums.items[i];
        const struct marker *marker = range_marker(profile, sum->range);
        const char *name = profile_text(profile, marker->title);
        uint64_t outer = sum->outer == ROW_NONE ? 0 : rows[sum->outer].id;
        rows[i] = (struct modules_row){
            .name = name,
            .number = module_number(profile, sum->range),
            .id = text_id(outer + (uint64_t)module_number(profile, sum->range), name),
            .node = node_of(profile, sum->range),
            .sum = sum,
            .all = all,
        };
        all->calls += sum->calls;
        if (sum->outer == ROW_NONE)
            all->device_total_ns += sum->device_total_ns;
    }
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    return (struct rows){
        .items = rows,
        .count = sums.count,
        .caption = arena_format(arena, "%s, %s", format_counted(a, sums.count, "module"),
                                format_counted(b, (uint64_t)all->calls, "call")),
    };
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->id;
}

static unsigned row_depth(const void *row)
{
    return row_of(row)->sum->depth;
}

static bool row_has_children(const void *row)
{
    return row_of(row)->sum->has_inner;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    if (row_of(row)->node == ROW_NONE)
        return NULL;
    selection->node = row_of(row)->node;
    selection->is_folded = false; // a row is one module, not the merged siblings of a folded tree
    return "operators";
}

const struct report report_modules = {
    .name = "modules",
    .title = "Modules",
    .doc =
        "Modules of the model as they lie in each other, with what their calls took on the host "
        "and "
        "on the GPU; of traces with stacks and modules, and of captures with ranges around layers.",
    .row_size = sizeof(struct modules_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .build = build,
    .id = row_id,
    .depth = row_depth,
    .has_children = row_has_children,
    .narrow = row_narrow,
};
