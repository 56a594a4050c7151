// SPDX-License-Identifier: Apache-2.0
// Shows which nodes of the op tree use Tensor Cores, which could but do not, and why, by the
// exclusive time of their compute kernels. All nodes that are no candidates share one row, so that
// the rows add up to the summary's kernel time.
//
// Where kernels overlap, the summary counts an instant as Tensor Core time if any of them uses
// Tensor Cores. Here each instant belongs to the kernel that began first, so that it has one node.
//
// The leader of a row is the kernel that its columns `why` and `kernel` are about: among the
// kernels with the most telling use (use_leads()), the one with the most time.
#include <string.h>

#include "analysis/breakdown/tensor_cores.h"
#include "analysis/report/report.h"
#include "analysis/report/stats.h"
#include "analysis/sums/work_text.h"
#include "base/id_map.h"
#include "base/sort.h"
#include "base/text/format.h"
#include "model/ops/ops.h"

struct tensor_core_row {
    const struct profile *profile;
    // place: path of the node; known_place: path in another profile, NULL if it is the same
    const char *place, *known_place;
    uint32_t node;               // ROW_NONE for the row of all nodes that are no candidates
    int64_t use_ns[TENSOR_USES]; // exclusive time
    int64_t gpu_ns, all_ns;      // gpu_ns: sum of durations; all_ns: exclusive time of all rows
    uint32_t launches;
    bool uses[TENSOR_USES];     // true if any kernel has this use, even one with no exclusive time
    uint32_t leader;            // first launch of the leader, or ROW_NONE
    enum tensor_use leader_use; // its use
    const char *why, *shapes;   // why: NULL if the leader needs no reason; shapes: NULL if unknown
};

static const struct tensor_core_row *row_of(const void *row)
{
    return row;
}

// Returns the last two names of the path, "mlp > aten::linear", since the outer ones are the same
// in most rows.
static struct value get_op(const void *row)
{
    const char *place = row_of(row)->place, *at = place + strlen(place);
    for (int names = 0; at > place; at--)
        if (at[-1] == ' ' && strncmp(at - 1, " > ", 3) == 0 && ++names == 2)
            return value_text(at + 2);
    return value_text(place);
}

static struct value get_place(const void *row)
{
    return value_text(row_of(row)->place);
}

static struct value get_tc(const void *row)
{
    const bool *uses = row_of(row)->uses;
    if (uses[TENSOR_POSSIBLE])
        return value_state(STATE_NO);
    return value_state(uses[TENSOR_UNKNOWN] ? STATE_UNKNOWN
                       : uses[TENSOR_USED]  ? STATE_YES
                                            : STATE_NO);
}

static struct value get_could(const void *row)
{
    return value_integer(row_of(row)->use_ns[TENSOR_POSSIBLE]);
}

static struct value get_with(const void *row)
{
    return value_integer(row_of(row)->use_ns[TENSOR_USED]);
}

static struct value get_unknown(const void *row)
{
    return value_integer(row_of(row)->use_ns[TENSOR_UNKNOWN]);
}

static struct value get_other(const void *row)
{
    return value_integer(row_of(row)->use_ns[TENSOR_NO_CANDIDATE]);
}

static int64_t row_ns(const struct tensor_core_row *row)
{
    int64_t sum = 0;
    for (int use = 0; use < TENSOR_USES; use++)
        sum += row->use_ns[use];
    return sum;
}

static struct value get_exclusive(const void *row)
{
    return value_integer(row_ns(row));
}

static struct value get_share(const void *row)
{
    return value_share(row_of(row)->use_ns[TENSOR_POSSIBLE], row_of(row)->all_ns);
}

static struct value get_gpu(const void *row)
{
    return value_integer(row_of(row)->gpu_ns);
}

static struct value get_launches(const void *row)
{
    return value_integer(row_of(row)->launches);
}

static struct value get_type(const void *row)
{
    uint32_t leader = row_of(row)->leader;
    const struct op *op = leader == ROW_NONE ? NULL : tensor_op_of(row_of(row)->profile, leader);
    return op && op->data_type != STRING_NONE
               ? value_text(profile_text(row_of(row)->profile, op->data_type))
               : value_none();
}

static struct value get_why(const void *row)
{
    return value_text(row_of(row)->why);
}

static struct value get_kernel(const void *row)
{
    const struct profile *profile = row_of(row)->profile;
    uint32_t leader = row_of(row)->leader;
    return leader == ROW_NONE
               ? value_none()
               : value_text(profile_text(
                     profile, profile->functions[AT(profile->work.function, leader)].family));
}

static struct value get_shapes(const void *row)
{
    return value_text(row_of(row)->shapes);
}

static struct value get_line(const void *row)
{
    uint32_t leader = row_of(row)->leader;
    return value_text(
        leader == ROW_NONE
            ? NULL
            : call_place(row_of(row)->profile, AT(row_of(row)->profile->work.launch, leader)));
}

static const struct column columns[] = {
    {"could", "Could, Does Not (ns)", "could", UNIT_NS, get_could,
     "Exclusive time of matrix products that run in FP32 without Tensor Cores on a GPU that has "
     "them: what the fp32_gemm check is of.",
     COLUMN_SUM},
    {"share", "Could, of Kernel Time (%)", "%kern", UNIT_PERCENT, get_share,
     "That over the exclusive time of all compute kernels.", 0},
    {"tc", "Uses TC", "TC", UNIT_STATE, get_tc,
     "No where anything could use them and does not, or nothing does; unknown where names do not "
     "tell.",
     0},
    {"op", "Op", "op", UNIT_TEXT, get_op,
     "The op and the layer that it is in, its backward work included. What is no candidate is one "
     "row.",
     COLUMN_NAME},
    {"why", "Why Not", "why not", UNIT_TEXT, get_why,
     "Of the kernel with the most time that could use them (else: of which nobody knows, else of "
     "the op): float32 or an FP32 kernel by its name, so neither autocast nor TF32 is on; a 16-bit "
     "op with a size that is no multiple of 8, or with an FP32 kernel all the same; a product that "
     "waits for memory (a size of 32 at most); no kernel that is a matrix product by its name; "
     "unknown, where the kernel's name does not tell or what the GPU has is not known.",
     0},
    {"with", "With Tensor Cores (ns)", "with TC", UNIT_NS, get_with,
     "Exclusive time of kernels that use them, by their full names and kernels.yaml. Where other "
     "kernels run beside them the summary's Tensor Core time is longer: it counts all that they "
     "run, here an instant is of the kernel that began first.",
     COLUMN_SUM},
    {"unknown", "Not Known (ns)", "unknown", UNIT_NS, get_unknown,
     "Exclusive time of kernels whose names do not tell, and of FP32 products where it is not "
     "known whether the GPU has Tensor Cores.",
     COLUMN_SUM},
    {"type", "Data Type", "type", UNIT_TEXT, get_type,
     "Of the op's first tensor, as its marker tells it; unknown without such markers.", 0},
    {"other", "No Candidate (ns)", "other", UNIT_NS, get_other,
     "Exclusive time of its other compute kernels: no matrix products, or such as wait for memory.",
     COLUMN_SUM | COLUMN_WIDE},
    {"exclusive", "Exclusive Kernel Time (ns)", "kernels", UNIT_NS, get_exclusive,
     "The four together: instants in which these kernels alone keep their GPU from being idle.",
     COLUMN_SUM | COLUMN_WIDE},
    {"kernel", "Kernel", "kernel", UNIT_TEXT, get_kernel, "Family of the kernel meant by that.",
     COLUMN_WIDE},
    {"launches", "Launches", "launches", UNIT_COUNT, get_launches, "Compute kernels that ran.",
     COLUMN_SUM | COLUMN_WIDE},
    {"gpu_total", "Total GPU Time (ns)", "GPU", UNIT_NS, get_gpu,
     "Sum of their durations; overlap counts twice.", COLUMN_SUM | COLUMN_DETAIL},
    {"shapes", "Input Shapes", "shapes", UNIT_TEXT, get_shapes,
     "Of that kernel's op, as its marker tells them.", COLUMN_DETAIL},
    {"source_line", "Source Line", "line", UNIT_TEXT, get_line,
     "Line of the program that launched it, as in the launches report.", COLUMN_DETAIL},
    {"place", "Place", "place", UNIT_TEXT, get_place,
     "Its place in the op tree: names from the root.", COLUMN_DETAIL},
};

// ---- building -----------------------------------------------------------------------------------

struct tensor_leader { // the launches of one function at one node
    int64_t ns;
    uint32_t work; // the first launch
};

struct tensor_cores_builder {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    struct tensor_judge judge;
    // by node: the outermost op of its layer that contains it, or the node itself
    uint32_t *op_of_node;
    uint32_t *row_of_node; // row + 1
    struct tensor_core_row *rows;
    size_t count, capacity;
    struct id_map leaders; // (row, function, use) -> index of leader_items + 1
    size_t leader_count, leader_capacity;
    struct tensor_leader *leader_items;
};

static struct tensor_core_row *row_find(struct tensor_cores_builder *builder, uint32_t node)
{
    uint32_t *slot = &builder->row_of_node[node];
    if (!*slot) {
        ARENA_PUSH(builder->arena, builder->rows, builder->count, builder->capacity) =
            (struct tensor_core_row){.profile = builder->profile,
                                     .node = node,
                                     .leader = ROW_NONE,
                                     .leader_use = TENSOR_NO_CANDIDATE};
        *slot = (uint32_t)builder->count;
    }
    return &builder->rows[*slot - 1];
}

// Returns true if use `a` is more telling than `b`, so that a row explains it rather than `b`.
static bool use_leads(enum tensor_use a, enum tensor_use b)
{
    static const int ranks[TENSOR_USES] = {
        [TENSOR_NO_CANDIDATE] = 0, [TENSOR_USED] = 1, [TENSOR_UNKNOWN] = 2, [TENSOR_POSSIBLE] = 3};
    return ranks[a] > ranks[b];
}

static void leader_add(struct tensor_cores_builder *builder, uint32_t row, uint32_t work,
                       enum tensor_use use, int64_t ns)
{
    uint32_t function = AT(builder->profile->work.function, work);
    uint32_t *slot = id_map_slot(&builder->leaders, (struct id_key){row, function, use});
    if (!*slot) {
        ARENA_PUSH(builder->arena, builder->leader_items, builder->leader_count,
                   builder->leader_capacity) = (struct tensor_leader){0, work};
        *slot = (uint32_t)builder->leader_count;
    }
    builder->leader_items[*slot - 1].ns += ns;
}

// Returns, by node, the outermost op of its layer. Parents precede their children, so one pass is
// enough at any depth.
static uint32_t *outermost_ops(const struct op_tree *tree, struct arena *arena)
{
    uint32_t *op_of_node = ARENA_ARRAY(arena, uint32_t, (size_t)tree->count + 1);
    for (uint32_t n = 0; n < tree->count; n++) {
        uint32_t parent = tree->parent[n];
        bool is_inner =
            tree->kind[n] == NODE_OP && parent != ROW_NONE && tree->kind[parent] == NODE_OP;
        op_of_node[n] = is_inner ? op_of_node[parent] : n;
    }
    return op_of_node;
}

// Returns the node that the work is counted for: inner ops count for the outermost op around them.
static uint32_t op_node(const struct tensor_cores_builder *builder, uint32_t work)
{
    return builder->op_of_node[selection_layer_node(builder->profile, builder->selection, work)];
}

static void add_work(struct tensor_cores_builder *builder, uint32_t work)
{
    const struct profile *profile = builder->profile;
    enum tensor_use use = tensor_use_of(&builder->judge, work);
    struct tensor_core_row *row = row_find(builder, op_node(builder, work));
    int64_t ns = AT(profile->work.exclusive, work);
    row->use_ns[use] += ns;
    row->uses[use] = true;
    sum_add(&row->gpu_ns, work_duration(profile, work));
    row->launches++;
    if (use != TENSOR_NO_CANDIDATE || tensor_op_is_eligible(profile, work))
        leader_add(builder, (uint32_t)(row - builder->rows), work, use, ns);
}

static void find_leaders(struct tensor_cores_builder *builder)
{
    int64_t *leader_ns = ARENA_ARRAY(builder->arena, int64_t, builder->count + 1);
    for (uint32_t i = 0; i < builder->leader_count; i++) {
        const struct tensor_leader *leader = &builder->leader_items[i];
        enum tensor_use use = tensor_use_of(&builder->judge, leader->work);
        uint32_t row_index = builder->row_of_node[op_node(builder, leader->work)] - 1;
        struct tensor_core_row *row = &builder->rows[row_index];
        bool is_first = row->leader == ROW_NONE || use_leads(use, row->leader_use);
        if (!is_first && (use_leads(row->leader_use, use) || leader->ns <= leader_ns[row_index]))
            continue;
        row->leader = leader->work;
        row->leader_use = use;
        leader_ns[row_index] = leader->ns;
    }
}

// ---- rows ---------------------------------------------------------------------------------------

static int compare_rows(const void *context, uint32_t a, uint32_t b)
{
    const struct tensor_core_row *rows = context;
    int64_t x = row_ns(&rows[a]), y = row_ns(&rows[b]);
    return (x < y) - (x > y);
}

// Sorts the rows with a leader by time and merges the others into one. Returns the number of rows.
static size_t rows_finish(struct tensor_cores_builder *builder, struct tensor_core_row *rows)
{
    const struct op_tree *tree = selection_tree(builder->profile, builder->selection);
    struct tensor_core_row others = {.profile = builder->profile,
                                     .place = "(no candidates)",
                                     .node = ROW_NONE,
                                     .leader = ROW_NONE};
    uint32_t *order = ARENA_ARRAY(builder->arena, uint32_t, builder->count + 1);
    for (uint32_t i = 0; i < builder->count; i++)
        order[i] = i;
    sort_ids(order, builder->count, compare_rows, builder->rows, builder->arena);
    size_t count = 0;
    for (size_t i = 0; i < builder->count; i++) {
        struct tensor_core_row *row = &builder->rows[order[i]];
        if (row->leader == ROW_NONE) {
            others.use_ns[TENSOR_NO_CANDIDATE] += row->use_ns[TENSOR_NO_CANDIDATE];
            others.uses[TENSOR_NO_CANDIDATE] = true;
            sum_add(&others.gpu_ns, row->gpu_ns);
            others.launches += row->launches;
            continue;
        }
        uint32_t marker = tensor_marker_of(builder->profile, row->leader);
        row->place = node_path_text(builder->profile, tree, row->node, builder->arena);
        row->known_place = node_path_in_step(builder->profile, tree, row->node, row->place);
        row->why = tensor_reason_not_used(builder->profile, row->leader, row->leader_use);
        if (marker != ROW_NONE)
            row->shapes = op_shape_text(builder->profile, marker, SHAPE_INPUT, builder->arena);
        row->shapes = row->shapes && *row->shapes ? row->shapes : NULL;
        rows[count++] = *row;
    }
    if (others.launches)
        rows[count++] = others;
    return count;
}

static const char *caption_of(const struct tensor_judge *judge, const int64_t use_ns[TENSOR_USES],
                              int64_t all_ns, struct arena *arena)
{
    bool has_none = true;
    for (uint32_t d = 0; d < judge->profile->device_count; d++)
        has_none &= !judge->profile->devices[d].has_work || judge->device_has[d] == STATE_NO;
    if (has_none)
        return "Tensor Cores: no GPU that ran anything has them";
    char with[FORMAT_SIZE], could[FORMAT_SIZE], unknown[FORMAT_SIZE];
    double all = all_ns > 0 ? (double)all_ns : 1;
    return arena_format(arena,
                        "Tensor Cores: %s%% of kernel time uses them, %s%% could, %s%% not known",
                        format_percent(with, (double)use_ns[TENSOR_USED] / all),
                        format_percent(could, (double)use_ns[TENSOR_POSSIBLE] / all),
                        format_percent(unknown, (double)use_ns[TENSOR_UNKNOWN] / all));
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (profile->stage < STAGE_READY || profile->work.count == 0)
        return (struct rows){.empty = work_empty_text(profile)};
    const struct op_tree *tree = selection_tree(profile, selection);
    struct tensor_cores_builder builder = {
        .profile = profile,
        .selection = selection,
        .arena = arena,
        .judge = tensor_judge_init(profile, arena),
        .op_of_node = outermost_ops(tree, arena),
        .row_of_node = ARENA_ARRAY(arena, uint32_t, (size_t)tree->count + 1),
        .leaders = {.arena = arena},
    };
    for (uint32_t w = 0; w < profile->work.count; w++)
        if (profile->functions[AT(profile->work.function, w)].class == CLASS_COMPUTE &&
            selection_has_work(profile, selection, w))
            add_work(&builder, w);
    if (builder.count == 0)
        return (struct rows){.empty = "No compute kernel is in what is selected."};
    find_leaders(&builder);
    struct tensor_core_row *rows = ARENA_ARRAY(arena, struct tensor_core_row, builder.count + 1);
    size_t count = rows_finish(&builder, rows);
    int64_t use_ns[TENSOR_USES] = {0}, all_ns = 0;
    for (size_t i = 0; i < count; i++)
        for (int use = 0; use < TENSOR_USES; use++)
            use_ns[use] += rows[i].use_ns[use];
    for (int use = 0; use < TENSOR_USES; use++)
        all_ns += use_ns[use];
    for (size_t i = 0; i < count; i++)
        rows[i].all_ns = all_ns;
    return (struct rows){.items = rows,
                         .count = count,
                         .caption = caption_of(&builder.judge, use_ns, all_ns, arena)};
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->node;
}

static struct row_match row_match(const void *row)
{
    const struct tensor_core_row *r = row;
    return (struct row_match){{r->known_place ? r->known_place : r->place}};
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    if (row_of(row)->node == ROW_NONE)
        return NULL;
    selection->node = row_of(row)->node;
    selection->with_backward = true;
    return "kernels";
}

const struct report report_tensor_cores = {
    .name = "tensor_cores",
    .title = "Who uses Tensor Cores",
    .doc = "Ops and layers by the exclusive time of kernels that could use Tensor Cores and do "
           "not, with the reason, beside what uses them and what is not known.",
    .row_size = sizeof(struct tensor_core_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .build = build,
    .sort = "-could",
    .id = row_id,
    .match = row_match,
    .narrow = row_narrow,
};
