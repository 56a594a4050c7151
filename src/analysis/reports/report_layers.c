// SPDX-License-Identifier: Apache-2.0
// Shows where GPU time goes in about a dozen rows that add up to the GPU busy time: the layers and
// ranges with the most time (forward and backward together), or the ops of a layer that dominates;
// then exposed communication and copies.
#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown/tensor_cores.h"
#include "analysis/idle/exposed.h"
#include "analysis/report/report.h"
#include "analysis/reports/row_figures.h"
#include "analysis/sums/work_groups.h"
#include "analysis/sums/work_text.h"

REPORT_DECLARE(costs);

struct layer_row {
    const char *name;
    uint32_t node;    // ROW_NONE: a remainder or a kind of work
    uint32_t rest_of; // for a remainder, the node that was opened; else ROW_NONE
    uint32_t top;     // outermost node that the name includes, or ROW_NONE
    bool is_closed;   // true if the node cannot be opened
    int64_t forward_ns, backward_ns, tc_ns, busy_ns;
    int64_t judged_ns; // time of work whose kernel name tells whether it uses Tensor Cores
};

static const char comm_name[] = "communication, exposed part";
static const char copies_name[] = "copies, exposed part";

static int64_t row_total(const struct layer_row *row)
{
    return row->forward_ns + row->backward_ns;
}

static struct value get_name(const void *row)
{
    return value_text(((const struct layer_row *)row)->name);
}

static struct value get_forward(const void *row)
{
    return value_integer(((const struct layer_row *)row)->forward_ns);
}

static struct value get_backward(const void *row)
{
    const struct layer_row *r = row;
    return r->backward_ns ? value_integer(r->backward_ns) : value_none();
}

static struct value get_total(const void *row)
{
    return value_integer(row_total(row));
}

static struct value get_share(const void *row)
{
    const struct layer_row *r = row;
    return value_share(row_total(r), r->busy_ns);
}

static struct value get_tensor_core(const void *row)
{
    const struct layer_row *r = row;
    return r->judged_ns * 2 < row_total(r) ? value_none() : value_share(r->tc_ns, row_total(r));
}

static int64_t unknown_ns(const struct layer_row *row)
{
    return row_total(row) - row->judged_ns;
}

static struct value get_tensor_unknown(const void *row)
{
    return value_share(unknown_ns(row), row_total(row));
}

static struct value get_tensor_least(const void *row)
{
    return get_tensor_core(row).kind != VALUE_NONE &&
                   tensor_share_is_least(unknown_ns(row), row_total(row))
               ? value_text("at least")
               : value_none();
}

static const struct column columns[] = {
    {"layer", "Layer", "layer", UNIT_TEXT, get_name,
     "Layer, range or kind of work. \"rest of x\" is what lies in x beside the rows shown.",
     COLUMN_NAME},
    {"forward", "Forward and Other GPU Time (ns)", "fwd", UNIT_NS, get_forward,
     "Exclusive GPU time of all but backward work.", COLUMN_SUM},
    {"backward", "Backward GPU Time (ns)", "bwd", UNIT_NS, get_backward,
     "Exclusive GPU time of the backward work of these ops, tied by sequence number.", COLUMN_SUM},
    {"gpu", "Exclusive GPU Time (ns)", "GPU", UNIT_NS, get_total,
     "Forward and backward together. The rows add up to the GPU busy time of the selection.",
     COLUMN_BAR | COLUMN_SUM},
    {"busy", "GPU Busy Share (%)", "%busy", UNIT_PERCENT, get_share,
     "Exclusive GPU time of the row over the GPU busy time of the selection.", COLUMN_SHARE},
    {"tc", "Tensor Core Share (%)", "TC", UNIT_PERCENT, get_tensor_core,
     "Share of the row's GPU time in kernels that run on Tensor Cores. Unknown where most of it is "
     "in work that does not tell, such as graphs traced as a whole.",
     0},
    {"tc_least", "Tensor Cores at Least", "at least", UNIT_TEXT, get_tensor_least,
     "at least: work that does not tell has more than 1% of the row's GPU time, and what of it "
     "runs "
     "on Tensor Cores comes on top.",
     COLUMN_MARK},
    {"tc_unknown", "Tensor Core Use Unknown (% of the row's GPU time)", "TC unknown", UNIT_PERCENT,
     get_tensor_unknown, "Share of the row's GPU time in work that does not tell.", COLUMN_DETAIL},
};

struct layer_sums {
    int64_t *forward, *backward, *tc, *judged; // by node, including its subtree
    struct layer_row comm, copies;
    int64_t busy_ns;
};

// Adds the GPU work of one function at one node.
static void sums_add(const struct profile *profile, const struct work_group *group, int64_t ns,
                     struct layer_sums *sums)
{
    const struct function *function = &profile->functions[group->function];
    bool is_backward = group->forward != ROW_NONE;
    uint32_t node = is_backward ? group->forward : group->node;
    sums->busy_ns += ns;
    if (function->class == CLASS_COMM) {
        sums->comm.forward_ns += ns;
    } else if (function->class == CLASS_COPY) {
        sums->copies.forward_ns += ns;
    } else {
        (is_backward ? sums->backward : sums->forward)[node] += ns;
        if (function->tensor_core == STATE_YES)
            sums->tc[node] += ns;
        if (function->tensor_core != STATE_UNKNOWN)
            sums->judged[node] += ns;
    }
}

static void sums_build(const struct profile *profile, const struct selection *selection,
                       struct layer_sums *sums, struct arena *arena)
{
    const struct op_tree *tree = selection_tree(profile, selection);
    const struct gpu_work *work = &profile->work;
    sums->forward = ARENA_ARRAY(arena, int64_t, tree->count);
    sums->backward = ARENA_ARRAY(arena, int64_t, tree->count);
    sums->tc = ARENA_ARRAY(arena, int64_t, tree->count);
    sums->judged = ARENA_ARRAY(arena, int64_t, tree->count);
    struct work_groups groups = work_groups_of(profile, selection, arena);
    for (uint32_t g = 0; g < groups.count; g++)
        sums_add(profile, &groups.items[g], groups.items[g].figures[GROUP_EXCLUSIVE_NS], sums);
    for (uint32_t w = 0; !groups.items && w < work->count; w++) {
        if (!selection_has_work(profile, selection, w))
            continue;
        struct work_group group = {.node = selection_work_node(profile, selection, w),
                                   .forward = selection_forward_node(profile, selection, w),
                                   .function = AT(work->function, w)};
        sums_add(profile, &group, AT(work->exclusive, w), sums);
    }
    for (uint32_t n = tree->count; n-- > 1;) {
        uint32_t parent = tree->parent[n];
        sums->forward[parent] += sums->forward[n];
        sums->backward[parent] += sums->backward[n];
        sums->tc[parent] += sums->tc[n];
        sums->judged[parent] += sums->judged[n];
    }
}

enum {
    MAX_ROWS = 12,    // no row is opened once there are so many
    OPEN_PERCENT = 6, // percent of the busy time; smaller rows stay closed
    // percent of the time in layers and ranges; the ops of a larger row get rows
    OPS_PERCENT = 50,
};

// The rows: a cut through the op tree. It starts with the root; the largest row is opened
// repeatedly: replaced by the layers and ranges directly below it and a remainder.
struct frontier {
    const struct profile *profile;
    const struct op_tree *tree;
    const struct layer_sums *sums;
    struct layer_row *rows;
    size_t count, capacity;
    struct arena *arena;
};

static const char *node_name(const struct frontier *f, uint32_t node)
{
    const char *name = profile_text(f->profile, f->tree->name[node]);
    uint32_t members = f->tree->member_count ? f->tree->member_count[node] : 1;
    return members > 1 ? arena_format(f->arena, "%s x%u", name, members) : name;
}

// Prefixes the name with the name of the next outer node: "layers.* x24 > mlp". Returns false at
// the root, which has no name.
static bool prefix_outer_name(const struct frontier *f, struct layer_row *row)
{
    uint32_t parent = row->top == ROW_NONE ? ROW_NONE : f->tree->parent[row->top];
    if (parent == ROW_NONE || f->tree->parent[parent] == ROW_NONE)
        return false;
    row->name = arena_format(f->arena, "%s > %s", node_name(f, parent), row->name);
    row->top = parent;
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct layer_row *)a)->name, ((const struct layer_row *)b)->name);
}

// Extends the names of rows with equal names until their paths differ, or up to MAX_LEVELS nodes.
static void names_make_unique(const struct frontier *f)
{
    enum { MAX_LEVELS = 16 };
    bool has_changed = f->count > 1;
    for (int level = 0; has_changed && level < MAX_LEVELS; level++) {
        has_changed = false;
        qsort(f->rows, f->count, sizeof *f->rows, compare_names);
        for (size_t i = 0, end; i < f->count; i = end) {
            for (end = i + 1; end < f->count && compare_names(&f->rows[i], &f->rows[end]) == 0;)
                end++;
            for (size_t k = i; end - i > 1 && k < end; k++)
                has_changed |= prefix_outer_name(f, &f->rows[k]);
        }
    }
}

static bool is_layer_or_range(const struct op_tree *tree, uint32_t node)
{
    return tree->kind[node] != NODE_OP && tree->kind[node] != NODE_BACKWARD;
}

static void frontier_add(struct frontier *f, uint32_t node, const char *name,
                         struct layer_row amount)
{
    amount.node = node;
    amount.name = name;
    amount.top = node != ROW_NONE ? node : amount.top;
    amount.rest_of = node != ROW_NONE ? ROW_NONE : amount.rest_of;
    amount.busy_ns = f->sums->busy_ns;
    if (row_total(&amount) > 0)
        ARENA_PUSH(f->arena, f->rows, f->count, f->capacity) = amount;
}

static struct layer_row node_amount(const struct frontier *f, uint32_t node)
{
    return (struct layer_row){.forward_ns = f->sums->forward[node],
                              .backward_ns = f->sums->backward[node],
                              .tc_ns = f->sums->tc[node],
                              .judged_ns = f->sums->judged[node]};
}

// Adds a row for a node directly below the node of `rest`, and subtracts it from `rest`.
static void frontier_add_child(struct frontier *f, uint32_t node, struct layer_row *rest)
{
    struct layer_row amount = node_amount(f, node);
    size_t first_new = f->count;
    rest->forward_ns -= amount.forward_ns;
    rest->backward_ns -= amount.backward_ns;
    rest->tc_ns -= amount.tc_ns;
    rest->judged_ns -= amount.judged_ns;
    frontier_add(f, node, node_name(f, node), amount);
    // A part of a layer is shown with the name of the layer.
    if (f->count > first_new && f->tree->kind[rest->rest_of] == NODE_LAYER)
        prefix_outer_name(f, &f->rows[first_new]);
}

// Replaces row i by its remainder.
static void frontier_rest(struct frontier *f, size_t i, struct layer_row rest)
{
    const char *name = f->rows[i].node == ROW_NONE ? f->rows[i].name
                       : f->rows[i].node == 0
                           ? "everything else"
                           : arena_format(f->arena, "rest of %s", f->rows[i].name);
    struct layer_row moved = f->rows[--f->count];
    if (i < f->count)
        f->rows[i] = moved;
    frontier_add(f, ROW_NONE, name, rest);
}

// Opens row i: replaces it by the layers and ranges directly below its node and a remainder.
// Returns false if there are none.
static bool frontier_open(struct frontier *f, size_t i)
{
    uint32_t node = f->rows[i].node;
    struct layer_row rest = f->rows[i];
    rest.rest_of = node;
    size_t first_new = f->count;
    if (!is_layer_or_range(f->tree, node))
        return false;
    for (uint32_t n = node + 1; n < f->tree->subtree_end[node]; n = f->tree->subtree_end[n])
        if (is_layer_or_range(f->tree, n))
            frontier_add_child(f, n, &rest);
    if (f->count == first_new)
        return false;
    frontier_rest(f, i, rest);
    return true;
}

// Gives each op of at least `least_ns` a row. Row i is a layer or range, or the remainder of one.
static void open_ops(struct frontier *f, size_t i, int64_t least_ns)
{
    struct layer_row rest = f->rows[i];
    uint32_t node = rest.node == ROW_NONE ? rest.rest_of : rest.node;
    size_t first_new = f->count;
    rest.rest_of = node;
    for (uint32_t n = node + 1; n < f->tree->subtree_end[node]; n = f->tree->subtree_end[n]) {
        struct layer_row amount = node_amount(f, n);
        if (!is_layer_or_range(f->tree, n) && row_total(&amount) >= least_ns)
            frontier_add_child(f, n, &rest);
    }
    if (f->count > first_new)
        frontier_rest(f, i, rest);
}

static void open_large_rows(struct frontier *f)
{
    int64_t computing_ns = f->sums->forward[0] + f->sums->backward[0];
    for (size_t i = f->count; i-- > 0;) { // backwards, since rows are appended after row i
        const struct layer_row *row = &f->rows[i];
        uint32_t node = row->node == ROW_NONE ? row->rest_of : row->node;
        if (node != ROW_NONE && is_layer_or_range(f->tree, node) &&
            row_total(row) > computing_ns / 100 * OPS_PERCENT)
            open_ops(f, i, computing_ns / 100 * OPEN_PERCENT);
    }
}

// Returns the largest row that can still be opened, or SIZE_MAX.
static size_t frontier_largest(const struct frontier *f)
{
    size_t largest = SIZE_MAX;
    for (size_t i = 0; i < f->count; i++)
        if (f->rows[i].node != ROW_NONE && !f->rows[i].is_closed &&
            (largest == SIZE_MAX || row_total(&f->rows[i]) > row_total(&f->rows[largest])))
            largest = i;
    return largest;
}

static int compare_rows(const void *a, const void *b)
{
    int64_t x = row_total(a), y = row_total(b);
    return x != y
               ? (x < y) - (x > y)
               : strcmp(((const struct layer_row *)a)->name, ((const struct layer_row *)b)->name);
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (!profile->tree)
        return (struct rows){.empty = "The op tree is not there yet: ranges are being read."};
    struct layer_sums sums = {0};
    sums_build(profile, selection, &sums, arena);
    struct frontier f = {.profile = profile,
                         .tree = selection_tree(profile, selection),
                         .sums = &sums,
                         .arena = arena};
    uint32_t root = selection->node == ROW_NONE ? 0 : selection->node;
    frontier_add(&f, root, profile_text(profile, f.tree->name[root]), node_amount(&f, root));
    for (size_t i; f.rows && f.count < MAX_ROWS && (i = frontier_largest(&f)) != SIZE_MAX;) {
        bool is_small = row_total(&f.rows[i]) < sums.busy_ns / 100 * OPEN_PERCENT;
        if (is_small && f.rows[i].node != root)
            break;
        if (!frontier_open(&f, i))
            f.rows[i].is_closed = true;
    }
    open_large_rows(&f);
    sums.comm.top = sums.comm.rest_of = sums.copies.top = sums.copies.rest_of = ROW_NONE;
    sums.comm.judged_ns = sums.comm.forward_ns; // none of it can use Tensor Cores
    sums.copies.judged_ns = sums.copies.forward_ns;
    frontier_add(&f, ROW_NONE, comm_name, sums.comm);
    frontier_add(&f, ROW_NONE, copies_name, sums.copies);
    names_make_unique(&f);
    if (f.rows)
        qsort(f.rows, f.count, sizeof *f.rows, compare_rows);
    return (struct rows){
        .items = f.rows,
        .count = f.count,
        .empty = f.count ? NULL : work_empty_text(profile),
    };
}

static uint64_t row_id(const void *row)
{
    enum { REST = 1, COMM, COPIES }; // tags above the node ids, which are below 2^32
    const struct layer_row *r = row;
    if (r->node != ROW_NONE)
        return r->node;
    if (r->rest_of != ROW_NONE)
        return (uint64_t)REST << 32 | r->rest_of;
    return (uint64_t)(r->name == comm_name ? COMM : COPIES) << 32;
}

const char *exposed_row_filter(const void *row)
{
    const struct layer_row *r = row;
    return r->name == comm_name ? "class:comm" : r->name == copies_name ? "class:copy" : NULL;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    const struct layer_row *r = row;
    if (r->node == ROW_NONE)
        return NULL;
    selection->node = r->node;
    selection->with_backward = true; // so that the kernels add up to the row
    return "kernels";
}

const struct report report_layers = {
    .name = "layers",
    .title = "Where GPU time goes",
    .doc = "The layers, ranges and kinds of work that cost most GPU time, in about a dozen rows "
           "that add up to the GPU busy time, ops where one place is most of it; backward work "
           "counts to its forward layer.",
    .row_size = sizeof(struct layer_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .build = build,
    .id = row_id,
    .comparison_report = &report_costs,
    .narrow = row_narrow,
};
