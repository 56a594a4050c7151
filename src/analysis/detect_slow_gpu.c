// SPDX-License-Identifier: Apache-2.0
// One GPU that is slower than the others, which wait for it.
#include <stdlib.h>

#include "analysis/detect_list.h"
#include "analysis/meetings.h"
#include "analysis/op_metrics.h"
#include "analysis/step.h"

enum {
    PARTS = 2,        // the first and the second half of the capture must tell the same
    LAUNCHES_MIN = 3, // fewer of a kind tell no pace
};

struct pace { // of equal launches of one function, on one GPU, in one part
    int64_t ns;
    uint32_t count;
};

struct paces {
    const struct step_line *line;
    struct id_map map;
    size_t count, capacity; // kinds of launches
    uint32_t *of_work;      // kind of each work of all devices, ROW_NONE
    bool *is_math;          // of kinds: Tensor Cores or matrix products, bound by computing
    double rest;            // pace of kinds that are not slow, the median; 0: there are none
    struct pace *items;     // [(kind * devices + device) * PARTS + part]
};

static void find_paces(struct paces *paces)
{
    const struct step_line *line = paces->line;
    const struct profile *profile = line->profile;
    const struct gpu_work *work = &profile->work;
    int64_t half = profile->first_ns / 2 + profile->last_ns / 2;
    paces->of_work = ARENA_ARRAY(line->scratch, uint32_t, (size_t)work->count + 1);
    for (uint32_t w = 0; w < work->count; w++) {
        const struct function *function = &profile->functions[work->function[w]];
        paces->of_work[w] = ROW_NONE;
        if (function->kind != WORK_KERNEL || function->class != CLASS_COMPUTE ||
            line_window_of(line, w) == ROW_NONE)
            continue;
        uint32_t *slot =
            id_map_slot(&paces->map, (struct id_key){work->function[w], work->shape[w], 0});
        if (!*slot)
            *slot = (uint32_t)++paces->count;
        paces->of_work[w] = *slot - 1;
    }
    paces->is_math = ARENA_ARRAY(line->scratch, bool, paces->count + 1);
    uint32_t devices = profile->device_count;
    paces->items = ARENA_ARRAY(line->scratch, struct pace, paces->count * devices * PARTS + 1);
    for (uint32_t w = 0; w < work->count; w++) {
        if (paces->of_work[w] == ROW_NONE)
            continue;
        size_t at = ((size_t)paces->of_work[w] * devices + work_device(profile, w)) * PARTS;
        paces->is_math[paces->of_work[w]] =
            profile->functions[work->function[w]].tensor_core == STATE_YES;
        struct pace *pace = &paces->items[at + (work->start[w] >= half)];
        pace->ns += work->end[w] - work->start[w];
        pace->count++;
    }
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

// The mean of a kind on a device, of one part or (PARTS) of all; 0: too few to tell.
static double pace_mean(const struct paces *paces, size_t kind, uint32_t device, int part)
{
    const struct pace *pace =
        &paces->items[(kind * paces->line->profile->device_count + device) * PARTS];
    double ns = 0, count = 0;
    for (int p = 0; p < PARTS; p++)
        if (part == PARTS || part == p) {
            ns += (double)pace[p].ns;
            count += pace[p].count;
        }
    return count >= LAUNCHES_MIN ? ns / count : 0;
}

// A kind's time on the device over the median of the others; 0: cannot be told.
static double pace_ratio(const struct paces *paces, size_t kind, uint32_t device, int part,
                         double *others)
{
    double own = pace_mean(paces, kind, device, part);
    size_t count = 0;
    for (uint32_t d = 0; d < paces->line->profile->device_count; d++) {
        double mean = d == device ? 0 : pace_mean(paces, kind, d, part);
        if (mean > 0)
            others[count++] = mean;
    }
    if (own <= 0 || count == 0)
        return 0;
    qsort(others, count, sizeof *others, compare_doubles);
    return own / (count % 2 ? others[count / 2] : (others[count / 2 - 1] + others[count / 2]) / 2);
}

struct weighted {
    double ratio, weight;
};

static int compare_weighted(const void *a, const void *b)
{
    return compare_doubles(&((const struct weighted *)a)->ratio,
                           &((const struct weighted *)b)->ratio);
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

// Whether the device is steadily slower; `ratios` gets its ratio by kind, *median the typical one.
static bool is_slow(struct paces *paces, uint32_t device, double *ratios, double *median)
{
    const struct step_line *line = paces->line;
    uint32_t devices = line->profile->device_count;
    struct weighted *slow = ARENA_ARRAY(line->scratch, struct weighted, paces->count + 1);
    struct weighted *rest = ARENA_ARRAY(line->scratch, struct weighted, paces->count + 1);
    double *others = ARENA_ARRAY(line->scratch, double, (size_t)devices + 1);
    double limit = expert_threshold("slow_gpu.ratio"), slower[2] = {0}, all[2] = {0};
    size_t count = 0, rest_count = 0;
    for (size_t k = 0; k < paces->count; k++) {
        ratios[k] = pace_ratio(paces, k, device, PARTS, others);
        double early = pace_ratio(paces, k, device, 0, others);
        double late = pace_ratio(paces, k, device, 1, others);
        const struct pace *pace = &paces->items[(k * devices + device) * PARTS];
        double weight = (double)pace[0].ns + (double)pace[1].ns;
        bool is_math = paces->is_math[k];
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
    paces->rest = rest_count ? quantile(rest, rest_count, 0.5) : 0;
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
    struct paces paces = {.line = line, .map = {.arena = line->scratch}};
    find_paces(&paces);
    double *ratios = ARENA_ARRAY(line->scratch, double, paces.count + 1), median;
    if (!is_slow(&paces, line->device, ratios, &median))
        return;
    *own = (struct slowness){median, paces.rest};
    for (size_t s = 0; s < line->count; s++) {
        const struct stretch *stretch = &line->stretches[s];
        uint32_t kind = stretch->work == ROW_NONE ? ROW_NONE : paces.of_work[stretch->work];
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
    finding->place = arena_format(step->arena, "GPU %lld", number);
    finding->problem = arena_format(
        step->arena,
        "The other GPUs wait for GPU %lld: equal kernels take %.1f%% longer on it, %s %s", number,
        100 * (own->median - 1), step_duration(step, gain), step_unit(step));
    finding->recommendation =
        "Look at its clock, power limit, temperature and neighbours (nvidia-smi -q -d "
        "CLOCK,PERFORMANCE); give its place to another node if it stays so";
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
    finding->opens = "devices";
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
