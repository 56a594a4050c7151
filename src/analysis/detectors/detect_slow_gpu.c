// SPDX-License-Identifier: Apache-2.0
// Detects one GPU that runs equal kernels slower than the others, which wait for it in collectives.
//
// A kind is all launches of one function with one launch shape. The pace of a kind is its duration
// on the line's GPU relative to the median of the other GPUs; above 1 is slower.
#include <stdlib.h>

#include "analysis/detect/finding.h"
#include "analysis/detect/gpu_speed.h"
#include "analysis/detect/line_collectives.h"
#include "analysis/detect/step.h"
#include "base/id_map.h"
#include "model/profile/ranks.h"
#include "model/profile/vendor.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(slow_gpu);

struct launch_kinds {
    struct step_line *line;
    uint32_t *of_work; // by work of the line's GPU: its kind, or ROW_NONE
    bool *is_math;     // by kind: uses Tensor Cores, and so is bound by computing
    double rest_pace;  // median pace of the kinds that are not slow; 0 if there are none
    struct gpu_speeds speeds;
};

static struct id_key kind_key(const struct profile *profile, uint32_t work)
{
    uint32_t shape = work_launch_shape(profile, work) ? AT(profile->work.shape, work) : ROW_NONE;
    return (struct id_key){AT(profile->work.function, work), shape, 0};
}

static bool is_compared(const struct step_line *line, uint32_t work)
{
    const struct function *function =
        &line->profile->functions[AT(line->profile->work.function, work)];
    return function->kind == WORK_KERNEL && function->class == CLASS_COMPUTE &&
           line_window_of(line, work) != ROW_NONE;
}

// Finds the kinds on the line's GPU and adds the launches of all GPUs to their speeds, separately
// for the first and the second half of the capture.
static void find_paces(struct launch_kinds *kinds)
{
    const struct step_line *line = kinds->line;
    const struct profile *profile = line->profile;
    const struct gpu_work *work = &profile->work;
    const struct device *device = &profile->devices[line->device];
    int64_t half = profile->first_ns / 2 + profile->last_ns / 2;
    struct id_map map = {.arena = line->scratch};
    uint32_t count = 0, work_count = device->end_work - device->first_work;
    kinds->of_work = ARENA_ARRAY(line->scratch, uint32_t, (size_t)work_count + 1);
    kinds->is_math = ARENA_ARRAY(line->scratch, bool, (size_t)work_count + 1);
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        uint32_t *kind = &kinds->of_work[w - device->first_work];
        *kind = ROW_NONE;
        if (!is_compared(line, w))
            continue;
        uint32_t *slot = id_map_slot(&map, kind_key(profile, w));
        if (!*slot)
            *slot = ++count;
        *kind = *slot - 1;
        kinds->is_math[*kind] = profile->functions[AT(work->function, w)].tensor_core == STATE_YES;
    }
    kinds->speeds = gpu_speed_begin(line->device, profile->device_count, count, line->scratch);
    for (uint32_t d = 0; d < profile->device_count; d++)
        for (uint32_t w = profile->devices[d].first_work; w < profile->devices[d].end_work; w++) {
            uint32_t kind =
                is_compared(line, w) ? id_map_get(&map, kind_key(profile, w)) : ROW_NONE;
            if (kind != ROW_NONE)
                gpu_speed_add(&kinds->speeds, kind, d, AT(work->start, w) >= half, 1,
                              AT(work->end, w) - AT(work->start, w));
        }
}

struct weighted_ratio {
    double ratio, weight;
};

static int compare_weighted(const void *a, const void *b)
{
    double left = ((const struct weighted_ratio *)a)->ratio,
           right = ((const struct weighted_ratio *)b)->ratio;
    return (left > right) - (left < right);
}

static double quantile(const struct weighted_ratio *items, size_t count, double at)
{
    double total = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        total += items[i].weight;
    for (size_t i = 0; i < count; i++) {
        sum += items[i].weight;
        if (sum >= at * total)
            return items[i].ratio;
    }
    return 1;
}

// Returns true if the GPU is steadily slower. Sets paces[kind] to the pace of slow kinds and to 1
// for others, and *median to the median pace of slow kinds.
static bool is_slow(struct launch_kinds *kinds, double *paces, double *median)
{
    struct arena *scratch = kinds->line->scratch;
    size_t kind_count = kinds->speeds.kinds;
    struct weighted_ratio *slow = ARENA_ARRAY(scratch, struct weighted_ratio, kind_count + 1);
    struct weighted_ratio *rest = ARENA_ARRAY(scratch, struct weighted_ratio, kind_count + 1);
    double limit = expert_threshold("slow_gpu.ratio"), slow_ns[2] = {0}, total_ns[2] = {0};
    size_t count = 0, rest_count = 0;
    for (uint32_t k = 0; k < kind_count; k++) {
        struct gpu_speed speed = gpu_speed_of(&kinds->speeds, k, GPU_SPEED_ALL);
        double early = gpu_speed_of(&kinds->speeds, k, 0).ratio;
        double late = gpu_speed_of(&kinds->speeds, k, 1).ratio;
        double weight = speed.total_ns;
        bool is_math = kinds->is_math[k];
        paces[k] = speed.ratio;
        total_ns[is_math] += weight;
        bool is_steady =
            (early <= 0 || early > (1 + limit) / 2) && (late <= 0 || late > (1 + limit) / 2);
        if (paces[k] <= limit || !is_steady) {
            if (paces[k] > 0)
                rest[rest_count++] = (struct weighted_ratio){paces[k], weight};
            paces[k] = 1;
            continue;
        }
        slow_ns[is_math] += weight;
        slow[count++] = (struct weighted_ratio){paces[k], weight};
    }
    qsort(rest, rest_count, sizeof *rest, compare_weighted);
    kinds->rest_pace = rest_count ? quantile(rest, rest_count, 0.5) : 0;
    qsort(slow, count, sizeof *slow, compare_weighted);
    *median = quantile(slow, count, 0.5);
    double spread = quantile(slow, count, 0.75) - quantile(slow, count, 0.25);
    // On a slow clock kernels bound by memory keep their pace; those bound by computing do not.
    bool is_clock = 2 * slow_ns[true] > total_ns[true];
    return count > 0 &&
           (is_clock || 2 * (slow_ns[true] + slow_ns[false]) > total_ns[true] + total_ns[false]) &&
           *median > limit && spread < expert_threshold("slow_gpu.spread") * (*median - 1);
}

static bool are_comparable(const struct step_line *line)
{
    const struct profile *profile = line->profile;
    const struct device *device = &profile->devices[line->device];
    uint32_t others = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (d == line->device || !profile->devices[d].has_kernels)
            continue;
        if (profile->devices[d].name != device->name)
            return false; // a different GPU model is not a fault
        others++;
    }
    return others > 0;
}

enum { SUM_WAITS_FOR = SUM_OWN }; // mean ns that the others wait in collectives

struct slowness {
    double median_pace; // median over the slow kinds; 0 if the GPU is not slow
    double rest_pace;   // median over the other kinds; 0 if there are none
};

static void slow_gpu_scan(struct scan *scan)
{
    struct step_line *line = scan->line;
    struct slowness *slowness = scan->own = ARENA_NEW(scan->arena, struct slowness);
    if (!are_comparable(line))
        return;
    const struct line_collectives *collectives = collectives_of_line(line);
    // Either no GPU waits, or the clocks do not allow to tell which one waits.
    if (!collectives->is_separable)
        return;
    for (size_t m = 0; m < collectives->count; m++)
        scan_add(scan, SUM_WAITS_FOR, collectives->items[m].window, collectives->items[m].wait_ns);
    struct launch_kinds kinds = {.line = line};
    find_paces(&kinds);
    double *paces = ARENA_ARRAY(line->scratch, double, kinds.speeds.kinds + 1), median;
    if (!is_slow(&kinds, paces, &median))
        return;
    *slowness = (struct slowness){median, kinds.rest_pace};
    uint32_t first = line->profile->devices[line->device].first_work;
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        uint32_t kind =
            interval->work == ROW_NONE ? ROW_NONE : kinds.of_work[interval->work - first];
        if (kind == ROW_NONE || paces[kind] <= 1)
            continue;
        // The excess is requested at the end of the interval.
        int64_t ns = (int64_t)((double)(interval->to - interval->from) * (1 - 1 / paces[kind]));
        scan_request(scan, interval->to - ns, interval->to, 0, interval->window);
    }
}

static void slow_gpu(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    const struct slowness *slowness = scan->own;
    int64_t waits = step_sum(step, scan, SUM_WAITS_FOR);
    if (slowness->median_pace <= 0 || waits <= 0 || step->selection->device != ROW_NONE)
        return;
    int64_t gain = grants_measure(&step->grants);
    // A delay that other work hides makes no GPU wait.
    bool is_reported = (double)waits > expert_threshold("slow_gpu.waits") * (double)gain;
    struct finding *finding =
        step_take_finding(step, findings, &detect_slow_gpu, is_reported, gain, CERTAINTY_CERTAIN);
    if (!finding)
        return;
    long long number = (long long)device_number(step->profile, step->device);
    finding->place = device_place_text(step->profile, step->device, step->arena);
    finding->problem = arena_format(
        step->arena,
        "The other GPUs wait for GPU %lld: equal kernels take %.1f%% longer on it, %s %s", number,
        100 * (slowness->median_pace - 1), step_duration(step, gain), step_unit(step));
    finding->recommendation =
        arena_format(step->arena,
                     "Look at its clock, power limit, temperature and neighbours (%s); give its "
                     "place to another node if it stays so",
                     profile_vendor_terms(step->profile)->clocks);
    // A lower clock slows computing but not memory.
    const char *rest_note =
        slowness->rest_pace > 0.98 && slowness->rest_pace < 1.02
            ? arena_format(
                  step->arena,
                  ". The other kernels keep their pace (x%.3f), as those bound by memory do "
                  "on a lower clock",
                  slowness->rest_pace)
            : "";
    finding->why = arena_format(
        step->arena,
        "Kernels of the same function and launch shape are slower there than the median "
        "of the others, early and late in the capture alike; the others wait %s %s in "
        "collectives%s",
        step_duration(step, waits), step_unit(step), rest_note);
    // That report shows each kernel's duration relative to the other GPUs.
    finding->opens = "shapes";
    finding->filter =
        arena_format(step->arena, "pace>%g class:compute", expert_threshold("slow_gpu.ratio"));
}

const struct detector detect_slow_gpu = {
    .id = "slow_gpu",
    .title = "one GPU is slower than the others",
    .doc =
        "On the GPU that the others wait for kernels of the same function and launch shape take "
        "more than slow_gpu.ratio of the median of the others, steadily (quartiles within "
        "slow_gpu.spread of the excess), in more than half of the time of Tensor Core kernels or "
        "of all, and the others wait in collectives for more than slow_gpu.waits of the excess. "
        "Bound: that excess.",
    .scan = slow_gpu_scan,
    .judge = slow_gpu,
};
