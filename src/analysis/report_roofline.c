// SPDX-License-Identifier: Apache-2.0
// Is it slow, or just big: what the kernels of each layer compute and move, against what their GPU can do
// at most. What is not known is in no ideal, and the coverage says of how much time that is.
#include <stdlib.h>
#include <string.h>

#include "analysis/op_figures.h"
#include "analysis/report_list.h"
#include "analysis/selected_work.h"
#include "analysis/work_text.h"
#include "base/format.h"
#include "model/rules.h"

enum limit { LIMIT_MEMORY, LIMIT_FP64, LIMIT_FP32, LIMIT_TF32, LIMIT_FP16, LIMIT_BF16, LIMIT_FP8 };
enum { LIMITS = LIMIT_FP8 + 1, LIMIT_NONE = LIMITS };

static const struct {
    const char *dtype, *text;
} limits[LIMITS] = {
    [LIMIT_MEMORY] = {NULL, "memory"},        [LIMIT_FP64] = {"fp64", "compute, fp64"},
    [LIMIT_FP32] = {"fp32", "compute, fp32"}, [LIMIT_TF32] = {"tf32", "compute, tf32"},
    [LIMIT_FP16] = {"fp16", "compute, fp16"}, [LIMIT_BF16] = {"bf16", "compute, bf16"},
    [LIMIT_FP8] = {"fp8", "compute, fp8"},
};

struct roofline_row {
    const char *name;
    uint32_t node;
    bool is_innermost; // no layer or range lies below: its kernels are those below the node
    bool is_guess;
    int64_t exclusive_ns, sum_ns;
    uint32_t kernels, told;          // told: FLOPs and bytes are known, whatever the GPU is
    double flops, bytes;             // of all kernels of which they are known
    int64_t known_ns;                // of kernels that have an ideal
    double known_flops, known_bytes; // of these
    int64_t ideal_ns;                // of each kernel whole, so that steps add up
    double by_limit[LIMITS];         // the same by what binds, in parts of ns
};

static const struct roofline_row *row_of(const void *row)
{
    return row;
}

static struct value get_name(const void *row)
{
    return value_text(row_of(row)->name);
}

static struct value get_exclusive(const void *row)
{
    return value_integer(row_of(row)->exclusive_ns);
}

static struct value get_sum(const void *row)
{
    return value_integer(row_of(row)->sum_ns);
}

static struct value get_kernels(const void *row)
{
    return value_integer(row_of(row)->kernels);
}

static struct value get_coverage(const void *row)
{
    return value_share(row_of(row)->known_ns, row_of(row)->sum_ns);
}

static struct value get_flops(const void *row)
{
    return row_of(row)->told ? op_figure_value(row_of(row)->flops) : value_none();
}

static struct value get_bytes(const void *row)
{
    return row_of(row)->told ? op_figure_value(row_of(row)->bytes) : value_none();
}

static struct value get_flop_rate(const void *row) // TFLOP/s: 1e12 per second, 1e3 per ns
{
    const struct roofline_row *r = row_of(row);
    return r->known_ns ? value_real(r->known_flops / (double)r->known_ns / 1e3) : value_none();
}

static struct value get_byte_rate(const void *row)
{
    const struct roofline_row *r = row_of(row);
    return r->known_ns ? value_real(r->known_bytes / (double)r->known_ns * 1e9) : value_none();
}

static struct value get_intensity(const void *row)
{
    const struct roofline_row *r = row_of(row);
    return r->known_bytes > 0 ? value_real(r->known_flops / r->known_bytes) : value_none();
}

static struct value get_ideal(const void *row)
{
    return row_of(row)->known_ns ? value_integer(row_of(row)->ideal_ns) : value_none();
}

static int64_t above_of(const struct roofline_row *row)
{
    return row->known_ns - row->ideal_ns;
}

static struct value get_above(const void *row)
{
    return row_of(row)->known_ns ? value_integer(above_of(row)) : value_none();
}

static struct value get_percent(const void *row)
{
    return value_share(row_of(row)->ideal_ns, row_of(row)->known_ns);
}

static struct value get_limit(const void *row)
{
    const struct roofline_row *r = row_of(row);
    unsigned most = 0;
    for (unsigned l = 1; l < LIMITS; l++)
        if (r->by_limit[l] > r->by_limit[most])
            most = l;
    return r->by_limit[most] > 0 ? value_text(limits[most].text) : value_none();
}

static struct value get_guess(const void *row)
{
    return row_of(row)->is_guess ? value_text("guess") : value_none();
}

// clang-format off
static const struct column columns[] = {
    {"layer", "Layer", "layer", UNIT_TEXT, get_name,
     "Innermost layer or range around the ops, names from the root; backward work counts to its forward's.",
     COLUMN_NAME},
    {"above", "Time above Ideal (ns)", "above ideal", UNIT_NS, get_above,
     "What is gained at most: kernel time less ideal time, of the kernels that have an ideal.",
     COLUMN_SUM},
    {"percent", "Share of the Limit (%)", "%limit", UNIT_PERCENT, get_percent,
     "Ideal time over kernel time, of the kernels that have an ideal. It goes by what the algorithm moves: "
     "kernels that do more than one op at once may seem at their limit.", 0},
    {"limit", "Limit", "limit", UNIT_TEXT, get_limit,
     "What most of the ideal time is due to: memory, or compute with the data type whose peak is taken.",
     COLUMN_TELLS},
    {"coverage", "Coverage (% of kernel time)", "known", UNIT_PERCENT, get_coverage,
     "Share of the kernel time in kernels that have an ideal: FLOPs, bytes and what the GPU can do at most are "
     "known.", 0},
    {"gpu", "Exclusive GPU Time (ns)", "GPU", UNIT_NS, get_exclusive,
     "Exclusive GPU time of its kernels, those without an ideal too.", COLUMN_SUM | COLUMN_WIDE},
    {"sum", "Sum of Kernel Time (ns)", "kernels", UNIT_NS, get_sum,
     "Durations of its kernels added up, those without an ideal too. Shares and rates here go by it.",
     COLUMN_BAR | COLUMN_SUM},
    {"ideal", "Ideal Time (ns)", "ideal", UNIT_NS, get_ideal,
     "Of each kernel the larger of FLOPs over the GPU's dense peak of the data type and bytes over its "
     "bandwidth, no more than it took (what lies in a cache is faster), added up. Helping kernels have 0.",
     COLUMN_SUM},
    {"flop_rate", "TFLOP/s", "TFLOP/s", UNIT_REAL, get_flop_rate,
     "FLOPs over kernel time, of the kernels that have an ideal.", COLUMN_WIDE},
    {"byte_rate", "Bytes per Second (B/s)", "bytes/s", UNIT_RATE, get_byte_rate,
     "Bytes over kernel time, of the kernels that have an ideal; bytes are the algorithm's.", COLUMN_WIDE},
    {"intensity", "Arithmetic Intensity (FLOPs/B)", "FLOPs/B", UNIT_REAL, get_intensity,
     "FLOPs over bytes, of the kernels that have an ideal.", COLUMN_WIDE},
    {"flops", "FLOPs", "FLOPs", UNIT_COUNT, get_flops,
     "Those of its kernels, where they are known, as in pyprof.", COLUMN_SUM | COLUMN_DETAIL},
    {"bytes", "Bytes", "bytes", UNIT_BYTES, get_bytes,
     "What its kernels read and write, where that is known, as in pyprof.", COLUMN_SUM | COLUMN_DETAIL},
    {"kernels", "Kernels", "count", UNIT_COUNT, get_kernels, "How many kernels.",
     COLUMN_SUM | COLUMN_DETAIL},
    {"guess", "Guess", "guess", UNIT_TEXT, get_guess,
     "guess: an ideal in it rests on what the file does not tell (mostly the data type).", COLUMN_MARK},
};
// clang-format on

struct summing {
    const struct profile *profile;
    const struct op_calls *calls;
    const struct op_figures *figures;
    const struct gpu_peaks **peaks; // by device; NULL: not known
};

static double bandwidth_of(const struct summing *summing, uint32_t device) // B/s; 0: not known
{
    int64_t told = summing->profile->devices[device].memory_bandwidth;
    const struct gpu_peaks *peaks = summing->peaks[device];
    return told != UNKNOWN && told > 0 ? (double)told : peaks ? peaks->bandwidth * 1e9 : 0;
}

// The limit of a data type, LIMIT_NONE: no peak is known of it. Peaks of FP64 are those without Tensor
// Cores; the name of a kernel that has FP32 in memory may tell them alone.
static unsigned limit_of(const char *dtype, enum tristate tensor_core)
{
    for (unsigned l = LIMIT_FP64; l < LIMITS; l++)
        if (strcmp(limits[l].dtype, dtype) == 0)
            return tensor_core != STATE_YES ? l
                   : l == LIMIT_FP32        ? LIMIT_TF32
                   : l == LIMIT_FP64        ? LIMIT_NONE
                                            : l;
    return LIMIT_NONE;
}

static double peak_of(const struct gpu_peaks *gpu, unsigned limit) // FLOP/s; 0: not known
{
    if (!gpu || limit >= LIMITS)
        return 0;
    const double peaks[LIMITS] = {
        [LIMIT_FP64] = gpu->fp64, [LIMIT_FP32] = gpu->fp32, [LIMIT_TF32] = gpu->tf32,
        [LIMIT_FP16] = gpu->fp16, [LIMIT_BF16] = gpu->fp16, [LIMIT_FP8] = gpu->fp8};
    return peaks[limit] * 1e12;
}

// Of a kernel whose FLOPs and bytes are known; false: not what its GPU can do at most. What only helps
// in a run has an ideal where the run has one.
static bool ideal_find(const struct summing *summing, uint32_t work,
                       const struct formula_share *share, const struct formula_answer *answer,
                       double *ns, unsigned *limit)
{
    const struct profile *profile = summing->profile;
    uint32_t device = work_device(profile, work);
    const struct function *function = &profile->functions[AT(profile->work.function, work)];
    double bandwidth = bandwidth_of(summing, device);
    if (bandwidth <= 0 || function->class == CLASS_COMM) // its bytes go over links
        return false;
    *ns = share->bytes / bandwidth * 1e9;
    *limit = LIMIT_MEMORY;
    if (share->flops <= 0)
        return answer->flops <= 0 ||
               peak_of(summing->peaks[device], limit_of(answer->dtype, STATE_NO)) > 0;
    unsigned type = limit_of(answer->dtype, function->tensor_core);
    double peak = peak_of(summing->peaks[device], type);
    if (peak <= 0)
        return false;
    double compute_ns = share->flops / peak * 1e9;
    if (compute_ns > *ns) {
        *ns = compute_ns;
        *limit = type;
    }
    return true;
}

// A kernel that only helps, at 0 FLOPs and bytes, is as well known as its run.
static bool share_is_known(const struct formula_answer *answer, const struct formula_share *share)
{
    bool helps = share->flops == 0 && share->bytes == 0;
    return share->flops >= 0 && share->bytes >= 0 &&
           (!helps || (answer->flops >= 0 && answer->bytes >= 0));
}

static void row_add(const struct summing *summing, struct roofline_row *row, uint32_t work)
{
    const struct profile *profile = summing->profile;
    int64_t duration = work_duration(profile, work);
    row->kernels++;
    row->exclusive_ns += AT(profile->work.exclusive, work);
    row->sum_ns += duration;
    const struct formula_share *share = op_figures_share(summing->figures, summing->calls, work);
    if (!share)
        return;
    row->flops += share->flops > 0 ? share->flops : 0;
    row->bytes += share->bytes > 0 ? share->bytes : 0;
    row->told += share->flops >= 0 || share->bytes >= 0;
    const struct formula_answer *answer =
        summing->figures->answers[summing->calls->launches[work].call];
    double ideal_ns;
    unsigned limit;
    if (!share_is_known(answer, share) ||
        !ideal_find(summing, work, share, answer, &ideal_ns, &limit))
        return;
    ideal_ns = ideal_ns < (double)duration ? ideal_ns : (double)duration;
    row->known_ns += duration;
    row->known_flops += share->flops;
    row->known_bytes += share->bytes;
    row->ideal_ns += (int64_t)(ideal_ns + 0.5);
    row->by_limit[limit] += ideal_ns;
    row->is_guess |= answer->is_guess;
}

static bool node_is_place(const struct op_tree *tree, uint32_t node)
{
    return tree->kind[node] != NODE_OP && tree->kind[node] != NODE_BACKWARD;
}

static uint32_t place_of(const struct op_tree *tree, uint32_t node)
{
    while (!node_is_place(tree, node) && tree->parent[node] != ROW_NONE)
        node = tree->parent[node];
    return node;
}

static bool has_places(const struct op_tree *tree, uint32_t node)
{
    for (uint32_t n = node + 1; n < tree->subtree_end[node]; n++)
        if (node_is_place(tree, n))
            return true;
    return false;
}

// What is gained at most comes first; then what has no ideal, by its time.
static int compare_rows(const void *a, const void *b)
{
    const struct roofline_row *x = a, *y = b;
    int64_t gain_x = x->known_ns ? above_of(x) : -1, gain_y = y->known_ns ? above_of(y) : -1;
    if (gain_x != gain_y)
        return (gain_x < gain_y) - (gain_x > gain_y);
    return x->sum_ns != y->sum_ns ? (x->sum_ns < y->sum_ns) - (x->sum_ns > y->sum_ns)
                                  : (x->node > y->node) - (x->node < y->node);
}

static struct summing summing_new(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena)
{
    struct summing summing = {
        profile, op_calls_find(profile, selection, arena),
        op_figures_find(profile, selection, arena),
        ARENA_ARRAY(arena, const struct gpu_peaks *, profile->device_count + 1)};
    for (uint32_t d = 0; d < profile->device_count; d++)
        summing.peaks[d] = rules_gpu(rules_get(), profile_text(profile, profile->devices[d].name));
    return summing;
}

// How much of the time has an ideal, as nothing can be said of the rest.
static const char *caption_of(const struct roofline_row *rows, size_t count, struct arena *arena)
{
    int64_t known_ns = 0, sum_ns = 0, above_ns = 0;
    for (size_t i = 0; i < count; i++) {
        known_ns += rows[i].known_ns;
        sum_ns += rows[i].sum_ns;
        above_ns += above_of(&rows[i]);
    }
    if (known_ns == 0)
        return "no kernel has an ideal: its FLOPs, bytes or what the GPU can do at most is not "
               "known";
    char text[FORMAT_SIZE];
    return arena_format(arena, "%s above the ideal at most, of %.1f%% of the kernel time",
                        format_duration(text, above_ns, true),
                        100 * (double)known_ns / (double)sum_ns);
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (!profile->tree)
        return (struct rows){.empty = "The op tree is not there yet: ranges are being read."};
    struct work_list list = selected_work(profile, selection, arena);
    const struct op_tree *tree = selection_tree(profile, selection);
    struct summing summing = summing_new(profile, selection, arena);
    struct roofline_row *rows = NULL;
    size_t count = 0, capacity = 0;
    uint32_t *of_node = ARENA_ARRAY(arena, uint32_t, tree->count + 1); // from 1; 0: none yet
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t work = list.rows[i];
        if (profile->functions[AT(profile->work.function, work)].kind != WORK_KERNEL)
            continue;
        uint32_t node = place_of(tree, selection_layer_node(profile, selection, work));
        if (!of_node[node]) {
            const char *path = node_path_text(profile, tree, node, arena);
            ARENA_PUSH(arena, rows, count, capacity) =
                (struct roofline_row){.name = *path ? path : "(no layer or range)",
                                      .node = node,
                                      .is_innermost = !has_places(tree, node)};
            of_node[node] = (uint32_t)count;
        }
        row_add(&summing, &rows[of_node[node] - 1], work);
    }
    if (count == 0)
        return (struct rows){.empty = kernels_empty_text(profile)};
    qsort(rows, count, sizeof *rows, compare_rows);
    return (struct rows){.items = rows, .count = count, .caption = caption_of(rows, count, arena)};
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->node;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    const struct roofline_row *r = row_of(row);
    if (!r->is_innermost)
        return NULL; // what lies in the layers below is no part of it
    selection->node = r->node;
    selection->with_backward = true; // so that the kernels add up to the row
    return "pyprof";
}

const struct report report_roofline = {
    .name = "roofline",
    .title = "Layers by time above the ideal",
    .doc = "What to optimise: per layer what its kernels compute and move, the time that its GPU "
           "needs for "
           "that at least, which limit that is, and what lies above it.",
    .row_size = sizeof(struct roofline_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .build = build,
    .id = row_id,
    .narrow = row_narrow,
};
