// SPDX-License-Identifier: Apache-2.0
// Why a step is longer or shorter than the median step. The GPU time of both steps is split into
// leaves: one kernel (by name) at one node of the op tree, or idle time of one cause at one node.
// Leaves of both steps are merged and compared. Those that differ enough become rows; the others
// are joined with their node, then with its parent and so on, until the sum differs enough; what
// remains at the root is the row "everything else".
#include "analysis/idle/step_difference.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown/gpu_windows.h"
#include "analysis/breakdown/instants.h"
#include "analysis/idle/exposed.h"
#include "analysis/steps/step_statistics.h"
#include "analysis/sums/work_text.h"
#include "base/scratch.h"

enum { SIDE_STEP, SIDE_MEDIAN, SIDES };
// A row must be at least 1/500 of the difference and 1/5000 of the median step.
enum { MIN_DIFFERENCE_PART = 500, MIN_STEP_PART = 5000 };
// For idle time, a node must have at least 1/4 of the difference of the cause.
enum { MIN_CAUSE_PART = 4 };

// The time of one leaf in both steps. Time in which a collective waits for its last GPU is a leaf
// of its own.
struct difference_leaf {
    uint32_t category, node; // for idle time, category = GPU_IDLE + its cause
    bool is_waiting;
    string_id name;
    int64_t ns[SIDES]; // sum over all GPUs
};

// Leaves joined at a node, or at the root.
struct joined_leaves {
    int64_t ns[SIDES], max_difference_ns;
    uint32_t rows; // number of leaves
};

struct step_comparison {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena, *scratch;
    struct step_difference *result;
    int64_t devices[SIDES]; // number of GPUs that ran each of the two steps
    int side;               // step that is being read
    uint32_t device;        // GPU that is being read
    const struct exposed_covers *exposed;
    struct difference_leaf *leaves;
    size_t leaf_count, leaf_capacity, row_capacity;
    const struct idle *idle; // [device]
    int64_t threshold_ns;
    struct joined_leaves rest;
    struct joined_leaves *joined_at; // [node]; all zero between two categories
};

static int compare_leaves(const void *a, const void *b)
{
    const struct difference_leaf *x = a, *y = b;
    if (x->category != y->category)
        return x->category < y->category ? -1 : 1;
    if (x->is_waiting != y->is_waiting)
        return x->is_waiting ? 1 : -1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

// ---- reading the two steps ---------------------------------------------------------------------

static void leaf_add(struct step_comparison *c, struct difference_leaf leaf, int64_t ns)
{
    leaf.ns[c->side] = ns;
    if (ns > 0)
        ARENA_PUSH(c->scratch, c->leaves, c->leaf_count, c->leaf_capacity) = leaf;
}

// Adds an interval of one piece of work to its leaf; waiting is added to a second leaf.
static void add_instant(void *context, int64_t from, int64_t to, uint32_t work)
{
    struct step_comparison *c = context;
    if (work == ROW_NONE)
        return;
    uint32_t function = AT(c->profile->work.function, work);
    struct difference_leaf leaf = {.category =
                                       (uint32_t)gpu_category(&c->profile->functions[function]),
                                   .node = selection_work_node(c->profile, c->selection, work),
                                   .name = selection_name(c->profile, c->selection, function)};
    int64_t waits = 0;
    if (c->profile->functions[function].class == CLASS_COMM)
        waits = exposed_wait_ns(c->exposed, c->device, from, to);
    leaf_add(c, leaf, to - from - waits);
    leaf.is_waiting = true;
    leaf_add(c, leaf, waits);
}

static void read_idle(struct step_comparison *c, const struct idle *idle, struct window window)
{
    for (size_t i = idle_at(idle, window.from); i < idle->count; i++) {
        struct idle_part part = idle_part_at(idle, i);
        if (part.from >= window.to)
            break;
        int64_t from = part.from > window.from ? part.from : window.from;
        int64_t to = part.to < window.to ? part.to : window.to;
        leaf_add(c,
                 (struct difference_leaf){.category = GPU_IDLE + part.cause,
                                          .node = idle_node(c->profile, c->selection, &part)},
                 to - from);
    }
}

// Adds the leaves of one step, over all GPUs.
static void read_step(struct step_comparison *c, int side, uint32_t step)
{
    const struct profile *profile = c->profile;
    struct instants_visitor visitor = {add_instant, c};
    c->side = side;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (!gpu_counts(profile, c->selection, d))
            continue;
        struct window window = breakdown_gpu_rules.window(profile, c->selection, d, step);
        if (window.to <= window.from)
            continue;
        c->devices[side]++;
        c->device = d;
        instants_visit(profile, c->selection, d, window, &visitor, c->scratch);
        read_idle(c, &c->idle[d], window);
    }
}

// Merges leaves of the same kernel at the same node, so that one leaf has the times of both steps.
static void merge_leaves(struct step_comparison *c)
{
    size_t merged = 0;
    if (c->leaf_count > 0)
        qsort(c->leaves, c->leaf_count, sizeof *c->leaves, compare_leaves);
    for (size_t i = 0; i < c->leaf_count; i++) {
        if (merged == 0 || compare_leaves(&c->leaves[merged - 1], &c->leaves[i]) != 0) {
            c->leaves[merged++] = c->leaves[i];
            continue;
        }
        for (int side = 0; side < SIDES; side++)
            c->leaves[merged - 1].ns[side] += c->leaves[i].ns[side];
    }
    c->leaf_count = merged;
}

// ---- rows -----------------------------------------------------------------------------------

static int64_t mean(const struct step_comparison *c, const int64_t ns[SIDES], int side)
{
    return ns[side] / c->devices[side];
}

static int64_t mean_difference(const struct step_comparison *c, const int64_t ns[SIDES])
{
    return mean(c, ns, SIDE_STEP) - mean(c, ns, SIDE_MEDIAN);
}

// Adds a row for a node; a row of the root has no node and no text of it.
static struct difference_row *add_row(struct step_comparison *c, size_t category, uint32_t node,
                                      const int64_t ns[SIDES])
{
    const struct op_tree *tree = selection_tree(c->profile, c->selection);
    bool is_idle = category >= GPU_IDLE && category < GPU_IDLE + IDLE_CAUSES;
    struct difference_row *row =
        &ARENA_PUSH(c->arena, c->result->rows, c->result->count, c->row_capacity);
    *row = (struct difference_row){.kind = is_idle ? DIFFERENCE_IDLE : DIFFERENCE_WORK,
                                   .category = is_idle ? GPU_IDLE : category,
                                   .node = ROW_NONE,
                                   .where = "",
                                   .here_ns = mean(c, ns, SIDE_STEP),
                                   .median_ns = mean(c, ns, SIDE_MEDIAN),
                                   .delta_ns = mean_difference(c, ns)};
    if (node != ROW_NONE && tree->parent[node] != ROW_NONE) {
        row->node = node;
        row->what = profile_text(c->profile, tree->name[node]);
        row->where = node_path_text(c->profile, tree, node, c->arena);
    }
    if (is_idle) {
        row->cause = (enum idle_cause)(category - GPU_IDLE);
        row->what = arena_format(c->arena, "idle: %s", idle_causes[row->cause].title);
    }
    return row;
}

static struct difference_row *add_joined_row(struct step_comparison *c, size_t category,
                                             uint32_t node)
{
    struct difference_row *row = add_row(c, category, node, c->joined_at[node].ns);
    row->rows = c->joined_at[node].rows;
    return row;
}

static void set_waiting(const struct step_comparison *c, struct difference_row *row,
                        bool is_waiting)
{
    row->is_waiting = is_waiting;
    row->what = is_waiting ? arena_format(c->arena, "%s, waiting", row->what) : row->what;
}

static void add_joined(struct joined_leaves *sum, const struct joined_leaves *part)
{
    for (int side = 0; side < SIDES; side++)
        sum->ns[side] += part->ns[side];
    sum->rows += part->rows;
    sum->max_difference_ns = part->max_difference_ns > sum->max_difference_ns
                                 ? part->max_difference_ns
                                 : sum->max_difference_ns;
}

// Makes rows from the leaves of one category. Leaves that differ enough become rows. The others are
// joined with their node, and nodes with their parent, children first (a parent has a lower number
// than its children).
static void category_rows(struct step_comparison *c, const struct difference_leaf *leaves,
                          size_t count, int64_t threshold_ns)
{
    const struct op_tree *tree = selection_tree(c->profile, c->selection);
    struct joined_leaves *joined_at = c->joined_at;
    uint32_t category = leaves->category;
    for (size_t i = 0; i < count; i++) {
        const struct difference_leaf *leaf = &leaves[i];
        int64_t abs_ns = llabs(mean_difference(c, leaf->ns));
        if (category >= GPU_IDLE || abs_ns < threshold_ns) {
            add_joined(
                &joined_at[leaf->node],
                &(struct joined_leaves){{leaf->ns[SIDE_STEP], leaf->ns[SIDE_MEDIAN]}, abs_ns, 1});
            continue;
        }
        struct difference_row *row = add_row(c, category, leaf->node, leaf->ns);
        row->rows = 1;
        row->what = profile_text(c->profile, leaf->name);
        set_waiting(c, row, leaves->is_waiting);
    }
    for (uint32_t n = tree->count; n-- > 0; joined_at[n] = (struct joined_leaves){0}) {
        if (joined_at[n].rows == 0)
            continue;
        bool is_root = tree->parent[n] == ROW_NONE;
        int64_t abs_ns = llabs(mean_difference(c, joined_at[n].ns));
        // A row of the root says nothing about kernels, but for idle time it gives the cause.
        if (is_root ? category >= GPU_IDLE && abs_ns >= c->threshold_ns : abs_ns >= threshold_ns)
            set_waiting(c, add_joined_row(c, category, n), leaves->is_waiting);
        else
            add_joined(is_root ? &c->rest : &joined_at[tree->parent[n]], &joined_at[n]);
    }
}

// Returns the minimum difference for a row. It is raised for idle time, so that one cause has only
// a few rows.
static int64_t category_threshold(const struct step_comparison *c,
                                  const struct difference_leaf *leaves, size_t count)
{
    int64_t ns[SIDES] = {0};
    for (size_t i = 0; i < count && leaves->category >= GPU_IDLE; i++)
        for (int side = 0; side < SIDES; side++)
            ns[side] += leaves[i].ns[side];
    int64_t part = llabs(mean_difference(c, ns)) / MIN_CAUSE_PART;
    return part > c->threshold_ns ? part : c->threshold_ns;
}

static int compare_rows(const void *a, const void *b)
{
    const struct difference_row *x = a, *y = b;
    int64_t m = llabs(x->delta_ns), n = llabs(y->delta_ns);
    if (m != n)
        return m > n ? -1 : 1;
    if (x->category != y->category)
        return x->category < y->category ? -1 : 1;
    if (x->is_waiting != y->is_waiting)
        return x->is_waiting ? 1 : -1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->cause != y->cause)
        return x->cause < y->cause ? -1 : 1;
    return strcmp(x->what, y->what);
}

// Adds the row "everything else", so that the rows add up exactly.
static void add_rest_row(struct step_comparison *c)
{
    struct step_difference *result = c->result;
    struct difference_row *row = add_row(c, GPU_IDLE + IDLE_CAUSES, ROW_NONE, c->rest.ns);
    row->kind = DIFFERENCE_REST;
    row->category = GPU_CATEGORIES;
    row->what = "everything else";
    row->rows = c->rest.rows;
    row->under_ns = c->rest.max_difference_ns;
    // Row means are truncated to whole nanoseconds; this row takes the remainder.
    row->here_ns = result->here_ns;
    row->median_ns = result->median_ns;
    for (size_t i = 0; i + 1 < result->count; i++) {
        row->here_ns -= result->rows[i].here_ns;
        row->median_ns -= result->rows[i].median_ns;
    }
    row->delta_ns = row->here_ns - row->median_ns;
    if (row->rows == 0 && row->here_ns == 0 && row->median_ns == 0)
        result->count--;
}

static void compare_steps(void *context, struct arena *scratch)
{
    struct step_comparison *c = context;
    struct step_difference *result = c->result;
    c->scratch = scratch;
    c->idle = idle_of(c->profile, c->selection, scratch);
    c->exposed = exposed_covers_of(c->profile, c->selection, scratch);
    read_step(c, SIDE_STEP, result->step);
    read_step(c, SIDE_MEDIAN, result->median);
    if (c->devices[SIDE_STEP] == 0 || c->devices[SIDE_MEDIAN] == 0) {
        result->why_none = "Nothing ran on the GPU in this step.";
        return;
    }
    int64_t part = llabs(result->delta_ns) / MIN_DIFFERENCE_PART,
            min_ns = result->median_ns / MIN_STEP_PART;
    c->threshold_ns = part > min_ns ? part : min_ns;
    c->threshold_ns += c->threshold_ns == 0;
    merge_leaves(c);
    c->joined_at = ARENA_ARRAY(scratch, struct joined_leaves,
                               (size_t)selection_tree(c->profile, c->selection)->count + 1);
    for (size_t i = 0, end; i < c->leaf_count; i = end) {
        for (end = i; end < c->leaf_count && c->leaves[end].category == c->leaves[i].category &&
                      c->leaves[end].is_waiting == c->leaves[i].is_waiting;)
            end++;
        category_rows(c, c->leaves + i, end - i, category_threshold(c, c->leaves + i, end - i));
    }
    if (result->count > 0)
        qsort(result->rows, result->count, sizeof *result->rows, compare_rows);
    add_rest_row(c);
}

// ---- public functions --------------------------------------------------------------------------

static const bool *find_whole_steps(const struct split *split, struct arena *arena)
{
    bool *members = ARENA_ARRAY(arena, bool, (size_t)split->count + 1);
    for (uint32_t i = 0; i < split->count; i++)
        members[i] = !(split->is_cut && split->is_cut[i]);
    return members;
}

struct step_difference step_difference_of(const struct profile *profile,
                                          const struct selection *selection, const bool *members,
                                          uint32_t step, struct arena *arena)
{
    struct step_difference result = {.median = ROW_NONE};
    const struct split *split = selection->split;
    const int64_t *length_ns = step_lengths(profile, selection, arena);
    members = members ? members : find_whole_steps(split, arena);
    struct step_norms norms = step_norms_of(split, length_ns, members, arena);
    result.step = step == ROW_NONE ? norms.worst : step;
    uint32_t kind = result.step < split->count ? split_kind(split, result.step) : STEP_KIND_NONE;
    const struct step_statistics *usual = &norms.of_kind[kind];
    result.median = usual->median;
    bool is_median = usual->count > 0 && length_ns[usual->median] == usual->median_ns;
    result.role = is_median ? "the median" : "next to the median";
    if (split->method == SPLIT_NONE)
        result.why_none = "No steps are known, so there is none to compare with.";
    else if (result.step >= split->count || result.median == ROW_NONE ||
             length_ns[result.step] == UNKNOWN)
        result.why_none = "Nothing ran in this step.";
    else if (usual->count < 2)
        result.why_none = "One step alone: there is no median to compare it with.";
    else if (result.step == result.median)
        result.why_none = is_median ? "This is the step of median length."
                                    : "This is the step next to the median.";
    if (result.why_none)
        return result;
    result.here_ns = length_ns[result.step];
    result.median_ns = length_ns[result.median];
    result.delta_ns = result.here_ns - result.median_ns;
    struct step_comparison comparison = {
        .profile = profile, .selection = selection, .arena = arena, .result = &result};
    scratch_run(arena, compare_steps, &comparison);
    return result;
}

struct step_difference step_difference_fold(const struct step_difference *difference,
                                            size_t max_rows, struct arena *arena)
{
    struct step_difference folded = *difference;
    max_rows = max_rows < 1 ? 1 : max_rows;
    if (difference->count <= max_rows)
        return folded;
    folded.rows = ARENA_ARRAY(arena, struct difference_row, max_rows);
    folded.count = max_rows;
    struct difference_row *rest = &folded.rows[max_rows - 1];
    for (size_t i = 0; i + 1 < max_rows; i++)
        folded.rows[i] = difference->rows[i];
    *rest = (struct difference_row){.kind = DIFFERENCE_REST,
                                    .category = GPU_CATEGORIES,
                                    .node = ROW_NONE,
                                    .what = "everything else",
                                    .where = ""};
    for (size_t i = max_rows - 1; i < difference->count; i++) {
        const struct difference_row *row = &difference->rows[i];
        int64_t abs_ns = row->kind == DIFFERENCE_REST ? row->under_ns : llabs(row->delta_ns);
        rest->here_ns += row->here_ns;
        rest->median_ns += row->median_ns;
        rest->delta_ns += row->delta_ns;
        rest->rows += row->kind == DIFFERENCE_REST ? row->rows : 1;
        rest->under_ns = abs_ns > rest->under_ns ? abs_ns : rest->under_ns;
    }
    return folded;
}
