// SPDX-License-Identifier: Apache-2.0
// One GPU beside the others, place by place: who takes longest where, and how much longer than most.
#include "analysis/rank_sums.h"
#include "analysis/report_list.h"
#include "analysis/stats.h"
#include "model/scratch.h"

struct spread { // of GPUs, ns of a step
    int64_t least, median, most;
    uint32_t least_on, most_on; // devices
    uint32_t gpus;              // that have any
};

struct ranks_row {
    const struct profile *profile;
    const char *name;
    uint32_t node;
    unsigned depth;
    bool has_children;
    uint32_t gpus;
    struct spread own, comm;
};

static const struct ranks_row *row_of(const void *row)
{
    return row;
}

static struct value get_name(const void *row)
{
    return value_text(row_of(row)->name);
}

static struct value get_gpus(const void *row)
{
    return value_integer(row_of(row)->gpus);
}

static struct value figure(const struct spread *spread, int64_t ns)
{
    return spread->gpus ? value_integer(ns) : value_none();
}

static struct value get_least(const void *row)
{
    return figure(&row_of(row)->own, row_of(row)->own.least);
}

static struct value get_median(const void *row)
{
    return figure(&row_of(row)->own, row_of(row)->own.median);
}

static struct value get_most(const void *row)
{
    return figure(&row_of(row)->own, row_of(row)->own.most);
}

static struct value get_above(const void *row)
{
    const struct spread *own = &row_of(row)->own;
    return own->gpus > 1 ? value_integer(own->most - own->median) : value_none();
}

static struct value get_ratio(const void *row)
{
    const struct spread *own = &row_of(row)->own;
    return own->gpus > 1 && own->median > 0 ? value_real((double)own->most / (double)own->median)
                                            : value_none();
}

static struct value get_slowest(const void *row)
{
    const struct ranks_row *r = row;
    return r->own.most > r->own.median ? value_integer(device_number(r->profile, r->own.most_on))
                                       : value_none();
}

static struct value get_comm(const void *row)
{
    return figure(&row_of(row)->comm, row_of(row)->comm.median);
}

static struct value get_awaited(const void *row)
{
    const struct ranks_row *r = row;
    return r->comm.gpus > 1 && r->comm.median > r->comm.least
               ? value_integer(device_number(r->profile, r->comm.least_on))
               : value_none();
}

static struct value get_comm_least(const void *row)
{
    return figure(&row_of(row)->comm, row_of(row)->comm.least);
}

static const struct column columns[] = {
    {"place", "Place", "place", UNIT_TEXT, get_name,
     "Layer, range or op, as in the op tree; its figures hold all that lies below it.",
     COLUMN_NAME},
    {"above", "Slowest above Median (ns)", "above median", UNIT_NS, get_above,
     "How much longer the slowest GPU takes here than the GPU in the middle: what the others wait "
     "for "
     "it where they meet.",
     COLUMN_BAR},
    {"slowest", "Slowest GPU", "slowest", UNIT_ID, get_slowest, "That GPU; see `devices`.", 0},
    {"ratio", "Slowest over Median", "x median", UNIT_REAL, get_ratio, "The same as a ratio.", 0},
    {"least", "Least (ns)", "least", UNIT_NS, get_least,
     "GPU time of a step but for communication, on the GPU that takes least of those that run any.",
     0},
    {"median", "Median (ns)", "median", UNIT_NS, get_median,
     "The same on the GPU in the middle; of an even number the mean of both.", 0},
    {"most", "Most (ns)", "most", UNIT_NS, get_most, "The same on the GPU that takes most.", 0},
    {"comm", "Communication, Median (ns)", "comm", UNIT_NS, get_comm,
     "Communication that nothing hides, of a step on the GPU in the middle; waiting for others is "
     "in "
     "it.",
     COLUMN_WIDE},
    {"comm_least", "Communication, Least (ns)", "comm least", UNIT_NS, get_comm_least,
     "The same on the GPU with the least of it.", COLUMN_WIDE},
    {"awaited", "Awaited GPU", "awaited", UNIT_ID, get_awaited,
     "That GPU: where the others wait it comes last, and has least to wait.", COLUMN_WIDE},
    {"gpus", "GPUs", "GPUs", UNIT_COUNT, get_gpus, "GPUs that ran any of it.", COLUMN_WIDE},
};

// ---- rows ----------------------------------------------------------------------------------------

struct making {
    const struct profile *profile;
    const struct selection *selection;
    const struct op_tree *tree;
    struct arena *arena;
    struct rank_sums sums;
    struct ranks_row *rows;
    size_t count;
};

// Of the GPUs that ran any of it: a stage of a pipeline is no GPU that takes no time.
static struct spread spread_of(const struct rank_sums *sums, const int64_t *ns,
                               struct arena *scratch)
{
    struct spread spread = {.least = INT64_MAX, .most = -1};
    int64_t *values = ARENA_ARRAY(scratch, int64_t, sums->count);
    for (uint32_t i = 0; i < sums->count; i++) {
        int64_t value = ns[i] / sums->steps;
        if (ns[i] == 0)
            continue;
        values[spread.gpus++] = value;
        if (value < spread.least) {
            spread.least = value;
            spread.least_on = sums->devices[i];
        }
        if (value > spread.most) {
            spread.most = value;
            spread.most_on = sums->devices[i];
        }
    }
    spread.median = spread.gpus ? (int64_t)stats_of(values, spread.gpus).median : 0;
    return spread;
}

static void row_add(struct making *making, uint32_t node, unsigned base, struct arena *brief)
{
    const struct op_tree *tree = making->tree;
    const int64_t *own = rank_sums_at(&making->sums, node, RANK_OWN);
    const int64_t *comm = rank_sums_at(&making->sums, node, RANK_COMM);
    uint32_t gpus = 0;
    for (uint32_t i = 0; i < making->sums.count; i++)
        gpus += own[i] > 0 || comm[i] > 0;
    if (!gpus)
        return;
    const char *name = profile_text(making->profile, tree->name[node]);
    uint32_t members = tree->member_count ? tree->member_count[node] : 1;
    if (members > 1)
        name = arena_format(making->arena, "%s x%u", name, members);
    struct ranks_row *row = &making->rows[making->count++];
    *row = (struct ranks_row){.profile = making->profile,
                              .name = name,
                              .node = node,
                              .depth = tree->depth[node] - base,
                              .gpus = gpus,
                              .own = spread_of(&making->sums, own, brief),
                              .comm = spread_of(&making->sums, comm, brief)};
    if (making->count > 1 && row->depth > row[-1].depth)
        row[-1].has_children = true;
    arena_reset(brief);
}

static void make_rows(void *context, struct arena *scratch, struct arena *brief)
{
    struct making *making = context;
    const struct op_tree *tree = making->tree;
    uint32_t node = making->selection->node;
    uint32_t first = node == ROW_NONE ? 1 : node;
    uint32_t end = node == ROW_NONE ? tree->count : tree->subtree_end[node];
    making->sums = rank_sums_make(making->profile, making->selection, scratch);
    if (!making->sums.ns || making->sums.count < 2)
        return;
    making->rows = ARENA_ARRAY(making->arena, struct ranks_row, tree->count);
    for (uint32_t n = first; n < end; n++)
        row_add(making, n, node == ROW_NONE ? 1 : tree->depth[node], brief);
}

// ---- the report ----------------------------------------------------------------------------------

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (!profile->tree)
        return (struct rows){.empty = "The op tree is not there yet: ranges are being read."};
    struct making making = {.profile = profile,
                            .selection = selection,
                            .tree = selection_tree(profile, selection),
                            .arena = arena};
    scratch_run_two(arena, make_rows, &making);
    if (making.sums.count < 2)
        return (struct rows){.empty = RANKS_ALONE};
    if (!making.rows)
        return (struct rows){.empty = RANKS_CROWDED};
    return (struct rows){
        .items = making.rows,
        .count = making.count,
        .caption = rank_sums_caption(&making.sums, selection, arena),
        .empty = making.count ? NULL : "Nothing of this selection has GPU work.",
    };
}

static struct row_match row_match(const void *row)
{
    return (struct row_match){{row_of(row)->name}};
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->node;
}

static unsigned row_depth(const void *row)
{
    return row_of(row)->depth;
}

static bool row_has_children(const void *row)
{
    return row_of(row)->has_children;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->node = row_of(row)->node;
    selection->with_backward = false;
    return "rank_times";
}

const struct report report_ranks = {
    .name = "ranks",
    .title = "Ranks side by side",
    .doc = "What each layer, range and op takes on the GPUs: least, median and most of a step, who "
           "is slowest and by how much, and for whom the others wait.",
    .row_size = sizeof(struct ranks_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .id = row_id,
    .match = row_match,
    .depth = row_depth,
    .has_children = row_has_children,
    .narrow = row_narrow,
};
