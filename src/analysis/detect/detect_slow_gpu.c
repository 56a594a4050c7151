// SPDX-License-Identifier: Apache-2.0
// One GPU that is slower than the others, which wait for it.
#include <stdlib.h>

#include "analysis/detect/expert.h"
#include "analysis/detect/meetings.h"
#include "analysis/detect/paces.h"
#include "analysis/detect/step.h"
#include "base/id_map.h"
#include "model/profile/maker.h"
#include "model/profile/ranks.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(slow_gpu);

struct kinds {
    struct step_line *line;
    uint32_t *of_work; // by work of the line's GPU: its kind, ROW_NONE
    bool *is_math;     // Tensor Cores or matrix products, bound by computing
    double rest;       // pace of kinds that are not slow, the median; 0: there are none
    struct paces paces;
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

// Kinds are launches of one function and shape on the line's GPU; the others' are compared with them.
// The first and the second half of the capture must tell the same.
static void find_paces(struct kinds *kinds)
{
    const struct step_line *line = kinds->line;
    const struct profile *profile = line->profile;
    const struct gpu_work *work = &profile->work;
    const struct device *own = &profile->devices[line->device];
    int64_t half = profile->first_ns / 2 + profile->last_ns / 2;
    struct id_map map = {.arena = line->scratch};
    uint32_t count = 0, room = own->end_work - own->first_work;
    kinds->of_work = ARENA_ARRAY(line->scratch, uint32_t, (size_t)room + 1);
    kinds->is_math = ARENA_ARRAY(line->scratch, bool, (size_t)room + 1);
    for (uint32_t w = own->first_work; w < own->end_work; w++) {
        uint32_t *kind = &kinds->of_work[w - own->first_work];
        *kind = ROW_NONE;
        if (!is_compared(line, w))
            continue;
        uint32_t *slot = id_map_slot(&map, kind_key(profile, w));
        if (!*slot)
            *slot = ++count;
        *kind = *slot - 1;
        kinds->is_math[*kind] = profile->functions[AT(work->function, w)].tensor_core == STATE_YES;
    }
    kinds->paces = paces_begin(line->device, profile->device_count, count, line->scratch);
    for (uint32_t d = 0; d < profile->device_count; d++)
        for (uint32_t w = profile->devices[d].first_work; w < profile->devices[d].end_work; w++) {
            uint32_t kind =
                is_compared(line, w) ? id_map_get(&map, kind_key(profile, w)) : ROW_NONE;
            if (kind != ROW_NONE)
                paces_add(&kinds->paces, kind, d, AT(work->start, w) >= half, 1,
                          AT(work->end, w) - AT(work->start, w));
        }
}

struct weighted {
    double ratio, weight;
};

static int compare_weighted(const void *a, const void *b)
{
    double left = ((const struct weighted *)a)->ratio, right = ((const struct weighted *)b)->ratio;
    return (left > right) - (left < right);
}

static double quantile(const struct weighted *items, size_t count, double at)
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

// Whether the GPU is steadily slower; `ratios` gets its ratio by kind, *median the typical one.
static bool is_slow(struct kinds *kinds, double *ratios, double *median)
{
    struct arena *scratch = kinds->line->scratch;
    size_t kind_count = kinds->paces.kinds;
    struct weighted *slow = ARENA_ARRAY(scratch, struct weighted, kind_count + 1);
    struct weighted *rest = ARENA_ARRAY(scratch, struct weighted, kind_count + 1);
    double limit = expert_threshold("slow_gpu.ratio"), slower[2] = {0}, all[2] = {0};
    size_t count = 0, rest_count = 0;
    for (uint32_t k = 0; k < kind_count; k++) {
        struct pace pace = pace_of(&kinds->paces, k, PACE_ALL);
        double early = pace_of(&kinds->paces, k, 0).ratio;
        double late = pace_of(&kinds->paces, k, 1).ratio;
        double weight = pace.total_ns;
        bool is_math = kinds->is_math[k];
        ratios[k] = pace.ratio;
        all[is_math] += weight;
        bool is_steady =
            (early <= 0 || early > (1 + limit) / 2) && (late <= 0 || late > (1 + limit) / 2);
        if (ratios[k] <= limit || !is_steady) {
            if (ratios[k] > 0)
                rest[rest_count++] = (struct weighted){ratios[k], weight};
            ratios[k] = 1;
            continue;
        }
        slower[is_math] += weight;
        slow[count++] = (struct weighted){ratios[k], weight};
    }
    qsort(rest, rest_count, sizeof *rest, compare_weighted);
    kinds->rest = rest_count ? quantile(rest, rest_count, 0.5) : 0;
    qsort(slow, count, sizeof *slow, compare_weighted);
    *median = quantile(slow, count, 0.5);
    double spread = quantile(slow, count, 0.75) - quantile(slow, count, 0.25);
    // Kernels bound by memory keep their pace on a slow clock, those bound by computing do not.
    bool is_clock = 2 * slower[true] > all[true];
    return count > 0 && (is_clock || 2 * (slower[true] + slower[false]) > all[true] + all[false]) &&
           *median > limit && spread < expert_threshold("slow_gpu.spread") * (*median - 1);
}

static bool are_comparable(const struct step_line *line)
{
    const struct profile *profile = line->profile;
    const struct device *own = &profile->devices[line->device];
    uint32_t others = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (d == line->device || !profile->devices[d].has_kernels)
            continue;
        if (profile->devices[d].name != own->name)
            return false; // another model of GPU is no fault of this one
        others++;
    }
    return others > 0;
}

enum { SUM_WAITS_FOR = SUM_OWN }; // ns that the others wait in collectives, mean

struct slowness {
    double median; // pace of what is slower over that of the others; 0: it is not slow
    double rest;   // the same of the other kernels; 0: there are none
};

static void slow_gpu_scan(struct scan *scan)
{
    struct step_line *line = scan->line;
    struct slowness *own = scan->own = ARENA_NEW(scan->arena, struct slowness);
    if (!are_comparable(line))
        return;
    const struct meetings *meetings = line_meetings(line);
    // Nobody waits for it, or the clocks do not allow to tell.
    if (!meetings->is_separable)
        return;
    for (size_t m = 0; m < meetings->count; m++)
        scan_add(scan, SUM_WAITS_FOR, meetings->items[m].window, meetings->items[m].wait_ns);
    struct kinds kinds = {.line = line};
    find_paces(&kinds);
    double *ratios = ARENA_ARRAY(line->scratch, double, kinds.paces.kinds + 1), median;
    if (!is_slow(&kinds, ratios, &median))
        return;
    *own = (struct slowness){median, kinds.rest};
    uint32_t first = line->profile->devices[line->device].first_work;
    for (size_t s = 0; s < line->count; s++) {
        const struct stretch *stretch = &line->stretches[s];
        uint32_t kind = stretch->work == ROW_NONE ? ROW_NONE : kinds.of_work[stretch->work - first];
        if (kind == ROW_NONE || ratios[kind] <= 1)
            continue;
        // What it takes longer than elsewhere is its end.
        int64_t ns = (int64_t)((double)(stretch->to - stretch->from) * (1 - 1 / ratios[kind]));
        scan_want(scan, stretch->to - ns, stretch->to, 0, stretch->window);
    }
}

static void slow_gpu(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    const struct slowness *own = scan->own;
    int64_t waits = step_sum(step, scan, SUM_WAITS_FOR);
    if (own->median <= 0 || waits <= 0 || step->selection->device != ROW_NONE)
        return;
    int64_t gain = claims_measure(&step->claims);
    // What of its being late other work hides, they do not wait for.
    bool speaks = (double)waits > expert_threshold("slow_gpu.waits") * (double)gain;
    struct finding *finding =
        step_claim(step, findings, &detect_slow_gpu, speaks, gain, CERTAINTY_CERTAIN);
    if (!finding)
        return;
    long long number = (long long)device_number(step->profile, step->device);
    finding->place = device_place_text(step->profile, step->device, step->arena);
    finding->problem = arena_format(
        step->arena,
        "The other GPUs wait for GPU %lld: equal kernels take %.1f%% longer on it, %s %s", number,
        100 * (own->median - 1), step_duration(step, gain), step_unit(step));
    finding->recommendation =
        arena_format(step->arena,
                     "Look at its clock, power limit, temperature and neighbours (%s); give its "
                     "place to another node if it stays so",
                     profile_words(step->profile)->clocks);
    // A lower clock slows what computes, and not what waits for memory.
    const char *rest =
        own->rest > 0.98 && own->rest < 1.02
            ? arena_format(
                  step->arena,
                  ". The other kernels keep their pace (x%.3f), as those bound by memory do "
                  "on a lower clock",
                  own->rest)
            : "";
    finding->why = arena_format(
        step->arena,
        "Kernels of the same function and launch shape are slower there than the median "
        "of the others, early and late in the capture alike; the others wait %s %s in "
        "collectives%s",
        step_duration(step, waits), step_unit(step), rest);
    // There each kernel stands with how many times as long it takes as on the others.
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
