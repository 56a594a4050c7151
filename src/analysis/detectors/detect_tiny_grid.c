// SPDX-License-Identifier: Apache-2.0
// Detects long kernels with so few blocks that most of the GPU idles.
#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(tiny_grid);

// Returns the number of blocks per multiprocessor; below 1 some have none. 0 if unknown.
static double fill_of(const struct profile *profile, uint32_t row, double sms)
{
    const struct launch_shape *shape = work_launch_shape(profile, row);
    if (!shape || shape->grid[0] <= 0 || shape->grid[1] <= 0 || shape->grid[2] <= 0)
        return 0;
    return (double)shape->grid[0] * shape->grid[1] * shape->grid[2] / sms;
}

// Returns, by work of the GPU, whether it never overlaps with another kernel. Copies do not count,
// as they need no multiprocessors. Rows are sorted by start; all earlier work ends by `latest_end`.
static bool *find_non_overlapping(const struct step_line *line)
{
    const struct profile *profile = line->profile;
    const struct gpu_work *work = &profile->work;
    const struct device *device = &profile->devices[line->device];
    uint32_t count = device->end_work - device->first_work, previous = ROW_NONE;
    bool *is_alone = ARENA_ARRAY(line->scratch, bool, (size_t)count + 1);
    int64_t latest_end = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = device->first_work + i;
        if (profile->functions[AT(work->function, row)].class == CLASS_COPY)
            continue;
        is_alone[i] = AT(work->start, row) >= latest_end;
        if (previous != ROW_NONE &&
            AT(work->start, row) < AT(work->end, device->first_work + previous))
            is_alone[previous] = false;
        previous = i;
        latest_end = AT(work->end, row) > latest_end ? AT(work->end, row) : latest_end;
    }
    return is_alone;
}

enum { SUM_TINY = SUM_OWN };

static int64_t shortest_ns(void)
{
    return (int64_t)(1e3 * expert_threshold("tiny_grid.kernel_us"));
}

static void tiny_grid_scan(struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    const struct gpu_work *work = &profile->work;
    double max_fill = expert_threshold("tiny_grid.fill"),
           sms = device_sm_count(profile, line->device);
    int64_t shortest = shortest_ns();
    double *min_fill = scan->own = ARENA_NEW(scan->arena, double); // the smallest fill in any step
    *min_fill = max_fill;
    if (!HAS(work->shape) || sms <= 0)
        return;
    const bool *is_alone = find_non_overlapping(line);
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        uint32_t row = interval->work;
        if (interval->class != CLASS_COMPUTE ||
            AT(work->end, row) - AT(work->start, row) < shortest ||
            !is_alone[row - profile->devices[line->device].first_work])
            continue;
        double fill = fill_of(profile, row, sms);
        if (fill <= 0 || fill >= max_fill)
            continue;
        *min_fill = fill < *min_fill ? fill : *min_fill;
        scan_slow(scan, SUM_TINY, interval, fill);
    }
}

static void tiny_grid(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    double max_fill = expert_threshold("tiny_grid.fill");
    double sms = device_sm_count(step->profile, step->device),
           min_fill = *(const double *)scan->own;
    int64_t tiny_ns = step_sum(step, scan, SUM_TINY);
    struct leader leader = step_leader(step, scan);
    int64_t gain = grants_measure(&step->grants);
    bool is_reported = step_share(step, tiny_ns) > expert_threshold("tiny_grid.share");
    struct finding *finding =
        step_take_finding(step, findings, &detect_tiny_grid, is_reported, gain, CERTAINTY_LIKELY);
    if (!finding)
        return;
    uint32_t node = step_place(step, scan);
    finding->place = step_node_text(step, node);
    finding->problem = arena_format(
        step->arena,
        "Kernels of few blocks leave most of the GPU idle: %s %s, the smallest on %.0f "
        "of %.0f multiprocessors",
        step_duration(step, tiny_ns), step_unit(step), min_fill * sms, sms);
    finding->recommendation =
        "Give them more to do in parallel: a larger batch, another dimension to reduce over, a "
        "fused kernel; or run them beside others on a stream of their own";
    finding->why = arena_format(
        step->arena,
        "Most of it: %s. Counted are kernels of at least %lld us with fewer than %.0f blocks and "
        "nothing beside them; the bound takes the multiprocessors without a block to be of use",
        leader_name(step, &leader), (long long)(shortest_ns() / 1000), max_fill * sms);
    finding->opens = "kernels";
    if (leader.count == 1)
        finding->evidence.function = leader.best;
    else
        finding_set_layer_evidence(finding, node);
}

const struct detector detect_tiny_grid = {
    .id = "tiny_grid",
    .title = "kernels of few blocks",
    .doc = "Kernels of at least tiny_grid.kernel_us with fewer than tiny_grid.fill blocks per "
           "multiprocessor and nothing beside them take more than tiny_grid.share of the step. "
           "Persistent kernels have a block per multiprocessor. Bound: their time less the share "
           "of multiprocessors that have a block.",
    .scan = tiny_grid_scan,
    .judge = tiny_grid,
};
