// SPDX-License-Identifier: Apache-2.0
// Several GPUs: communication that nothing hides, and one GPU that is slower than the others.
#include <stdlib.h>
#include <string.h>

#include "analysis/detect_list.h"
#include "analysis/op_metrics.h"
#include "analysis/step.h"
#include "model/id_map.h"

static bool is_comm(const struct profile *profile, uint32_t work)
{
    return profile->functions[profile->work.function[work]].class == CLASS_COMM;
}

// ---- collectives that meet ---------------------------------------------------------------------

// The n-th run of a function on each GPU is one collective, if their ends agree. Only then it can
// be told what of it is waiting for the one that comes last.
struct meeting {
    uint32_t members;
    int64_t latest_start, first_end, last_end;
    int64_t wait_ns; // of all members, before the last one came
};

struct meetings {
    const struct step *step;
    struct id_map map;
    size_t count, capacity;
    struct meeting *items;
    uint32_t *of_work; // of each work of a device from first_work on, filled for one device
    bool is_separable;
};

// Point to point: who waits for whom is another question.
static bool is_collective(const struct profile *profile, uint32_t work)
{
    const char *name = profile_text(profile, profile->functions[profile->work.function[work]].full);
    return is_comm(profile, work) && !strstr(name, "SendRecv") && !strstr(name, "Send") &&
           !strstr(name, "Recv");
}

static void meet(struct meetings *meetings, uint32_t device, bool counts_waits)
{
    const struct step *step = meetings->step;
    const struct profile *profile = step->profile;
    const struct gpu_work *work = &profile->work;
    const struct device *d = &profile->devices[device];
    uint32_t *nth = ARENA_ARRAY(step->scratch, uint32_t, (size_t)profile->function_count + 1);
    for (uint32_t w = d->first_work; w < d->end_work; w++) {
        if (!is_collective(profile, w))
            continue;
        struct id_key key = {work->function[w], nth[work->function[w]]++, 0};
        uint32_t *slot = id_map_slot(&meetings->map, key);
        if (!*slot) {
            *slot = (uint32_t)meetings->count + 1;
            ARENA_PUSH(step->scratch, meetings->items, meetings->count, meetings->capacity) =
                (struct meeting){
                    .latest_start = INT64_MIN, .first_end = INT64_MAX, .last_end = INT64_MIN};
        }
        struct meeting *meeting = &meetings->items[*slot - 1];
        if (device == step->device)
            meetings->of_work[w - d->first_work] = *slot - 1;
        if (counts_waits) {
            int64_t end =
                meeting->latest_start < work->end[w] ? meeting->latest_start : work->end[w];
            if (end > work->start[w] && step_has_work(step, w))
                meeting->wait_ns += end - work->start[w];
            continue;
        }
        meeting->members++;
        if (work->start[w] > meeting->latest_start)
            meeting->latest_start = work->start[w];
        if (work->end[w] < meeting->first_end)
            meeting->first_end = work->end[w];
        if (work->end[w] > meeting->last_end)
            meeting->last_end = work->end[w];
    }
}

// The devices that communicate, as far as they are selected.
static bool takes_part(const struct step *step, uint32_t device)
{
    const struct device *d = &step->profile->devices[device];
    for (uint32_t w = d->first_work; w < d->end_work; w++)
        if (is_collective(step->profile, w) && step_has_work(step, w))
            return true;
    return false;
}

static struct meetings find_meetings(const struct step *step)
{
    enum { AGREE_NS = 20000 }; // ends of one collective, on clocks that are right
    const struct profile *profile = step->profile;
    const struct device *own = &profile->devices[step->device];
    struct meetings meetings = {.step = step, .map = {.arena = step->scratch}};
    meetings.of_work =
        ARENA_ARRAY(step->scratch, uint32_t, (size_t)(own->end_work - own->first_work) + 1);
    for (uint32_t w = own->first_work; w < own->end_work; w++)
        meetings.of_work[w - own->first_work] = ROW_NONE;
    bool *takes = ARENA_ARRAY(step->scratch, bool, (size_t)profile->device_count + 1);
    uint32_t members = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        takes[d] = takes_part(step, d);
        members += takes[d];
        if (takes[d])
            meet(&meetings, d, false);
    }
    if (members < 2 || !takes[step->device])
        return meetings;
    size_t whole = 0, agreed = 0;
    for (size_t m = 0; m < meetings.count; m++) {
        struct meeting *meeting = &meetings.items[m];
        if (meeting->members < members) {
            meeting->latest_start = INT64_MIN; // cut off: says nothing
            continue;
        }
        whole++;
        agreed += meeting->last_end - meeting->first_end < AGREE_NS;
    }
    meetings.is_separable = whole > 0 && 10 * agreed >= 9 * whole;
    for (uint32_t d = 0; d < profile->device_count && meetings.is_separable; d++)
        if (takes[d] && d != step->device)
            meet(&meetings, d, true);
    // As a mean over those that wait.
    for (size_t m = 0; m < meetings.count; m++)
        meetings.items[m].wait_ns /= members - 1;
    return meetings;
}

// ---- communication that nothing hides ----------------------------------------------------------

static int compare_lengths(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

// The last of the gradients have nothing left to hide behind: of the longest stretch of each step
// one collective as long as those that are hidden (the median) is no fault. 0: none is hidden.
static int64_t typical_hidden(const struct step *step)
{
    const struct profile *profile = step->profile;
    const struct gpu_work *work = &profile->work;
    const struct device *device = &profile->devices[step->device];
    int64_t *lengths =
        ARENA_ARRAY(step->scratch, int64_t, (size_t)(device->end_work - device->first_work) + 1);
    size_t count = 0;
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        int64_t length = work->end[w] - work->start[w];
        if (is_collective(profile, w) && step_has_work(step, w) &&
            (int64_t)work->exclusive[w] < length / 2)
            lengths[count++] = length;
    }
    if (!step->has_steps || count == 0)
        return 0;
    qsort(lengths, count, sizeof *lengths, compare_lengths);
    return lengths[count / 2];
}

struct burst {    // communication with no computing between
    size_t first; // stretch; SIZE_MAX: none
    int64_t ns;
};

// The longest of each window.
static struct burst *longest_bursts(const struct step *step)
{
    enum { BREAK_NS = 100000 }; // of other work
    struct burst *longest =
        ARENA_ARRAY(step->scratch, struct burst, (size_t)step->window_count + 1);
    struct burst now = {SIZE_MAX, 0};
    for (size_t s = 0; s < step->count; s++) {
        const struct stretch *stretch = &step->stretches[s];
        if (stretch->work == ROW_NONE)
            continue;
        int64_t length = stretch->to - stretch->from;
        bool comm = is_comm(step->profile, stretch->work);
        if ((!comm && length > BREAK_NS) ||
            (now.first != SIZE_MAX && step->stretches[now.first].window != stretch->window))
            now = (struct burst){SIZE_MAX, 0};
        if (!comm)
            continue;
        if (now.first == SIZE_MAX)
            now.first = s;
        now.ns += length;
        if (now.ns > longest[stretch->window].ns)
            longest[stretch->window] = now;
    }
    return longest;
}

static void exposed_communication(struct step *step, struct finding_list *findings)
{
    const struct profile *profile = step->profile;
    const struct gpu_work *work = &profile->work;
    const struct device *device = &profile->devices[step->device];
    struct meetings meetings = find_meetings(step);
    int64_t *per_function =
        ARENA_ARRAY(step->scratch, int64_t, (size_t)profile->function_count + 1);
    int64_t exposed = 0, waiting = 0, all = 0, on_compute = 0, excused = 0;
    int64_t typical = typical_hidden(step), excuse = 0, paired = 0;
    const struct burst *longest = longest_bursts(step);
    uint32_t most = ROW_NONE, functions = 0;
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        if (is_comm(profile, w) && step_has_work(step, w))
            all += work->end[w] - work->start[w];
    for (size_t s = 0; s < step->count; s++) {
        const struct stretch *stretch = &step->stretches[s];
        if (stretch->work == ROW_NONE || !is_comm(profile, stretch->work))
            continue;
        int64_t from = stretch->from, length = stretch->to - from;
        uint32_t meeting = meetings.of_work[stretch->work - device->first_work];
        exposed += length;
        if (meetings.is_separable && meeting != ROW_NONE) {
            int64_t latest = meetings.items[meeting].latest_start;
            from = latest > from ? latest : from;
            from = from < stretch->to ? from : stretch->to;
            waiting += from - stretch->from;
        }
        if (profile->streams[work->stream[stretch->work]].role == ROLE_COMPUTE)
            on_compute += length;
        paired += is_collective(profile, stretch->work) ? 0 : length;
        const struct burst *burst = &longest[stretch->window];
        if (s == burst->first)
            excuse = typical < burst->ns ? typical : burst->ns;
        int64_t part = stretch->to - from < excuse ? stretch->to - from : excuse;
        from += part;
        excuse -= part;
        excused += part;
        uint32_t function = work->function[stretch->work];
        functions += per_function[function] == 0;
        per_function[function] += length;
        if (most == ROW_NONE || per_function[function] > per_function[most])
            most = function;
        claims_want(&step->claims, from, stretch->to, 0, stretch->window);
    }
    claims_measure(&step->claims);
    int64_t gain = 0;
    for (size_t i = 0; i < step->claims.count; i++)
        gain += step->claims.items[i].free_ns;
    struct finding *finding = NULL;
    if (step_share(step, gain) > step_threshold("exposed_communication.share", 0.03))
        finding =
            step_finding(step, findings, &detect_exposed_communication, gain, CERTAINTY_LIKELY);
    claims_take(&step->claims, &(bool){finding != NULL});
    if (!finding)
        return;
    bool is_tensor_parallel = 2 * on_compute > exposed;
    double hidden = all > exposed ? 1 - (double)exposed / (double)all : 0;
    finding->problem = arena_format(
        step->arena,
        "Communication is not hidden behind computation: %s %s with nothing beside it, "
        "%.0f%% of it is hidden",
        step_duration(step, gain), step_unit(step), 100 * hidden);
    finding->recommendation =
        2 * paired > exposed
            ? "Post sends and receives earlier and on a stream of their own, and compute meanwhile "
              "what does not depend on them: the inside before the border, another micro-batch"
        : is_tensor_parallel
            ? "It runs on the compute stream, so nothing can hide it: sequence parallelism or "
              "asynchronous tensor parallelism, which cut it into parts that overlap"
            : "Begin it earlier and in parts: smaller first and last buckets (bucket_cap_mb), "
              "gradients as views of buckets, nothing that waits for it before it is needed";
    const char *name = profile_text(profile, profile->functions[most].family);
    const char *waits =
        meetings.is_separable
            ? arena_format(step->arena, "%s of waiting for the GPU that comes last",
                           step_duration(step, waiting))
            : "nothing: waiting for a late peer and transfer cannot be told apart in this file";
    const char *last = excused > 0
                           ? arena_format(step->arena,
                                          "; %s, as long as one that is hidden: the last of a "
                                          "step has nothing to hide behind",
                                          step_duration(step, excused))
                           : "";
    finding->why = arena_format(step->arena, "Most of it: %s, on GPU %lld. Not counted: %s%s", name,
                                (long long)device_number(profile, step->device), waits, last);
    finding->opens = functions == 1 ? "launches" : "streams";
    if (functions == 1)
        finding->evidence.function = most;
    finding->evidence.device = step->device;
}

const struct detector detect_exposed_communication = {
    .id = "exposed_communication",
    .title = "communication is not hidden",
    .doc =
        "Communication kernels with no other kernel beside them take more than "
        "exposed_communication.share of the step, waiting for the last GPU left out where "
        "several in the file tell it. Bound: that time, on the GPU that waits least, without one "
        "collective a step as long as those that are hidden.",
    .claim = exposed_communication,
};

// ---- one GPU slower than the others ------------------------------------------------------------

enum { PARTS = 2 }; // the first and the second half of the capture must tell the same

struct pace { // of equal launches of one function, on one GPU, in one part
    int64_t ns;
    uint32_t count;
};

struct paces {
    const struct step *step;
    struct id_map map;
    size_t count, capacity; // kinds of launches
    uint32_t *of_work;      // kind of each work of all devices, ROW_NONE
    struct pace *items;     // [(kind * devices + device) * PARTS + part]
};

static void find_paces(struct paces *paces)
{
    const struct step *step = paces->step;
    const struct profile *profile = step->profile;
    const struct gpu_work *work = &profile->work;
    int64_t half = profile->first_ns / 2 + profile->last_ns / 2;
    paces->of_work = ARENA_ARRAY(step->scratch, uint32_t, (size_t)work->count + 1);
    for (uint32_t w = 0; w < work->count; w++) {
        const struct function *function = &profile->functions[work->function[w]];
        paces->of_work[w] = ROW_NONE;
        if (function->kind != WORK_KERNEL || function->class != CLASS_COMPUTE ||
            !step_has_work(step, w))
            continue;
        uint32_t *slot =
            id_map_slot(&paces->map, (struct id_key){work->function[w], work->shape[w], 0});
        if (!*slot)
            *slot = (uint32_t)++paces->count;
        paces->of_work[w] = *slot - 1;
    }
    uint32_t devices = profile->device_count;
    paces->items = ARENA_ARRAY(step->scratch, struct pace, paces->count * devices * PARTS + 1);
    for (uint32_t w = 0; w < work->count; w++) {
        if (paces->of_work[w] == ROW_NONE)
            continue;
        size_t at = ((size_t)paces->of_work[w] * devices + work_device(profile, w)) * PARTS;
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
        &paces->items[(kind * paces->step->profile->device_count + device) * PARTS];
    double ns = 0, count = 0;
    for (int p = 0; p < PARTS; p++)
        if (part == PARTS || part == p) {
            ns += (double)pace[p].ns;
            count += pace[p].count;
        }
    return count >= 3 ? ns / count : 0;
}

// A kind's time on the device over the median of the others; 0: cannot be told.
static double pace_ratio(const struct paces *paces, size_t kind, uint32_t device, int part,
                         double *others)
{
    double own = pace_mean(paces, kind, device, part);
    size_t count = 0;
    for (uint32_t d = 0; d < paces->step->profile->device_count; d++) {
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
static bool is_slow(const struct paces *paces, uint32_t device, double *ratios, double *median)
{
    const struct step *step = paces->step;
    uint32_t devices = step->profile->device_count;
    struct weighted *slow = ARENA_ARRAY(step->scratch, struct weighted, paces->count + 1);
    double *others = ARENA_ARRAY(step->scratch, double, (size_t)devices + 1);
    double limit = step_threshold("slow_gpu.ratio", 1.03), all = 0, slower = 0;
    size_t count = 0;
    for (size_t k = 0; k < paces->count; k++) {
        ratios[k] = pace_ratio(paces, k, device, PARTS, others);
        double early = pace_ratio(paces, k, device, 0, others);
        double late = pace_ratio(paces, k, device, 1, others);
        const struct pace *pace = &paces->items[(k * devices + device) * PARTS];
        double weight = (double)pace[0].ns + (double)pace[1].ns;
        all += weight;
        bool is_steady =
            (early <= 0 || early > (1 + limit) / 2) && (late <= 0 || late > (1 + limit) / 2);
        if (ratios[k] <= limit || !is_steady) {
            ratios[k] = 1;
            continue;
        }
        slower += weight;
        slow[count++] = (struct weighted){ratios[k], weight};
    }
    qsort(slow, count, sizeof *slow, compare_weighted);
    *median = quantile(slow, count, 0.5);
    double spread = quantile(slow, count, 0.75) - quantile(slow, count, 0.25);
    // Kernels bound by memory keep their pace on a slow clock: half of the time need not differ.
    return count > 0 && 2 * slower > all && *median > limit &&
           spread < step_threshold("slow_gpu.spread", 0.5) * (*median - 1);
}

static bool are_comparable(const struct step *step)
{
    const struct profile *profile = step->profile;
    const struct device *own = &profile->devices[step->device];
    uint32_t others = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (d == step->device || !profile->devices[d].has_kernels)
            continue;
        if (profile->devices[d].name != own->name)
            return false; // another model of GPU is no fault of this one
        others++;
    }
    return others > 0 && step->selection->device == ROW_NONE;
}

static void slow_gpu(struct step *step, struct finding_list *findings)
{
    const struct profile *profile = step->profile;
    if (!are_comparable(step))
        return;
    struct meetings meetings = find_meetings(step);
    int64_t waits = 0;
    for (size_t m = 0; m < meetings.count; m++)
        waits += meetings.items[m].wait_ns;
    // Nobody waits for it, or the clocks do not allow to tell.
    if (!meetings.is_separable || waits <= 0)
        return;
    struct paces paces = {.step = step, .map = {.arena = step->scratch}};
    find_paces(&paces);
    double *ratios = ARENA_ARRAY(step->scratch, double, paces.count + 1), median;
    if (!is_slow(&paces, step->device, ratios, &median))
        return;
    int64_t left = waits;
    for (size_t s = 0; s < step->count && left > 0; s++) {
        const struct stretch *stretch = &step->stretches[s];
        uint32_t kind = stretch->work == ROW_NONE ? ROW_NONE : paces.of_work[stretch->work];
        if (kind == ROW_NONE || ratios[kind] <= 1)
            continue;
        // What it takes longer than elsewhere is its end.
        double excess = (double)(stretch->to - stretch->from) * (1 - 1 / ratios[kind]);
        int64_t ns = (int64_t)excess < left ? (int64_t)excess : left;
        claims_want(&step->claims, stretch->to - ns, stretch->to, 0, stretch->window);
        left -= ns;
    }
    claims_measure(&step->claims);
    int64_t gain = 0;
    for (size_t i = 0; i < step->claims.count; i++)
        gain += step->claims.items[i].free_ns;
    struct finding *finding =
        step_finding(step, findings, &detect_slow_gpu, gain, CERTAINTY_CERTAIN);
    claims_take(&step->claims, &(bool){finding != NULL});
    if (!finding)
        return;
    long long number = (long long)device_number(profile, step->device);
    finding->place = arena_format(step->arena, "GPU %lld", number);
    finding->problem = arena_format(
        step->arena,
        "The other GPUs wait for GPU %lld: equal kernels take %.1f%% longer on it, %s %s", number,
        100 * (median - 1), step_duration(step, gain), step_unit(step));
    finding->recommendation =
        "Look at its clock, power limit, temperature and neighbours (nvidia-smi -q -d "
        "CLOCK,PERFORMANCE); give its place to another node if it stays so";
    finding->why = arena_format(
        step->arena,
        "Kernels of the same function and launch shape are slower there than the median "
        "of the others, early and late in the capture alike; the others wait %s %s in collectives",
        step_duration(step, waits), step_unit(step));
    finding->opens = "devices";
}

const struct detector detect_slow_gpu = {
    .id = "slow_gpu",
    .title = "one GPU is slower than the others",
    .doc = "On the GPU that the others wait for kernels of the same function and launch shape take "
           "more than slow_gpu.ratio of the median of the others, steadily (quartiles within "
           "slow_gpu.spread of the excess) and in more than half of its compute time. Bound: that "
           "excess, at most what the others wait in collectives.",
    .claim = slow_gpu,
};
