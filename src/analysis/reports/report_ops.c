// SPDX-License-Identifier: Apache-2.0
// Shows the op tree in pre-order with the cost of each layer, range and op. GPU times are
// exclusive, so that the children of a node and its own part add up to it.
#include <string.h>

#include "analysis/idle/idle_groups.h"
#include "analysis/report/report.h"
#include "analysis/tree_sums/tree_members.h"
#include "analysis/tree_sums/tree_sums.h"
#include "model/markers/markers.h"
#include "model/ops/ops.h"

struct ops_row {
    const char *name, *path, *kind, *type;
    const char *plain; // name without the number of merged siblings
    uint32_t node;
    unsigned depth;
    bool has_children;
    bool has_ranges; // true if the node has runs; otherwise it is only part of a path
    const struct tree_sum *sum;
    const struct idle_sum *idle; // of the subtree; NULL while the profile is still loading
    int64_t busy_ns;             // of the whole selection, the whole of the share
    uint32_t member_count;
    struct tree_member_figures members; // set if member_count is above 1
    uint32_t adopted_tid;
};

static const char *const node_kind_names[] = {
    [NODE_ROOT] = "root",
    [NODE_RANGE] = "range",
    [NODE_STEP] = "step",
    [NODE_LAYER] = "layer",
    [NODE_OP] = "op",
    [NODE_BACKWARD] = "backward",
    [NODE_OUTSIDE] = "outside ranges",
};

static struct value get_name(const void *row)
{
    return value_text(((const struct ops_row *)row)->name);
}

static struct value get_path(const void *row)
{
    return value_text(((const struct ops_row *)row)->path);
}

static struct value get_kind(const void *row)
{
    return value_text(((const struct ops_row *)row)->kind);
}

static struct value get_type(const void *row)
{
    return value_text(((const struct ops_row *)row)->type);
}

static struct value get_share(const void *row)
{
    const struct ops_row *r = row;
    return value_share(r->sum->exclusive_ns, r->busy_ns);
}

static struct value get_gpu(const void *row)
{
    return value_integer(((const struct ops_row *)row)->sum->exclusive_ns);
}

static struct value get_self(const void *row)
{
    return value_integer(((const struct ops_row *)row)->sum->self_ns);
}

static struct value get_gpu_sum(const void *row)
{
    return value_integer(((const struct ops_row *)row)->sum->sum_ns);
}

static struct value get_backward(const void *row)
{
    const struct ops_row *r = row;
    return r->sum->backward_ns ? value_integer(r->sum->backward_ns) : value_none();
}

static struct value get_cpu(const void *row)
{
    const struct ops_row *r = row;
    return r->has_ranges || r->sum->cpu_ns ? value_integer(r->sum->cpu_ns) : value_none();
}

static struct value get_overhead(const void *row)
{
    const struct ops_row *r = row;
    return r->has_ranges ? value_integer(r->sum->cpu_ns - r->sum->api_ns) : value_none();
}

static struct value get_idle(const void *row)
{
    const struct ops_row *r = row;
    return r->idle ? value_integer(r->idle->idle_ns) : value_none();
}

static struct value get_gaps(const void *row)
{
    const struct ops_row *r = row;
    return r->has_ranges ? value_integer(r->sum->idle_ns) : value_none();
}

static struct value get_calls(const void *row)
{
    const struct ops_row *r = row;
    return r->has_ranges ? value_integer(r->sum->calls) : value_none();
}

static struct value get_work(const void *row)
{
    return value_integer(((const struct ops_row *)row)->sum->work_count);
}

// Without an eligible op below it the share is unknown, not 0.
static struct value get_tensor_core(const void *row)
{
    const struct tree_sum *sum = ((const struct ops_row *)row)->sum;
    return value_share(sum->eligible_tc_ns, sum->eligible_ns);
}

static struct value get_tensor_core_ns(const void *row)
{
    return value_integer(((const struct ops_row *)row)->sum->category_ns[GPU_TENSOR_CORE]);
}

static struct value get_eligible_ns(const void *row)
{
    return value_integer(((const struct ops_row *)row)->sum->eligible_ns);
}

static struct value get_members(const void *row)
{
    const struct ops_row *r = row;
    return r->member_count > 1 ? value_integer(r->member_count) : value_none();
}

static struct value get_member_median(const void *row)
{
    const struct ops_row *r = row;
    return r->members.worst ? value_integer(r->members.median_ns) : value_none();
}

static struct value get_member_worst(const void *row)
{
    return value_text(((const struct ops_row *)row)->members.worst);
}

static struct value get_member_worst_ns(const void *row)
{
    const struct ops_row *r = row;
    return r->members.worst ? value_integer(r->members.worst_ns) : value_none();
}

static struct value get_adopted(const void *row)
{
    const struct ops_row *r = row;
    return r->adopted_tid ? value_integer(r->adopted_tid) : value_none();
}

static struct value get_idle_cause(const void *row)
{
    const struct ops_row *r = row;
    enum idle_cause order[IDLE_CAUSES];
    return r->idle && idle_order(r->idle, order) > 0 ? value_text(idle_causes[order[0]].title)
                                                     : value_none();
}

static const struct column columns[] = {
    {"name", "Name", "name", UNIT_TEXT, get_name,
     "Range, layer or op. Numbered siblings are one row, layers.* x24, until unfolded.",
     COLUMN_NAME},
    {"busy", "GPU Busy Share (%)", "%busy", UNIT_PERCENT, get_share,
     "Exclusive GPU time of the row over the GPU busy time of the selection.", COLUMN_SHARE},
    {"gpu", "Exclusive GPU Time (ns)", "GPU", UNIT_NS, get_gpu,
     "Time in which work of this row alone keeps its GPU from being idle; where kernels overlap, "
     "compute has the instant before communication, and that before copies. Children and the "
     "row's own part add up to it.",
     COLUMN_BAR | COLUMN_SUM},
    {"bwd", "Backward GPU Time (ns)", "bwd", UNIT_NS, get_backward,
     "Exclusive GPU time of the backward work of these forward ops, tied by (process, sequence "
     "number). It is also part of the row in which backward ran.",
     COLUMN_SUM},
    {"cpu", "Range Time (ns)", "CPU", UNIT_NS, get_cpu,
     "Length of the host ranges, waiting included, accumulated over calls.",
     COLUMN_SUM | COLUMN_HOST | COLUMN_TIMED},
    {"overhead", "CPU Overhead (ns)", "overhead", UNIT_NS, get_overhead,
     "Range time minus the time inside CUDA API calls of the same thread.",
     COLUMN_WIDE | COLUMN_SUM | COLUMN_HOST | COLUMN_TIMED},
    {"idle", "GPU Idle Time (ns)", "idle", UNIT_NS, get_idle,
     "Time in which nothing runs on a GPU and what the host does here, or work launched here, is "
     "waited for. Children and the row's own part add up to it; all rows to the GPU's idle time.",
     COLUMN_SUM | COLUMN_TIMED},
    {"calls", "Calls", "calls", UNIT_COUNT, get_calls,
     "Number of host ranges of this row in the selection.", COLUMN_SUM | COLUMN_HOST | COLUMN_SELF},
    {"tc", "Tensor Core Share (%)", "TC", UNIT_PERCENT, get_tensor_core,
     "Share of the kernel time of ops that could use Tensor Cores which ran on them, of the "
     "kernels "
     "whose names tell. Unknown where no such op is below.",
     0},
    {"tc_time", "Tensor Core Time (ns)", "TC time", UNIT_NS, get_tensor_core_ns,
     "Exclusive time of kernels that run on Tensor Cores.", COLUMN_WIDE | COLUMN_SUM},
    {"eligible", "TC Eligible Time (ns)", "eligible", UNIT_NS, get_eligible_ns,
     "Exclusive time of compute kernels of ops that could use Tensor Cores.",
     COLUMN_WIDE | COLUMN_SUM},
    {"work", "GPU Ops", "GPU ops", UNIT_COUNT, get_work,
     "Kernels, copies, memsets and graph replays below this row.", COLUMN_WIDE | COLUMN_SUM},
    {"self", "Self GPU Time (ns)", "self", UNIT_NS, get_self,
     "Exclusive GPU time of the row itself, without its children.",
     COLUMN_DETAIL | COLUMN_SUM | COLUMN_SELF},
    {"gpu_sum", "Summed GPU Time (ns)", "GPU sum", UNIT_NS, get_gpu_sum,
     "Sum of the durations of all work below; overlapping work counts more than once.",
     COLUMN_DETAIL | COLUMN_SUM},
    {"idle_cause", "Main Idle Cause", "idle by", UNIT_TEXT, get_idle_cause,
     "The cause of most of the idle time; `idle` of this row has all.",
     COLUMN_DETAIL | COLUMN_TIMED},
    {"gaps", "GPU Idle Within Calls (ns)", "gaps", UNIT_NS, get_gaps,
     "Per call: from the first to the last GPU work of the call, adopted work too, minus their "
     "union; accumulated over calls. A gap is in every row around it, whoever causes it, so that "
     "rows do not add up.",
     COLUMN_DETAIL | COLUMN_SUM | COLUMN_TIMED},
    {"members", "Members", "members", UNIT_COUNT, get_members,
     "Numbered siblings merged in this row.", COLUMN_DETAIL},
    {"member_median", "Median Member GPU Time (ns)", "median", UNIT_NS, get_member_median,
     "Median of the members' exclusive GPU time.", COLUMN_DETAIL},
    {"member_worst", "Worst Member", "worst", UNIT_TEXT, get_member_worst,
     "The member with the most exclusive GPU time.", COLUMN_DETAIL},
    {"member_worst_ns", "Worst Member GPU Time (ns)", "worst GPU", UNIT_NS, get_member_worst_ns,
     "Its exclusive GPU time.", COLUMN_DETAIL},
    {"kind", "Kind", "kind", UNIT_TEXT, get_kind, "What the row is.", COLUMN_DETAIL},
    {"type", "Op Type", "type", UNIT_TEXT, get_type, "Type of the op.", COLUMN_DETAIL},
    {"adopted", "Adopted Thread", "adopted", UNIT_ID, get_adopted,
     "Thread whose work without a range of its own counts here: it ran while this range's thread "
     "was blocked.",
     COLUMN_DETAIL},
    {"path", "Path", "path", UNIT_TEXT, get_path, "Names from the root, joined by slashes.",
     COLUMN_DETAIL},
};

static const char *node_path(const struct profile *profile, const struct op_tree *tree,
                             uint32_t node, const char *const *paths, struct arena *arena)
{
    uint32_t parent = tree->parent[node];
    const char *above = parent == ROW_NONE || !paths[parent] ? "" : paths[parent];
    // Limits the total size of the paths, which grows with the square of the depth in a malicious
    // file.
    if (strlen(above) > 4096)
        return above;
    return arena_format(arena, "%s/%s", above, profile_text(profile, tree->name[node]));
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (!profile->tree)
        return (struct rows){.empty = "The op tree is not there yet: ranges are being read."};
    const struct op_tree *tree = selection_tree(profile, selection);
    const struct tree_sum *sums = tree_sums(profile, selection, arena);
    const struct idle_sum *idle =
        profile->stage == STAGE_READY ? idle_by_node(profile, selection, arena) : NULL;
    const struct tree_members *members = NULL;
    uint32_t first = selection->node == ROW_NONE ? 1 : selection->node;
    uint32_t end = selection->node == ROW_NONE ? tree->count : tree->subtree_end[selection->node];
    unsigned base = tree->depth[first < tree->count ? first : 0];
    if (selection->node == ROW_NONE)
        base = 1;
    const char **paths = ARENA_ARRAY(arena, const char *, tree->count);
    struct ops_row *rows = ARENA_ARRAY(arena, struct ops_row, tree->count);
    size_t count = 0;
    for (uint32_t n = first; n < end; n++) {
        if (sums[n].below == 0)
            continue;
        const struct marker *marker =
            tree->marker[n] == ROW_NONE ? NULL : &profile->markers[tree->marker[n]];
        paths[n] = node_path(profile, tree, n, paths, arena);
        struct ops_row *row = &rows[count++];
        *row = (struct ops_row){
            .name = profile_text(profile, tree->name[n]),
            .plain = profile_text(profile, tree->name[n]),
            .path = paths[n],
            .kind = node_kind_names[tree->kind[n]],
            .type =
                marker && marker->type != STRING_NONE ? profile_text(profile, marker->type) : NULL,
            .node = n,
            .depth = tree->depth[n] - base,
            .has_ranges = sums[n].calls > 0,
            .sum = &sums[n],
            .idle = idle ? &idle[n] : NULL,
            .busy_ns = sums[0].exclusive_ns,
            .member_count = tree->member_count ? tree->member_count[n] : 1,
            .adopted_tid = selection->adoption ? tree->adopted_tid[n] : 0,
        };
        if (count > 1 && row->depth > row[-1].depth)
            row[-1].has_children = true;
        if (row->member_count > 1) {
            if (!members)
                members = tree_members_of(profile, selection, arena);
            row->name = arena_format(arena, "%s x%u", row->name, row->member_count);
            row->members = tree_members_figures(profile, members, n);
        }
    }
    return (struct rows){
        .items = rows,
        .count = count,
        .empty = count ? NULL
                 : profile->ranges.count + profile->work.count
                     ? "Nothing of this selection has GPU work or ranges."
                     : "The profile has neither ranges nor GPU work.",
    };
}

static struct row_match row_match(const void *row)
{
    return (struct row_match){{((const struct ops_row *)row)->plain}};
}

static bool row_is_step(const void *row)
{
    return strcmp(((const struct ops_row *)row)->kind, node_kind_names[NODE_STEP]) == 0;
}

static uint64_t row_id(const void *row)
{
    return ((const struct ops_row *)row)->node;
}

static unsigned row_depth(const void *row)
{
    return ((const struct ops_row *)row)->depth;
}

static bool row_has_children(const void *row)
{
    return ((const struct ops_row *)row)->has_children;
}

static const int64_t *row_categories(const void *row)
{
    return ((const struct ops_row *)row)->sum->category_ns;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->node = ((const struct ops_row *)row)->node;
    selection->with_backward = false;
    return "kernels";
}

const struct report report_ops = {
    .name = "ops",
    .title = "Op tree",
    .doc = "What each layer, range and op costs, as a tree: all runs of the same thing at the "
           "same place are one row.",
    .row_size = sizeof(struct ops_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .build = build,
    .id = row_id,
    .match = row_match,
    .is_step = row_is_step,
    .busy = "gpu",
    .depth = row_depth,
    .has_children = row_has_children,
    .narrow = row_narrow,
    .categories = row_categories,
};
