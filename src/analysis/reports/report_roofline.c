// SPDX-License-Identifier: Apache-2.0
// Compares the FLOPs and bytes of the kernels of each layer, kernel name, op or op type with the
// limits of their GPU. Kernels without known FLOPs and bytes have no ideal time; the coverage is
// the share of time with one.
#include <stdlib.h>
#include <string.h>

#include "analysis/op_runs/roofline.h"
#include "analysis/report/report.h"
#include "analysis/sums/selected_work.h"
#include "analysis/sums/work_text.h"
#include "base/id_map.h"
#include "model/markers/markers.h"
#include "model/ops/ops.h"
#include "model/profile/recorder.h"

struct roofline_row {
    const char *name;
    uint32_t key; // the group: a node, a row of ops, or a string id
    // true if layers below it have their own rows; no selection then has the kernels of this row
    // only
    bool has_inner_layers;
    struct roofline sums;
};

static const struct roofline_row *row_of(const void *row)
{
    return row;
}

static struct value get_name(const void *row)
{
    return value_text(row_of(row)->name);
}

static const struct roofline *sums_of(const void *row)
{
    return &row_of(row)->sums;
}

static struct value get_exclusive(const void *row)
{
    return value_integer(sums_of(row)->exclusive_ns);
}

static struct value get_sum(const void *row)
{
    return value_integer(sums_of(row)->sum_ns);
}

static struct value get_kernels(const void *row)
{
    return value_integer(sums_of(row)->kernels);
}

static struct value get_coverage(const void *row)
{
    return value_share(sums_of(row)->known_ns, sums_of(row)->sum_ns);
}

static struct value get_flops(const void *row)
{
    return sums_of(row)->told ? op_figure_value(sums_of(row)->flops) : value_none();
}

static struct value get_bytes(const void *row)
{
    return sums_of(row)->told ? op_figure_value(sums_of(row)->bytes) : value_none();
}

static struct value get_flop_rate(const void *row) // in TFLOP/s: 1e12 per second is 1e3 per ns
{
    const struct roofline *r = sums_of(row);
    return r->known_ns ? value_real(r->known_flops / (double)r->known_ns / 1e3) : value_none();
}

static struct value get_byte_rate(const void *row)
{
    const struct roofline *r = sums_of(row);
    return r->known_ns ? value_real(r->known_bytes / (double)r->known_ns * 1e9) : value_none();
}

static struct value get_intensity(const void *row)
{
    const struct roofline *r = sums_of(row);
    return r->known_bytes > 0 ? value_real(r->known_flops / r->known_bytes) : value_none();
}

static struct value get_ideal(const void *row)
{
    return sums_of(row)->known_ns ? value_integer(sums_of(row)->ideal_ns) : value_none();
}

static struct value get_lower(const void *row) // unknown unless 16 bit lowers the ideal
{
    const struct roofline *r = sums_of(row);
    return r->lower_ns < r->ideal_ns ? value_integer(r->lower_ns) : value_none();
}

static struct value get_above(const void *row)
{
    return sums_of(row)->known_ns ? value_integer(roofline_excess_ns(sums_of(row))) : value_none();
}

static struct value get_percent(const void *row)
{
    return roofline_limit(sums_of(row)) == LIMIT_NONE
               ? value_none()
               : value_share(sums_of(row)->ideal_ns, sums_of(row)->known_ns);
}

static struct value get_limit(const void *row)
{
    unsigned limit = roofline_limit(sums_of(row));
    return limit == LIMIT_NONE ? value_none() : value_text(roofline_limit_texts[limit]);
}

// divisor of the time with an ideal: less than a twentieth changes no verdict
enum { OVER_DIVISOR = 20 };

static struct value get_note(const void *row)
{
    const struct roofline *r = sums_of(row);
    bool is_over = r->over_ns > r->known_ns / OVER_DIVISOR;
    return value_text(op_figure_note(r->is_tried, r->is_guess, is_over));
}

// clang-format off
#define FIGURES \
    {"above", "Time above Ideal (ns)", "above ideal", UNIT_NS, get_above, \
     "What is gained at most: kernel time less ideal time, of the kernels that have an ideal.", \
     COLUMN_SUM}, \
    {"percent", "Share of the Limit (%)", "%limit", UNIT_PERCENT, get_percent, \
     "Ideal time over kernel time, of the kernels that have an ideal. It goes by what the " \
     "algorithm moves: " \
     "kernels that do more than one op at once may seem at their limit. Of each kernel no more " \
     "than 100: the note " \
     "says over where it would be.", 0}, \
    {"limit", "Limit", "limit", UNIT_TEXT, get_limit, \
     "What most of the ideal time is due to: memory, or compute with the data type whose peak " \
     "is taken (fp64 tc: " \
     "of FP64 on Tensor Cores).", \
     COLUMN_IDENTIFIES}, \
    {"coverage", "Coverage (% of kernel time)", "known", UNIT_PERCENT, get_coverage, \
     "Share of the kernel time in kernels that have an ideal: FLOPs, bytes and what the GPU can " \
     "do at most are " \
     "known.", 0}, \
    {"gpu", "Exclusive GPU Time (ns)", "GPU", UNIT_NS, get_exclusive, \
     "Exclusive GPU time of its kernels, those without an ideal too.", \
     COLUMN_SUM | COLUMN_WIDE | COLUMN_TIMED}, \
    {"sum", "Sum of Kernel Time (ns)", "kernels", UNIT_NS, get_sum, \
     "Durations of its kernels added up, those without an ideal too. Shares and rates here go " \
     "by it.", \
     COLUMN_BAR | COLUMN_SUM}, \
    {"ideal", "Ideal Time (ns)", "ideal", UNIT_NS, get_ideal, \
     "Of each kernel the larger of FLOPs over the GPU's dense peak of the data type and bytes " \
     "over its " \
     "bandwidth, no more than it took (what lies in a cache is faster: the note says over), " \
     "added up. Helping " \
     "kernels have 0.", \
     COLUMN_SUM}, \
    {"ideal_16bit", "Ideal Time in 16 Bit (ns)", "16 bit", UNIT_NS, get_lower, \
     "The ideal time if matrix products, convolutions and attention in FP32 or TF32 were in 16 " \
     "bit. Where there " \
     "is such a figure, being close to the limit is not the end.", COLUMN_SUM | COLUMN_WIDE}, \
    {"flop_rate", "TFLOP/s", "TFLOP/s", UNIT_REAL, get_flop_rate, \
     "FLOPs over kernel time, of the kernels that have an ideal.", COLUMN_WIDE}, \
    {"byte_rate", "Bytes per Second (B/s)", "bytes/s", UNIT_RATE, get_byte_rate, \
     "Bytes over kernel time, of the kernels that have an ideal; bytes are the algorithm's.", \
     COLUMN_WIDE}, \
    {"intensity", "Arithmetic Intensity (FLOPs/B)", "FLOPs/B", UNIT_REAL, get_intensity, \
     "FLOPs over bytes, of the kernels that have an ideal.", COLUMN_WIDE}, \
    {"flops", "FLOPs", "FLOPs", UNIT_COUNT, get_flops, \
     "Those of its kernels, where they are known, as in pyprof.", COLUMN_SUM | COLUMN_DETAIL}, \
    {"bytes", "Bytes", "bytes", UNIT_BYTES, get_bytes, \
     "What its kernels read and write, where that is known, as in pyprof.", \
     COLUMN_SUM | COLUMN_DETAIL}, \
    {"kernels", "Kernels", "count", UNIT_COUNT, get_kernels, "How many kernels.", \
     COLUMN_SUM | COLUMN_DETAIL}, \
    {"note", "Note", "note", UNIT_TEXT, get_note, \
     "guess: an ideal in it rests on what the file does not tell (mostly the data type); tried: " \
     "algorithms were " \
     "tried in it, of which the last has FLOPs and bytes, so that the time of the others lies " \
     "above the ideal; " \
     "over: kernels in it, of more than 5 % of the time, took less than the GPU's memory or " \
     "peaks allow, and their " \
     "ideal time is what they took. Their tensors lay in a cache, or are fewer than the formula " \
     "says: how near " \
     "they are to the limit is not known.", \
     COLUMN_MARK},

static const struct column layer_columns[] = {
    {"layer", "Layer", "layer", UNIT_TEXT, get_name,
     "Innermost layer or range around the ops, names from the root; backward work counts to its "
     "forward's.",
     COLUMN_NAME},
    FIGURES
};
static const struct column kernel_columns[] = {
    {"kernel", "Kernel", "kernel", UNIT_TEXT, get_name, "Name of the kernels, in the form that is "
     "set.",
     COLUMN_NAME},
    FIGURES
};
static const struct column op_columns[] = {
    {"op", "Op", "op", UNIT_TEXT, get_name, "Name of the op, and whether it is its backward.",
     COLUMN_NAME},
    FIGURES
};
static const struct column type_columns[] = {
    {"op_type", "Op Type", "op type", UNIT_TEXT, get_name, "Type of the op.", COLUMN_NAME},
    FIGURES
};
// clang-format on

// ---- groups -------------------------------------------------------------------------------------

struct grouping {
    uint32_t (*key_of)(const struct profile *profile, const struct selection *selection,
                       uint32_t work);
    const char *(*name_of)(const struct profile *profile, const struct selection *selection,
                           uint32_t key, struct arena *arena);
};

static bool is_layer_or_range(const struct op_tree *tree, uint32_t node)
{
    return tree->kind[node] != NODE_OP && tree->kind[node] != NODE_BACKWARD;
}

static uint32_t layer_or_range_of(const struct op_tree *tree, uint32_t node)
{
    while (!is_layer_or_range(tree, node) && tree->parent[node] != ROW_NONE)
        node = tree->parent[node];
    return node;
}

// Returns, by node, whether there is a layer or range below it.
static const bool *nodes_with_layers(const struct op_tree *tree, struct arena *arena)
{
    bool *has = ARENA_ARRAY(arena, bool, tree->count + 1);
    for (uint32_t n = tree->count; n-- > 1;) // children follow their parents
        if (tree->parent[n] != ROW_NONE && (has[n] || is_layer_or_range(tree, n)))
            has[tree->parent[n]] = true;
    return has;
}

static uint32_t layer_of(const struct profile *profile, const struct selection *selection,
                         uint32_t work)
{
    return layer_or_range_of(selection_tree(profile, selection),
                             selection_layer_node(profile, selection, work));
}

static const char *layer_name(const struct profile *profile, const struct selection *selection,
                              uint32_t key, struct arena *arena)
{
    const char *path = node_path_text(profile, selection_tree(profile, selection), key, arena);
    return *path ? path : "(no layer or range)";
}

static uint32_t kernel_of(const struct profile *profile, const struct selection *selection,
                          uint32_t work)
{
    return selection_name(profile, selection, AT(profile->work.function, work));
}

static uint32_t op_of(const struct profile *profile, const struct selection *selection,
                      uint32_t work)
{
    (void)selection;
    return AT(profile->ops->op, AT(profile->work.instance, work));
}

static const char *op_name(const struct profile *profile, const struct selection *selection,
                           uint32_t key, struct arena *arena)
{
    (void)selection;
    const struct op *op = &profile->ops->items[key];
    const char *name = profile_text(profile, op->name);
    return op->direction == DIRECTION_BPROP ? arena_format(arena, "%s (bprop)", name) : name;
}

static uint32_t type_of(const struct profile *profile, const struct selection *selection,
                        uint32_t work)
{
    return profile->ops->items[op_of(profile, selection, work)].type;
}

static const char *text_name(const struct profile *profile, const struct selection *selection,
                             uint32_t key, struct arena *arena)
{
    (void)selection;
    (void)arena;
    return profile_text(profile, key);
}

static const struct grouping by_layer = {layer_of, layer_name}, by_kernel = {kernel_of, text_name},
                             by_op = {op_of, op_name}, by_type = {type_of, text_name};

// ---- rows ---------------------------------------------------------------------------------------

// Sorts by the time above the ideal; rows without an ideal follow, by their time.
static int compare_rows(const void *a, const void *b)
{
    const struct roofline_row *x = a, *y = b;
    int64_t gain_x = x->sums.known_ns ? roofline_excess_ns(&x->sums) : -1;
    int64_t gain_y = y->sums.known_ns ? roofline_excess_ns(&y->sums) : -1;
    int64_t time_x = x->sums.sum_ns, time_y = y->sums.sum_ns;
    if (gain_x != gain_y)
        return (gain_x < gain_y) - (gain_x > gain_y);
    return time_x != time_y ? (time_x < time_y) - (time_x > time_y)
                            : (x->key > y->key) - (x->key < y->key);
}

// Formats the share of the time with an ideal, since nothing is known of the rest.
static const char *caption_of(const struct profile *profile, const struct roofline_row *rows,
                              size_t count, struct arena *arena)
{
    int64_t known_ns = 0, sum_ns = 0, above_ns = 0;
    bool is_any_known = false;
    for (size_t i = 0; i < count; i++) {
        is_any_known |= rows[i].sums.told > 0;
        known_ns += rows[i].sums.known_ns;
        sum_ns += rows[i].sums.sum_ns;
        above_ns += roofline_excess_ns(&rows[i].sums);
    }
    if (known_ns == 0)
        return !markers_have_shapes(profile) ? recorder_lack_text(profile, LACKS_SHAPES)
               : is_any_known ? "no ideal: the GPU's bandwidth or peaks are unknown (gpus.yaml)"
                              : "no ideal: FLOPs and bytes of no kernel are known";
    return arena_format(arena, "%.0f%% of the time has an ideal, %.0f%% of it above",
                        100 * (double)known_ns / (double)sum_ns,
                        100 * (double)above_ns / (double)known_ns);
}

// Builds one row per group. `has_layers` tells, by key, whether there are layers below; may be
// NULL.
static struct rows build(const struct grouping *grouping, const bool *has_layers,
                         const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    struct work_list list = selected_work(profile, selection, arena);
    struct rooflines lines = rooflines_open(profile, selection, arena);
    struct roofline_row *rows = NULL;
    size_t count = 0, capacity = 0;
    struct id_map of_key = {.arena = arena};
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t work = list.rows[i];
        if (profile->functions[AT(profile->work.function, work)].kind != WORK_KERNEL)
            continue;
        uint32_t key = grouping->key_of(profile, selection, work);
        uint32_t *row = id_map_slot(&of_key, (struct id_key){.a = key}); // row + 1, or 0
        if (!*row) {
            ARENA_PUSH(arena, rows, count, capacity) =
                (struct roofline_row){.name = grouping->name_of(profile, selection, key, arena),
                                      .key = key,
                                      .has_inner_layers = has_layers && has_layers[key]};
            *row = (uint32_t)count;
        }
        roofline_add(&lines, &rows[*row - 1].sums, work);
    }
    ARENA_RELEASE(arena, list.rows, profile->work.count + 1);
    if (count == 0)
        return (struct rows){.empty = kernels_empty_text(profile)};
    qsort(rows, count, sizeof *rows, compare_rows);
    return (struct rows){
        .items = rows, .count = count, .caption = caption_of(profile, rows, count, arena)};
}

static struct rows build_layers(const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    if (!profile->tree)
        return (struct rows){.empty = "The op tree is not there yet: ranges are being read."};
    const bool *has_layers = nodes_with_layers(selection_tree(profile, selection), arena);
    return build(&by_layer, has_layers, profile, selection, arena);
}

static struct rows build_kernels(const struct profile *profile, const struct selection *selection,
                                 struct arena *arena)
{
    return build(&by_kernel, NULL, profile, selection, arena);
}

static struct rows build_by_ops(const struct grouping *grouping, const struct profile *profile,
                                const struct selection *selection, struct arena *arena)
{
    if (!profile->ops)
        return (struct rows){.empty = "The ops are not there yet: ranges are being read."};
    return build(grouping, NULL, profile, selection, arena);
}

static struct rows build_ops(const struct profile *profile, const struct selection *selection,
                             struct arena *arena)
{
    return build_by_ops(&by_op, profile, selection, arena);
}

static struct rows build_types(const struct profile *profile, const struct selection *selection,
                               struct arena *arena)
{
    return build_by_ops(&by_type, profile, selection, arena);
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->key;
}

static const char *narrow_layer(const struct profile *profile, const void *row,
                                struct selection *selection)
{
    (void)profile;
    if (row_of(row)->has_inner_layers)
        return NULL;
    selection->node = row_of(row)->key;
    selection->with_backward = true; // so that the kernels add up to the row
    return "pyprof";
}

static const char *narrow_kernel(const struct profile *profile, const void *row,
                                 struct selection *selection)
{
    (void)profile;
    selection->name = row_of(row)->key;
    return "pyprof";
}

static const char *narrow_op(const struct profile *profile, const void *row,
                             struct selection *selection)
{
    (void)profile;
    selection->op = row_of(row)->key;
    return "pyprof";
}

static const char *narrow_type(const struct profile *profile, const void *row,
                               struct selection *selection)
{
    (void)profile;
    selection->op_type = row_of(row)->key;
    return "pyprof";
}

#define ROOFLINE(its_columns)                                                         \
    .row_size = sizeof(struct roofline_row),                                          \
    .column_count = sizeof its_columns / sizeof *its_columns, .columns = its_columns, \
    .is_aggregate = true, .id = row_id

const struct report report_roofline = {
    ROOFLINE(layer_columns),
    .name = "roofline",
    .title = "Layers by time above the ideal",
    .doc = "What to optimise: per layer what its kernels compute and move, the time that its GPU "
           "needs for that at least, which limit that is, and what lies above it.",
    .build = build_layers,
    .narrow = narrow_layer,
};
const struct report report_roofline_kernels = {
    ROOFLINE(kernel_columns),
    .name = "roofline_kernels",
    .title = "Kernels by time above the ideal",
    .doc = "The same by name of the kernel: which of them is slow, and which is just big.",
    .build = build_kernels,
    .narrow = narrow_kernel,
};
const struct report report_roofline_ops = {
    ROOFLINE(op_columns),
    .name = "roofline_ops",
    .title = "Ops by time above the ideal",
    .doc = "The same by op: which of them is far from what the GPU can do.",
    .needs_ops = true,
    .build = build_ops,
    .narrow = narrow_op,
};
const struct report report_roofline_types = {
    ROOFLINE(type_columns),
    .name = "roofline_types",
    .title = "Op types by time above the ideal",
    .doc = "The same by type of op: which kind of op is far from what the GPU can do.",
    .needs_ops = true,
    .build = build_types,
    .narrow = narrow_type,
};
