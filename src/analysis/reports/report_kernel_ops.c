// SPDX-License-Identifier: Apache-2.0
// Lists the places of the op tree that launch a kernel, with their calls and times: the inverse of
// `kernels`. Places of backward work also name the forward op.
#include "analysis/report/report.h"
#include "analysis/report/stats_getters.h"
#include "analysis/sums/selected_work.h"
#include "analysis/sums/work_text.h"
#include "base/text/format.h"

struct kernel_ops_row {
    const char *place, *forward;             // forward: NULL unless it is backward work
    const char *known_place, *known_forward; // texts that match the row in another profile
    uint32_t node, forward_node;
    struct stats gpu;
    int64_t exclusive_ns, work_ns;
    uint32_t adopted;
};

static const struct kernel_ops_row *row_of(const void *row)
{
    return row;
}

static struct value get_place(const void *row)
{
    return value_text(row_of(row)->place);
}

static struct value get_forward(const void *row)
{
    return value_text(row_of(row)->forward);
}

static struct value get_calls(const void *row)
{
    return value_integer((int64_t)row_of(row)->gpu.count);
}

STATS_GETTERS(gpu, kernel_ops_row, gpu)

static struct value get_share(const void *row)
{
    const struct kernel_ops_row *r = row;
    return value_share(r->gpu.total, r->work_ns);
}

static struct value get_exclusive(const void *row)
{
    return value_integer(row_of(row)->exclusive_ns);
}

static struct value get_adopted(const void *row)
{
    return value_integer(row_of(row)->adopted);
}

static const struct column columns[] = {
    {"place", "Launched By", "launched by", UNIT_TEXT, get_place,
     "Place in the op tree that owns the work: names from the root, joined by \" > \".",
     COLUMN_NAME},
    {"forward", "Backward Of", "backward of", UNIT_TEXT, get_forward,
     "Place of the forward op whose backward this is; unknown for all other work.",
     COLUMN_IDENTIFIES},
    {"calls", "Calls", "calls", UNIT_COUNT, get_calls, "Number of launches that ran.", COLUMN_SUM},
    {"gpu_total", "Total GPU Time (ns)", "GPU", UNIT_NS, get_gpu_total,
     "Sum of the durations on the GPU.", COLUMN_BAR | COLUMN_SUM},
    {"work", "Share of GPU Work (%)", "%work", UNIT_PERCENT, get_share,
     "Total GPU time of the row over that of all rows.", COLUMN_SHARE},
    {"gpu_avg", "Avg GPU Time (ns)", "avg", UNIT_NS, get_gpu_avg, "Mean duration.", 0},
    {"gpu_med", "Med GPU Time (ns)", "median", UNIT_NS, get_gpu_med, "Median duration.",
     COLUMN_WIDE},
    {"gpu_min", "Min GPU Time (ns)", "min", UNIT_NS, get_gpu_min, "The shortest.", COLUMN_WIDE},
    {"gpu_max", "Max GPU Time (ns)", "max", UNIT_NS, get_gpu_max, "The longest.", COLUMN_WIDE},
    {"gpu_std", "StdDev GPU Time (ns)", "stddev", UNIT_NS, get_gpu_std,
     "Standard deviation of a sample (n - 1) of the durations.", COLUMN_DETAIL},
    {"exclusive", "Exclusive GPU Time (ns)", "exclusive", UNIT_NS, get_exclusive,
     "Time in which this work alone keeps its GPU from being idle.",
     COLUMN_WIDE | COLUMN_SUM | COLUMN_TIMED},
    {"adopted", "Adopted Calls", "adopted", UNIT_COUNT, get_adopted,
     "Calls that came from a thread without ranges and count here because this range's thread "
     "was blocked meanwhile.",
     COLUMN_DETAIL | COLUMN_SUM | COLUMN_TIMED},
};

// Rows by node. A node has one row per forward node, in a chain that is short in practice.
struct place_index {
    uint32_t *first; // by node: row + 1, or 0
    uint32_t *next;  // by row: row + 1 of the next row of the node
    struct kernel_ops_row *rows;
    size_t count, row_capacity, next_capacity, next_count;
};

static uint32_t place_find(struct place_index *index, uint32_t node, uint32_t forward,
                           struct arena *arena)
{
    for (uint32_t at = index->rows ? index->first[node] : 0; at; at = index->next[at - 1])
        if (index->rows[at - 1].forward_node == forward)
            return at - 1;
    struct kernel_ops_row *row = &ARENA_PUSH(arena, index->rows, index->count, index->row_capacity);
    *row = (struct kernel_ops_row){.node = node, .forward_node = forward};
    ARENA_PUSH(arena, index->next, index->next_count, index->next_capacity) = index->first[node];
    index->first[node] = (uint32_t)index->count;
    return (uint32_t)index->count - 1;
}

static void fill_texts(const struct profile *profile, const struct op_tree *tree,
                       struct kernel_ops_row *row, struct arena *arena)
{
    row->place = node_path_text(profile, tree, row->node, arena);
    row->known_place = node_path_in_step(profile, tree, row->node, row->place);
    if (row->forward_node == ROW_NONE)
        return;
    row->forward = node_path_text(profile, tree, row->forward_node, arena);
    row->known_forward = node_path_in_step(profile, tree, row->forward_node, row->forward);
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    const struct gpu_work *work = &profile->work;
    if (!profile->tree)
        return (struct rows){.empty = "The op tree is not there yet: ranges are being read."};
    const struct op_tree *tree = selection_tree(profile, selection);
    struct place_index index = {.first = ARENA_ARRAY(arena, uint32_t, tree->count)};
    struct work_list list = selected_work(profile, selection, arena);
    uint32_t *group_of = ARENA_ARRAY(arena, uint32_t, list.count); // row of each item of `list`
    int64_t work_ns = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t w = list.rows[i];
        group_of[i] = place_find(&index, selection_work_node(profile, selection, w),
                                 selection_forward_node(profile, selection, w), arena);
        sum_add(&work_ns, work_duration(profile, w));
    }
    if (index.count == 0)
        return (struct rows){.empty = work_empty_text(profile)};
    uint32_t *counts = ARENA_ARRAY(arena, uint32_t, index.count);
    for (uint32_t i = 0; i < list.count; i++)
        counts[group_of[i]]++;
    struct figure_groups groups = groups_begin(counts, index.count, arena);
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t w = list.rows[i];
        struct kernel_ops_row *row = &index.rows[group_of[i]];
        groups_add(&groups, group_of[i], work_duration(profile, w));
        row->exclusive_ns += HAS(work->exclusive) ? AT(work->exclusive, w) : 0;
        row->adopted += selection->adoption && (AT(work->flags, w) & WORK_ADOPTED) != 0;
    }
    for (size_t i = 0; i < index.count; i++) {
        struct kernel_ops_row *row = &index.rows[i];
        row->gpu = groups_stats(&groups, i);
        row->work_ns = work_ns;
        fill_texts(profile, tree, row, arena);
        if (!HAS(work->exclusive))
            row->exclusive_ns = UNKNOWN;
    }
    char places[FORMAT_SIZE];
    const char *caption = arena_format(
        arena, "%s launch%s %s", format_counted(places, index.count, "place"),
        index.count == 1 ? "es" : "",
        selection->name != STRING_NONE ? profile_text(profile, selection->name) : "GPU work");
    return (struct rows){.items = index.rows, .count = index.count, .caption = caption};
}

static struct row_match row_match(const void *row)
{
    return (struct row_match){{row_of(row)->known_place, row_of(row)->known_forward}};
}

static uint64_t row_id(const void *row)
{
    return (uint64_t)row_of(row)->node << 32 | row_of(row)->forward_node;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->node = row_of(row)->node; // the place of the launch, not its forward op
    selection->with_backward = false;
    return "launches";
}

const struct report report_kernel_ops = {
    .name = "kernel_ops",
    .title = "Ops that launch a kernel",
    .doc = "The ops, layers and ranges that launch what is selected, with calls and GPU time.",
    .row_size = sizeof(struct kernel_ops_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .is_work = true,
    .build = build,
    .sort = "-gpu_total",
    .id = row_id,
    .match = row_match,
    .busy = "exclusive",
    .narrow = row_narrow,
};
