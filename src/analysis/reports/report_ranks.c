// SPDX-License-Identifier: Apache-2.0
// Compares the GPUs at each node of the op tree: which is slowest, and by how much it exceeds the
// median.
//
// Own time is time of work other than communication. A slot is one of the SLOTS columns that each
// show the own time of one GPU. A GPU is odd at a node if its own time is far above the median.
#include <inttypes.h>
#include <string.h>

#include "analysis/detectors/expert.h"
#include "analysis/report/report.h"
#include "analysis/report/stats.h"
#include "analysis/sums/rank_sums.h"
#include "base/scratch.h"
#include "base/sort.h"
#include "model/profile/ranks.h"
#include "model/rules/thresholds.h"

REPORT_DECLARE(ranks);

enum { SLOTS = 16 };                    // columns that show one GPU each
static const double odd_share = 0.0005; // share of the step; smaller excesses are not marked

struct rank_spread { // over the GPUs, in ns per step
    int64_t least, median, most;
    uint32_t least_at, most_at; // indexes of these GPUs in rank_sums
    uint32_t gpus;              // number of GPUs with such time
};

struct ranks_row {
    const char *name;
    uint32_t node;
    unsigned depth;
    bool has_children;
    uint32_t gpus;
    struct rank_spread own, comm; // of own time and of communication
    int64_t slowest, awaited;     // numbers of ranks or of GPUs, or UNKNOWN
    int64_t own_ns[SLOTS];        // by slot; UNKNOWN if nothing of the node ran on that GPU
    unsigned odd;                 // one bit per slot, set if that GPU is odd
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

static struct value figure(const struct rank_spread *spread, int64_t ns)
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
    const struct rank_spread *own = &row_of(row)->own;
    return own->gpus > 1 ? value_integer(own->most - own->median) : value_none();
}

static struct value get_ratio(const void *row)
{
    const struct rank_spread *own = &row_of(row)->own;
    return own->gpus > 1 && own->median > 0 ? value_real((double)own->most / (double)own->median)
                                            : value_none();
}

static struct value get_slowest(const void *row)
{
    return value_integer(row_of(row)->slowest);
}

static struct value get_comm(const void *row)
{
    return figure(&row_of(row)->comm, row_of(row)->comm.median);
}

static struct value get_awaited(const void *row)
{
    return value_integer(row_of(row)->awaited);
}

static struct value get_comm_least(const void *row)
{
    return figure(&row_of(row)->comm, row_of(row)->comm.least);
}

// One accessor per slot, since an accessor gets only the row.
#define SLOT_GETTER(n)                                \
    static struct value get_slot_##n(const void *row) \
    {                                                 \
        return value_integer(row_of(row)->own_ns[n]); \
    }
SLOT_GETTER(0)
SLOT_GETTER(1)
SLOT_GETTER(2)
SLOT_GETTER(3)
SLOT_GETTER(4)
SLOT_GETTER(5)
SLOT_GETTER(6)
SLOT_GETTER(7)
SLOT_GETTER(8)
SLOT_GETTER(9)
SLOT_GETTER(10)
SLOT_GETTER(11)
SLOT_GETTER(12)
SLOT_GETTER(13)
SLOT_GETTER(14)
SLOT_GETTER(15)
#define SLOT(n)                                                                       \
    {                                                                                 \
        "each_" #n, "Each Rank or GPU (ns)", "each", UNIT_NS, get_slot_##n, each_doc, \
            COLUMN_RANK_SLOT                                                          \
    }
static const char each_doc[] =
    "GPU time of a step but for communication on one GPU: a column each, rank0, rank1 ... after "
    "the rank in the job, gpu0 ... where files tell none or a rank has several GPUs; 16 at most. A "
    "figure is marked, and its column comes first, where it is above that of the GPU in the middle "
    "by more than slow_gpu.ratio of the rules and by 0.05 % of the step.";

static const struct column columns[] = {
    {"place", "Place", "place", UNIT_TEXT, get_name,
     "Layer, range or op, as in the op tree; its figures hold all that lies below it.",
     COLUMN_NAME},
    {"above", "Slowest above Median (ns)", "above median", UNIT_NS, get_above,
     "How much longer the slowest GPU takes here than the GPU in the middle: what the others wait "
     "for it where they meet.",
     COLUMN_BAR},
    {"slowest", "Slowest", "slowest", UNIT_ID, get_slowest,
     "That one: its rank, or its number in `devices` where the columns beside are called after "
     "that.",
     0},
    SLOT(0),
    SLOT(1),
    SLOT(2),
    SLOT(3),
    SLOT(4),
    SLOT(5),
    SLOT(6),
    SLOT(7),
    SLOT(8),
    SLOT(9),
    SLOT(10),
    SLOT(11),
    SLOT(12),
    SLOT(13),
    SLOT(14),
    SLOT(15),
    {"ratio", "Slowest over Median", "x median", UNIT_REAL, get_ratio,
     "How much longer the slowest takes, as a ratio.", 0},
    {"least", "Least (ns)", "least", UNIT_NS, get_least,
     "GPU time of a step but for communication, on the GPU that takes least of those that run any.",
     0},
    {"median", "Median (ns)", "median", UNIT_NS, get_median,
     "The same on the GPU in the middle; of an even number the mean of both.", 0},
    {"most", "Most (ns)", "most", UNIT_NS, get_most, "The same on the GPU that takes most.", 0},
    {"comm", "Communication, Median (ns)", "comm", UNIT_NS, get_comm,
     "Communication that nothing hides, of a step on the GPU in the middle; waiting for others is "
     "in it.",
     COLUMN_WIDE | COLUMN_TIMED},
    {"comm_least", "Communication, Least (ns)", "comm least", UNIT_NS, get_comm_least,
     "The same on the GPU with the least of it.", COLUMN_WIDE | COLUMN_TIMED},
    {"awaited", "Awaited", "awaited", UNIT_ID, get_awaited,
     "That one: where the others wait it comes last, and has least to wait.", COLUMN_WIDE},
    {"gpus", "GPUs", "GPUs", UNIT_COUNT, get_gpus, "GPUs that ran any of it.", COLUMN_WIDE},
};
enum { FIRST_SLOT = 3 };

// ---- rows ---------------------------------------------------------------------------------------

struct ranks_builder {
    const struct profile *profile;
    const struct selection *selection;
    const struct op_tree *tree;
    struct arena *arena;
    struct rank_sums sums;
    int64_t *number; // by index in the sums: the rank, or the number of the GPU
    bool by_rank;
    uint32_t *slots; // indexes in the sums, [slot_count]
    unsigned slot_count;
    double odd_ratio;
    int64_t step_ns; // time of the median GPU over all places
    struct ranks_row *rows;
    size_t count;
    const struct report *report; // with columns named after these GPUs
};

// Returns the spread over the GPUs with any of the time. A GPU without, such as one of another
// pipeline stage, is left out and not counted as 0.
static struct rank_spread spread_of(const struct rank_sums *sums, const int64_t *ns,
                                    struct arena *scratch)
{
    struct rank_spread spread = {.least = INT64_MAX, .most = -1};
    int64_t *values = ARENA_ARRAY(scratch, int64_t, sums->count);
    for (uint32_t i = 0; i < sums->count; i++) {
        int64_t value = ns[i] / sums->steps;
        if (ns[i] == 0)
            continue;
        values[spread.gpus++] = value;
        if (value < spread.least) {
            spread.least = value;
            spread.least_at = i;
        }
        if (value > spread.most) {
            spread.most = value;
            spread.most_at = i;
        }
    }
    spread.median = spread.gpus ? (int64_t)stats_of(values, spread.gpus).median : 0;
    return spread;
}

static void row_add(struct ranks_builder *builder, uint32_t node, unsigned base, struct arena *temp)
{
    const struct op_tree *tree = builder->tree;
    const int64_t *own_ns = rank_sums_at(&builder->sums, node, RANK_OWN);
    const int64_t *comm_ns = rank_sums_at(&builder->sums, node, RANK_COMM);
    uint32_t gpus = 0;
    for (uint32_t i = 0; i < builder->sums.count; i++)
        gpus += own_ns[i] > 0 || comm_ns[i] > 0;
    if (!gpus)
        return;
    const char *name = profile_text(builder->profile, tree->name[node]);
    uint32_t members = tree->member_count ? tree->member_count[node] : 1;
    if (members > 1)
        name = arena_format(builder->arena, "%s x%u", name, members);
    struct rank_spread own = spread_of(&builder->sums, own_ns, temp);
    struct rank_spread comm = spread_of(&builder->sums, comm_ns, temp);
    bool is_waiting = comm.gpus > 1 && comm.median > comm.least;
    struct ranks_row *row = &builder->rows[builder->count++];
    *row = (struct ranks_row){
        .name = name,
        .node = node,
        .depth = tree->depth[node] - base,
        .gpus = gpus,
        .own = own,
        .comm = comm,
        .slowest = own.most > own.median ? builder->number[own.most_at] : UNKNOWN,
        .awaited = is_waiting ? builder->number[comm.least_at] : UNKNOWN,
    };
    if (builder->count > 1 && row->depth > row[-1].depth)
        row[-1].has_children = true;
    arena_reset(temp);
}

// ---- one column per GPU -------------------------------------------------------------------------

static bool is_odd(const struct ranks_builder *builder, const struct ranks_row *row, uint32_t gpu)
{
    const int64_t *ns = rank_sums_at(&builder->sums, row->node, RANK_OWN);
    double median = (double)row->own.median;
    int64_t own_ns = ns[gpu] / builder->sums.steps;
    double above = (double)own_ns - median;
    return row->own.gpus > 1 && above > (builder->odd_ratio - 1) * median &&
           above > odd_share * (double)builder->step_ns;
}

static int compare_slots(const void *context, uint32_t a, uint32_t b)
{
    const int64_t *excess_ns = context;
    return excess_ns[a] != excess_ns[b]
               ? (excess_ns[a] < excess_ns[b]) - (excess_ns[a] > excess_ns[b])
               : (a > b) - (a < b);
}

// Chooses the GPUs that get a slot: first those that are odd at any node, by their largest excess,
// then the others.
static void slots_choose(struct ranks_builder *builder, struct arena *scratch)
{
    const struct rank_sums *sums = &builder->sums;
    int64_t *excess_ns = ARENA_ARRAY(scratch, int64_t, sums->count);
    builder->slots = ARENA_ARRAY(scratch, uint32_t, sums->count);
    builder->slot_count = sums->count < SLOTS ? sums->count : SLOTS;
    for (uint32_t i = 0; i < sums->count; i++)
        builder->slots[i] = i;
    for (size_t r = 0; r < builder->count; r++)
        for (uint32_t i = 0; i < sums->count; i++) {
            const struct ranks_row *row = &builder->rows[r];
            int64_t ns = rank_sums_at(sums, row->node, RANK_OWN)[i] / sums->steps;
            if (is_odd(builder, row, i) && ns - row->own.median > excess_ns[i])
                excess_ns[i] = ns - row->own.median;
        }
    sort_ids(builder->slots, sums->count, compare_slots, excess_ns, scratch);
}

static void slots_fill(const struct ranks_builder *builder, struct ranks_row *row)
{
    const int64_t *ns = rank_sums_at(&builder->sums, row->node, RANK_OWN);
    for (unsigned s = 0; s < SLOTS; s++) {
        uint32_t gpu = s < builder->slot_count ? builder->slots[s] : 0;
        bool is_there = s < builder->slot_count && ns[gpu];
        row->own_ns[s] = is_there ? ns[gpu] / builder->sums.steps : UNKNOWN;
        row->odd |= (unsigned)(is_there && is_odd(builder, row, gpu)) << s;
    }
}

static const struct report *report_with_slots(const struct ranks_builder *builder)
{
    struct arena *arena = builder->arena;
    struct column *named = ARENA_ARRAY(arena, struct column, sizeof columns / sizeof *columns);
    struct report *report = ARENA_NEW(arena, struct report);
    bool is_rank = builder->by_rank;
    memcpy(named, columns, sizeof columns);
    for (unsigned s = 0; s < builder->slot_count; s++) {
        struct column *column = &named[FIRST_SLOT + s];
        int64_t number = builder->number[builder->slots[s]];
        column->key = arena_format(arena, "%s%" PRId64, is_rank ? "rank" : "gpu", number);
        column->head = arena_format(arena, "%s %" PRId64, is_rank ? "rank" : "GPU", number);
        column->title =
            arena_format(arena, "%s %" PRId64 " (ns)", is_rank ? "Rank" : "GPU", number);
        column->flags &= ~(unsigned)COLUMN_RANK_SLOT;
    }
    *report = report_ranks;
    report->columns = named;
    return report;
}

static void make_rows(void *context, struct arena *scratch, struct arena *temp)
{
    struct ranks_builder *builder = context;
    const struct op_tree *tree = builder->tree;
    uint32_t node = builder->selection->node;
    uint32_t first = node == ROW_NONE ? 1 : node;
    uint32_t end = node == ROW_NONE ? tree->count : tree->subtree_end[node];
    builder->sums = rank_sums_make(builder->profile, builder->selection, scratch);
    if (!builder->sums.ns || builder->sums.count < 2)
        return;
    builder->number = ARENA_ARRAY(scratch, int64_t, builder->sums.count);
    builder->by_rank = device_display_numbers(builder->profile, builder->sums.devices,
                                              builder->sums.count, builder->number, scratch);
    builder->odd_ratio = expert_threshold("slow_gpu.ratio");
    builder->step_ns =
        spread_of(&builder->sums,
                  rank_sums_at(&builder->sums, first - (node == ROW_NONE), RANK_OWN), temp)
            .median;
    builder->rows = ARENA_ARRAY(builder->arena, struct ranks_row, tree->count);
    for (uint32_t n = first; n < end; n++)
        row_add(builder, n, node == ROW_NONE ? 1 : tree->depth[node], temp);
    slots_choose(builder, scratch);
    for (size_t r = 0; r < builder->count; r++)
        slots_fill(builder, &builder->rows[r]);
    builder->report = report_with_slots(builder);
}

// ---- the report ---------------------------------------------------------------------------------

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (!profile->tree)
        return (struct rows){.empty = "The op tree is not there yet: ranges are being read."};
    struct ranks_builder builder = {.profile = profile,
                                    .selection = selection,
                                    .tree = selection_tree(profile, selection),
                                    .arena = arena};
    scratch_run_two(arena, make_rows, &builder);
    if (builder.sums.count < 2)
        return (struct rows){.empty = RANKS_SINGLE_TEXT};
    if (!builder.rows)
        return (struct rows){.empty = RANKS_TOO_MANY_TEXT};
    return (struct rows){
        .items = builder.rows,
        .count = builder.count,
        .caption = rank_sums_caption(&builder.sums, selection, arena),
        .each = rank_sums_each(&builder.sums, selection, arena),
        .empty = builder.count ? NULL : "Nothing of this selection has GPU work.",
        .report = builder.report,
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

static bool row_is_odd(const void *row, size_t column)
{
    return column >= FIRST_SLOT && column < FIRST_SLOT + SLOTS &&
           row_of(row)->odd >> (column - FIRST_SLOT) & 1;
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
    .doc =
        "What each layer, range and op takes on each of the GPUs, in a column of its own: who is "
        "slowest and by how much, least, median and most of a step, and for whom the others "
        "wait.",
    .row_size = sizeof(struct ranks_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .id = row_id,
    .match = row_match,
    .depth = row_depth,
    .has_children = row_has_children,
    .narrow = row_narrow,
    .is_odd = row_is_odd,
};
