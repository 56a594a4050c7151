// SPDX-License-Identifier: Apache-2.0
// The op tree: what each layer, range and op costs, in pre-order. GPU times are exclusive, so that
// the children of a node and its own part add up to it.
#include <string.h>

#include "analysis/idle_groups.h"
#include "analysis/report_list.h"
#include "analysis/stats.h"
#include "analysis/tree_sums.h"
#include "model/markers.h"
#include "model/ops.h"

struct ops_row {
    const char *name, *path, *kind, *type;
    const char *plain; // the name without the count of what is merged
    uint32_t node;
    unsigned depth;
    bool has_children;
    bool has_ranges; // runs of its own (else it is only a place on a path)
    const struct tree_sum *sum;
    const struct idle_sum *idle; // of the subtree; NULL: not known yet
    int64_t busy_ns;             // of the whole selection: what shares are of
    uint32_t member_count;
    int64_t member_median_ns, member_worst_ns;
    const char *member_worst;
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

// No eligible op below: nothing that could use Tensor Cores, which is not 0 %.
static struct value get_tensor_core(const void *row)
{
    const struct tree_sum *sum = ((const struct ops_row *)row)->sum;
    return value_share(sum->eligible_tc_ns, sum->eligible_ns);
}

static struct value get_tensor_core_ns(const void *row)
{
    return value_integer(((const struct ops_row *)row)->sum->tc_ns);
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
    return r->member_worst ? value_integer(r->member_median_ns) : value_none();
}

static struct value get_member_worst(const void *row)
{
    return value_text(((const struct ops_row *)row)->member_worst);
}

static struct value get_member_worst_ns(const void *row)
{
    const struct ops_row *r = row;
    return r->member_worst ? value_integer(r->member_worst_ns) : value_none();
}

static struct value get_adopted(const void *row)
{
    const struct ops_row *r = row;
    return r->adopted_tid ? value_integer(r->adopted_tid) : value_none();
}

static struct value get_idle_time(const void *row)
{
    const struct ops_row *r = row;
    return r->idle ? value_integer(r->idle->idle_ns) : value_none();
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
     "Exclusive GPU time of the row over the GPU busy time of the selection.", 0},
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
     COLUMN_SUM | COLUMN_HOST},
    {"overhead", "CPU Overhead (ns)", "overhead", UNIT_NS, get_overhead,
     "Range time minus the time inside CUDA API calls of the same thread.",
     COLUMN_WIDE | COLUMN_SUM | COLUMN_HOST},
    {"idle", "GPU Idle (ns)", "idle", UNIT_NS, get_idle,
     "Per call: from the first to the last GPU work of the call, adopted work too, minus their "
     "union; accumulated over calls.",
     COLUMN_SUM},
    {"calls", "Calls", "calls", UNIT_COUNT, get_calls,
     "Number of host ranges of this row in the selection.", COLUMN_SUM | COLUMN_HOST},
    {"tc", "Tensor Core Share (%)", "TC", UNIT_PERCENT, get_tensor_core,
     "Share of the kernel time of ops that could use Tensor Cores which ran on them. Unknown "
     "where no such op is below.",
     0},
    {"tc_time", "Tensor Core Time (ns)", "TC time", UNIT_NS, get_tensor_core_ns,
     "Exclusive time of kernels that run on Tensor Cores.", COLUMN_WIDE | COLUMN_SUM},
    {"eligible", "TC Eligible Time (ns)", "eligible", UNIT_NS, get_eligible_ns,
     "Exclusive time of compute kernels of ops that could use Tensor Cores.",
     COLUMN_WIDE | COLUMN_SUM},
    {"work", "GPU Ops", "GPU ops", UNIT_COUNT, get_work,
     "Kernels, copies, memsets and graph replays below this row.", COLUMN_WIDE | COLUMN_SUM},
    {"self", "Self GPU Time (ns)", "self", UNIT_NS, get_self,
     "Exclusive GPU time of the row itself, without its children.", COLUMN_DETAIL | COLUMN_SUM},
    {"gpu_sum", "Summed GPU Time (ns)", "GPU sum", UNIT_NS, get_gpu_sum,
     "Sum of the durations of all work below; overlapping work counts more than once.",
     COLUMN_DETAIL | COLUMN_SUM},
    {"idle_time", "GPU Idle Time Here (ns)", "idle here", UNIT_NS, get_idle_time,
     "Time in which nothing runs on a GPU and what the host does here, or work launched here, is "
     "waited for. Children and the row's own part add up to it; all rows to the GPU's idle time.",
     COLUMN_DETAIL | COLUMN_SUM},
    {"idle_cause", "Main Idle Cause", "idle by", UNIT_TEXT, get_idle_cause,
     "The cause of most of that time; `idle` of this row has all.", COLUMN_DETAIL},
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

// What a folded row merges: captured nodes with anything in the selection, by folded node.
struct members {
    const struct tree_sum *sums; // of the captured tree
    struct groups times;         // exclusive ns
    uint32_t *worst;             // captured node, ROW_NONE
};

static struct members *members_new(const struct profile *profile, const struct selection *selection,
                                   struct arena *arena)
{
    struct members *members = ARENA_NEW(arena, struct members);
    const struct op_tree *tree = profile->tree;
    uint32_t folded_count = profile->folded_tree->count;
    struct selection captured = *selection;
    captured.is_folded = false;
    captured.node = ROW_NONE;
    const struct tree_sum *sums = members->sums = tree_sums(profile, &captured, arena);
    uint32_t *counts = ARENA_ARRAY(arena, uint32_t, folded_count);
    members->worst = ARENA_ARRAY(arena, uint32_t, folded_count);
    for (uint32_t f = 0; f < folded_count; f++)
        members->worst[f] = ROW_NONE;
    for (uint32_t n = 0; n < tree->count; n++)
        counts[tree->folded[n]] += sums[n].calls + sums[n].work_count > 0;
    members->times = groups_begin(counts, folded_count, arena);
    for (uint32_t n = 0; n < tree->count; n++) {
        uint32_t *worst = &members->worst[tree->folded[n]];
        if (sums[n].calls + sums[n].work_count == 0)
            continue;
        groups_add(&members->times, tree->folded[n], sums[n].exclusive_ns);
        if (*worst == ROW_NONE || sums[n].exclusive_ns > sums[*worst].exclusive_ns)
            *worst = n;
    }
    return members;
}

static void fill_members(const struct profile *profile, const struct members *members,
                         struct ops_row *row)
{
    uint32_t worst = members->worst[row->node];
    if (worst == ROW_NONE)
        return;
    row->member_median_ns = (int64_t)groups_stats(&members->times, row->node).median;
    row->member_worst_ns = members->sums[worst].exclusive_ns;
    row->member_worst = profile_text(profile, profile->tree->name[worst]);
}

static const char *node_path(const struct profile *profile, const struct op_tree *tree,
                             uint32_t node, const char *const *paths, struct arena *arena)
{
    uint32_t parent = tree->parent[node];
    const char *above = parent == ROW_NONE || !paths[parent] ? "" : paths[parent];
    // Paths of hostile depth would grow with its square.
    if (strlen(above) > 4096)
        return above;
    return arena_format(arena, "%s/%s", above, profile_text(profile, tree->name[node]));
}

// Idle time of each node and all below it.
static const struct idle_sum *node_idle(const struct profile *profile,
                                        const struct selection *selection,
                                        const struct op_tree *tree, struct arena *arena)
{
    struct selection whole = *selection;
    whole.node = ROW_NONE;
    whole.idle_cause = ROW_NONE;
    if (profile->stage < STAGE_READY)
        return NULL;
    struct idle_sum *idle = ARENA_ARRAY(arena, struct idle_sum, tree->count);
    struct idle_groups groups = idle_groups_of(profile, &whole, arena);
    for (uint32_t g = 0; g < groups.count; g++) {
        const struct idle_group *group = &groups.items[g];
        idle[group->node].ns[group->cause] += group->figures[IDLE_NS];
        idle[group->node].idle_ns += group->figures[IDLE_NS];
    }
    for (uint32_t n = tree->count; n-- > 1;) {
        struct idle_sum *parent = &idle[tree->parent[n]];
        parent->idle_ns += idle[n].idle_ns;
        for (int c = 0; c < IDLE_CAUSES; c++)
            parent->ns[c] += idle[n].ns[c];
    }
    return idle;
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (!profile->tree)
        return (struct rows){.empty = "The op tree is not there yet: ranges are being read."};
    const struct op_tree *tree = selection_tree(profile, selection);
    const struct tree_sum *sums = tree_sums(profile, selection, arena);
    const struct idle_sum *idle = node_idle(profile, selection, tree, arena);
    const struct members *members = NULL;
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
                members = members_new(profile, selection, arena);
            row->name = arena_format(arena, "%s x%u", row->name, row->member_count);
            fill_members(profile, members, row);
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
    return (struct row_match){((const struct ops_row *)row)->plain, NULL};
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
    .busy = "gpu",
    .depth = row_depth,
    .has_children = row_has_children,
    .narrow = row_narrow,
};
