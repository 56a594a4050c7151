// SPDX-License-Identifier: Apache-2.0
// Who uses Tensor Cores, who could and does not, and why: places of the op tree by the exclusive
// time of their compute kernels. What is no candidate is one row, so that rows add up to the
// summary's kernel time. Where kernels run beside each other the summary gives Tensor Cores what any
// of them uses; here each instant is of the kernel that began first, so that it has one place.
#include <string.h>

#include "analysis/breakdown/tensor_cores.h"
#include "analysis/report/stats.h"
#include "analysis/reports/report_list.h"
#include "analysis/sums/work_text.h"
#include "base/format.h"
#include "base/id_map.h"
#include "base/sort.h"
#include "model/ops/ops.h"

struct tensor_row {
    const struct profile *profile;
    const char *place, *known_place; // known_place: in another profile; NULL: the same
    uint32_t node;                   // ROW_NONE: all that is no candidate
    int64_t use_ns[TENSOR_USES];     // exclusive
    int64_t gpu_ns, all_ns;          // sum of durations; exclusive time of all rows
    uint32_t launches;
    bool uses[TENSOR_USES]; // whether any kernel is such, also one that is never alone
    uint32_t leader; // the work that stands for the kernel with the most time of what `why` is of
    enum tensor_use leads;
    const char *why, *shapes; // NULL: nothing to say; not known
};

static const struct tensor_row *row_of(const void *row)
{
    return row;
}

// "mlp > aten::linear": what is further up is the same of most rows.
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
    if (uses[TENSOR_COULD])
        return value_state(STATE_NO);
    return value_state(uses[TENSOR_UNKNOWN] ? STATE_UNKNOWN
                       : uses[TENSOR_WITH]  ? STATE_YES
                                            : STATE_NO);
}

static struct value get_could(const void *row)
{
    return value_integer(row_of(row)->use_ns[TENSOR_COULD]);
}

static struct value get_with(const void *row)
{
    return value_integer(row_of(row)->use_ns[TENSOR_WITH]);
}

static struct value get_unknown(const void *row)
{
    return value_integer(row_of(row)->use_ns[TENSOR_UNKNOWN]);
}

static struct value get_other(const void *row)
{
    return value_integer(row_of(row)->use_ns[TENSOR_NOT]);
}

static int64_t row_ns(const struct tensor_row *row)
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
    return value_share(row_of(row)->use_ns[TENSOR_COULD], row_of(row)->all_ns);
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

// ---- building ----------------------------------------------------------------------------------

struct tensor_leader { // time of one kernel at one place
    int64_t ns;
    uint32_t work; // its first one
};

struct building {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    struct tensor_judge judge;
    uint32_t *op_of_node;  // the outermost op of its layer around a node; itself: there is none
    uint32_t *row_of_node; // + 1
    struct tensor_row *rows;
    size_t count, capacity;
    struct id_map leaders; // by (row, function, use)
    size_t leader_count, leader_capacity;
    struct tensor_leader *leader_items;
};

static struct tensor_row *row_find(struct building *building, uint32_t node)
{
    uint32_t *slot = &building->row_of_node[node];
    if (!*slot) {
        ARENA_PUSH(building->arena, building->rows, building->count,
                   building->capacity) = (struct tensor_row){
            .profile = building->profile, .node = node, .leader = ROW_NONE, .leads = TENSOR_NOT};
        *slot = (uint32_t)building->count;
    }
    return &building->rows[*slot - 1];
}

// Whether a row tells more about `a` than about `b`.
static bool use_leads(enum tensor_use a, enum tensor_use b)
{
    static const int ranks[TENSOR_USES] = {
        [TENSOR_NOT] = 0, [TENSOR_WITH] = 1, [TENSOR_UNKNOWN] = 2, [TENSOR_COULD] = 3};
    return ranks[a] > ranks[b];
}

static void leader_add(struct building *building, uint32_t row, uint32_t work, enum tensor_use use,
                       int64_t ns)
{
    uint32_t function = AT(building->profile->work.function, work);
    uint32_t *slot = id_map_slot(&building->leaders, (struct id_key){row, function, use});
    if (!*slot) {
        ARENA_PUSH(building->arena, building->leader_items, building->leader_count,
                   building->leader_capacity) = (struct tensor_leader){0, work};
        *slot = (uint32_t)building->leader_count;
    }
    building->leader_items[*slot - 1].ns += ns;
}

// Parents come before their children, however deep these lie.
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

// What linear calls inside counts to it.
static uint32_t op_node(const struct building *building, uint32_t work)
{
    return building->op_of_node[selection_layer_node(building->profile, building->selection, work)];
}

static void add_work(struct building *building, uint32_t work)
{
    const struct profile *profile = building->profile;
    enum tensor_use use = tensor_use_of(&building->judge, work);
    struct tensor_row *row = row_find(building, op_node(building, work));
    int64_t ns = AT(profile->work.exclusive, work);
    row->use_ns[use] += ns;
    row->uses[use] = true;
    sum_add(&row->gpu_ns, work_duration(profile, work));
    row->launches++;
    if (use != TENSOR_NOT || tensor_op_is_eligible(profile, work))
        leader_add(building, (uint32_t)(row - building->rows), work, use, ns);
}

static void find_leaders(struct building *building)
{
    int64_t *most = ARENA_ARRAY(building->arena, int64_t, building->count + 1);
    for (uint32_t i = 0; i < building->leader_count; i++) {
        const struct tensor_leader *leader = &building->leader_items[i];
        enum tensor_use use = tensor_use_of(&building->judge, leader->work);
        uint32_t at = building->row_of_node[op_node(building, leader->work)] - 1;
        struct tensor_row *row = &building->rows[at];
        bool is_first = row->leader == ROW_NONE || use_leads(use, row->leads);
        if (!is_first && (use_leads(row->leads, use) || leader->ns <= most[at]))
            continue;
        row->leader = leader->work;
        row->leads = use;
        most[at] = leader->ns;
    }
}

// ---- rows --------------------------------------------------------------------------------------

static int compare_rows(const void *context, uint32_t a, uint32_t b)
{
    const struct tensor_row *rows = context;
    int64_t x = row_ns(&rows[a]), y = row_ns(&rows[b]);
    return (x < y) - (x > y);
}

// The places that anything can be said of, by time, and the rest as one.
static size_t rows_finish(struct building *building, struct tensor_row *rows)
{
    const struct op_tree *tree = selection_tree(building->profile, building->selection);
    struct tensor_row rest = {.profile = building->profile,
                              .place = "(no candidates)",
                              .node = ROW_NONE,
                              .leader = ROW_NONE};
    uint32_t *order = ARENA_ARRAY(building->arena, uint32_t, building->count + 1);
    for (uint32_t i = 0; i < building->count; i++)
        order[i] = i;
    sort_ids(order, building->count, compare_rows, building->rows, building->arena);
    size_t count = 0;
    for (size_t i = 0; i < building->count; i++) {
        struct tensor_row *row = &building->rows[order[i]];
        if (row->leader == ROW_NONE) {
            rest.use_ns[TENSOR_NOT] += row->use_ns[TENSOR_NOT];
            rest.uses[TENSOR_NOT] = true;
            sum_add(&rest.gpu_ns, row->gpu_ns);
            rest.launches += row->launches;
            continue;
        }
        uint32_t marker = tensor_marker_of(building->profile, row->leader);
        row->place = node_path_text(building->profile, tree, row->node, building->arena);
        row->known_place = node_path_in_step(building->profile, tree, row->node, row->place);
        row->why = tensor_why_not(building->profile, row->leader, row->leads);
        if (marker != ROW_NONE)
            row->shapes = op_shape_text(building->profile, marker, SHAPE_INPUT, building->arena);
        row->shapes = row->shapes && *row->shapes ? row->shapes : NULL;
        rows[count++] = *row;
    }
    if (rest.launches)
        rows[count++] = rest;
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
                        format_percent(with, (double)use_ns[TENSOR_WITH] / all),
                        format_percent(could, (double)use_ns[TENSOR_COULD] / all),
                        format_percent(unknown, (double)use_ns[TENSOR_UNKNOWN] / all));
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (profile->stage < STAGE_READY || profile->work.count == 0)
        return (struct rows){.empty = work_empty_text(profile)};
    const struct op_tree *tree = selection_tree(profile, selection);
    struct building building = {
        .profile = profile,
        .selection = selection,
        .arena = arena,
        .judge = tensor_judge_open(profile, arena),
        .op_of_node = outermost_ops(tree, arena),
        .row_of_node = ARENA_ARRAY(arena, uint32_t, (size_t)tree->count + 1),
        .leaders = {.arena = arena},
    };
    for (uint32_t w = 0; w < profile->work.count; w++)
        if (profile->functions[AT(profile->work.function, w)].class == CLASS_COMPUTE &&
            selection_has_work(profile, selection, w))
            add_work(&building, w);
    if (building.count == 0)
        return (struct rows){.empty = "No compute kernel is in what is selected."};
    find_leaders(&building);
    struct tensor_row *rows = ARENA_ARRAY(arena, struct tensor_row, building.count + 1);
    size_t count = rows_finish(&building, rows);
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
                         .caption = caption_of(&building.judge, use_ns, all_ns, arena)};
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->node;
}

static struct row_match row_match(const void *row)
{
    const struct tensor_row *r = row;
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
    .row_size = sizeof(struct tensor_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .build = build,
    .sort = "-could",
    .id = row_id,
    .match = row_match,
    .narrow = row_narrow,
};
