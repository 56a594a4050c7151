// SPDX-License-Identifier: Apache-2.0
// Detects matrix products whose sizes leave parts of tiles empty, or multiprocessors without a tile
// in the last wave.
//
// A kernel computes its result in tiles, one block each; the multiprocessors take blocks in waves:
//
//      blocks of a grid on SMs      waves         share in use
//      128 of 128x128 on 132        1             0.97
//      136                          2             136 / 264 = 0.52
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "analysis/op_runs/run_limits.h"
#include "analysis/report/names.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(tile_waste);

struct kernel_tile {
    int rows, columns; // 0: the name has no tile
};

enum { MIN_TILE = 16, MAX_TILE = 512 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Returns the first pair such as "128x256" in a kernel name whose numbers are in the range of tile
// sizes. Instruction shapes in the name are smaller or follow later.
static struct kernel_tile tile_of(const char *name)
{
    for (const char *at = name; *at; at++) {
        if (!is_digit(*at) || (at > name && is_digit(at[-1])))
            continue;
        char *end;
        long rows = strtol(at, &end, 10);
        if (*end != 'x' || !is_digit(end[1]))
            continue;
        long columns = strtol(end + 1, &end, 10);
        if (rows >= MIN_TILE && rows <= MAX_TILE && columns >= MIN_TILE && columns <= MAX_TILE)
            return (struct kernel_tile){(int)rows, (int)columns};
    }
    return (struct kernel_tile){0, 0};
}

// Returns the tile of a matrix product on Tensor Cores. Products that split the depth of a tile
// among all multiprocessors have no last wave and give none.
static struct kernel_tile find_tile(const struct profile *profile, const struct function *function)
{
    static const char *const excluded_names[] = {
        "flash",   "fmha", "attention", "stream", "Stream", "splitK", "splitk",
        "split_k", "conv", "fprop",     "dgrad",  "wgrad",  NULL};
    const char *name = profile_text(profile, function->full);
    bool has_tile = function->kind == WORK_KERNEL && function->class == CLASS_COMPUTE &&
                    function->tensor_core == STATE_YES && !text_has_any(name, excluded_names);
    return has_tile ? tile_of(name) : (struct kernel_tile){0, 0};
}

static double round_up(double value, double unit)
{
    return ceil(value / unit) * unit;
}

static double wave_use(double blocks, double sms)
{
    return blocks / round_up(blocks, sms);
}

// Returns the useful share of the computed area of an M x N product with tiles of rows x columns,
// times the share of multiprocessors in use.
static double oriented_share(double m, double n, double rows, double columns, double sms,
                             double blocks)
{
    double padded_m = round_up(m, rows), padded_n = round_up(n, columns);
    double tiles = padded_m / rows * (padded_n / columns);
    // A persistent grid, of at most as many blocks as multiprocessors, processes tile after tile.
    double waves = wave_use(blocks <= sms && tiles > blocks ? tiles : blocks, sms);
    return m * n / (padded_m * padded_n) * waves;
}

// Reads M and N from parameters such as "M=8192,N=1536,K=6144,bf16". Returns false if they are not
// of a product, or of a batched one.
static bool read_sizes(const char *params, double *m, double *n)
{
    if (strncmp(params, "M=", 2) != 0)
        return false;
    char *end;
    *m = strtod(params + 2, &end);
    if (strncmp(end, ",N=", 3) != 0)
        return false;
    *n = strtod(end + 3, &end);
    return *m > 0 && *n > 0 && strncmp(end, ",K=", 3) == 0;
}

// Returns the useful share of what a kernel's tiles compute; 1 if it is unknown. The orientation of
// tiles is not recorded, so the better one is assumed.
static double useful_share(const struct profile *profile, const struct limited_kernel *kernel,
                           uint32_t work, struct kernel_tile tile, double sms)
{
    const struct launch_shape *shape = work_launch_shape(profile, work);
    double m, n;
    if (!shape || shape->grid[0] <= 0 || shape->grid[1] <= 0 || shape->grid[2] <= 0)
        return 1;
    double blocks = (double)shape->grid[0] * shape->grid[1] * shape->grid[2];
    if (!kernel || !read_sizes(kernel->params, &m, &n))
        // Persistent blocks take as many tiles as there are; fewer blocks are left to tiny_grid.
        return blocks > sms ? wave_use(blocks, sms) : 1;
    double along = oriented_share(m, n, tile.rows, tile.columns, sms, blocks);
    double across = oriented_share(m, n, tile.columns, tile.rows, sms, blocks);
    return along > across ? along : across;
}

enum { SUM_WASTE = SUM_OWN }; // ns of wasted kernel time

struct worst_waste {
    uint32_t work;      // the longest wasteful kernel
    const char *params; // its sizes; "": unknown
    double share;       // useful part of it
    double sms;
};

static void tile_waste_scan(struct scan *scan)
{
    struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    struct worst_waste *waste = scan->own = ARENA_NEW(scan->arena, struct worst_waste);
    *waste = (struct worst_waste){.work = ROW_NONE, .sms = device_sm_count(profile, line->device)};
    double max_share = 1 - expert_threshold("tile_waste.waste");
    int64_t shortest = (int64_t)(1e3 * expert_threshold("tile_waste.kernel_us")), longest = 0;
    if (!HAS(profile->work.shape) || waste->sms <= 0)
        return;
    struct kernel_tile *tiles =
        ARENA_ARRAY(line->scratch, struct kernel_tile, (size_t)profile->function_count + 1);
    for (uint32_t f = 0; f < profile->function_count; f++)
        tiles[f] = find_tile(profile, &profile->functions[f]);
    const struct run_limits *limits = line->limits;
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        uint32_t work = interval->work;
        if (interval->class != CLASS_COMPUTE)
            continue;
        struct kernel_tile tile = tiles[AT(profile->work.function, work)];
        int64_t ns = AT(profile->work.end, work) - AT(profile->work.start, work);
        if (tile.rows == 0 || ns < shortest)
            continue;
        const struct limited_kernel *kernel = run_limits_kernel(limits, work);
        double share = useful_share(profile, kernel, work, tile, waste->sms);
        if (share > max_share)
            continue;
        if (ns > longest) {
            longest = ns;
            waste->work = work;
            waste->share = share;
            waste->params = kernel ? kernel->params : "";
        }
        // A kernel cannot become faster than its ideal.
        double ideal = kernel && kernel->sums.sum_ns > 0
                           ? (double)kernel->sums.ideal_ns / (double)kernel->sums.sum_ns
                           : 0;
        scan_slow(scan, SUM_WASTE, interval, share > ideal ? share : ideal);
    }
}

static void tile_waste(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    const struct profile *profile = step->profile;
    const struct worst_waste *waste = scan->own;
    int64_t waste_ns = step_sum(step, scan, SUM_WASTE);
    if (waste_ns == 0)
        return;
    struct leader leader = step_leader(step, scan);
    int64_t gain = grants_measure(&step->grants);
    bool is_reported = step_share(step, gain) > expert_threshold("tile_waste.share");
    struct finding *finding =
        step_take_finding(step, findings, &detect_tile_waste, is_reported, gain, CERTAINTY_LIKELY);
    if (!finding)
        return;
    const struct launch_shape *shape = work_launch_shape(profile, waste->work);
    const struct function *function = &profile->functions[AT(profile->work.function, waste->work)];
    struct kernel_tile tile = find_tile(profile, function);
    uint32_t node = step_place(step, scan);
    finding->place = step_node_text(step, node);
    finding->problem = arena_format(
        step->arena, "Sizes of matrix products fill tiles or multiprocessors badly: %s %s",
        step_duration(step, waste_ns), step_unit(step));
    finding->recommendation =
        "Choose sizes (batch x sequence, hidden, vocabulary) that are multiples of 128 or 256 and "
        "make a little less, not a little more, than whole waves of tiles; or let max-autotune of "
        "torch.compile look for a kernel with other tiles, or one that shares out the depth";
    finding->why = arena_format(
        step->arena,
        "Most of it: %s. The longest%s%s: tiles of %dx%d in a grid of %dx%dx%d on %.0f "
        "multiprocessors; %.0f%% of what is worked out is of use. The bound is the rest of their "
        "time, down to their ideal where it is known",
        leader_name(step, &leader), *waste->params ? ", " : "", waste->params, tile.rows,
        tile.columns, shape->grid[0], shape->grid[1], shape->grid[2], waste->sms,
        100 * waste->share);
    finding->opens = "kernels";
    if (leader.count == 1)
        finding->evidence.function = leader.best;
    else
        finding_set_layer_evidence(finding, node);
}

const struct detector detect_tile_waste = {
    .id = "tile_waste",
    .title = "sizes that leave tiles empty",
    .doc =
        "Matrix products on Tensor Cores of at least tile_waste.kernel_us, whose names tell the "
        "size of their tiles, waste tile_waste.waste or more: what the last tiles stick out over "
        "the result, where sizes are told, and multiprocessors without a block in the last wave. "
        "Products that split the depth have no waves and do not count. Bound: the wasted part of "
        "their time, down to the ideal, more than tile_waste.share of the step.",
    .needs_no_times = true,
    .scan = tile_waste_scan,
    .judge = tile_waste,
};
