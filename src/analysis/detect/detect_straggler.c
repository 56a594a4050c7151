// SPDX-License-Identifier: Apache-2.0
// One GPU that the others wait for in collectives: its host is late, or it has more to do.
#include <math.h>

#include "analysis/detect/detect_tools.h"
#include "analysis/detect/expert.h"
#include "analysis/detect/meetings.h"
#include "analysis/detect/step.h"
#include "analysis/report/stats.h"
#include "model/profile/ranks.h"
#include "model/profile/recorder.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(straggler);
DETECTOR_DECLARE(slow_gpu);

enum {
    SUM_ALL_WAITS = SUM_OWN, // ns of all GPUs, whoever came last
    SUM_CAUSED,              // of these, because the line's GPU came last
    SUM_OTHERS, // ns that the others have nothing to compute longer than it meanwhile, mean
    SUM_MORE,   // ns that it is busy with its own work longer than they are, mean
};

static void scan_waits(struct scan *scan, const struct meetings *meetings)
{
    for (size_t m = 0; m < meetings->count; m++) {
        const struct meeting *meeting = &meetings->items[m];
        scan_add(scan, SUM_ALL_WAITS, meeting->window, meeting->all_wait_ns);
        if (meeting->last_device != scan->line->device)
            continue;
        scan_add(scan, SUM_CAUSED, meeting->window, meeting->all_wait_ns);
        scan_add(scan, SUM_OTHERS, meeting->window, meeting->lag_ns > 0 ? meeting->lag_ns : 0);
    }
}

static struct device_load load_of(const struct step_line *line, const struct device_load *loads,
                                  uint32_t device, uint32_t window)
{
    uint32_t lines = line->selection->split->count + 1;
    uint32_t first = line->has_steps ? line->windows[window].iteration : 0;
    struct device_load load = {0};
    for (uint32_t l = first; l < (line->has_steps ? first + 1 : lines); l++) {
        sum_add(&load.busy_ns, loads[(size_t)device * lines + l].busy_ns);
        sum_add(&load.comm_ns, loads[(size_t)device * lines + l].comm_ns);
    }
    return load;
}

// A GPU is late by what it has more to do than the others, or by its host.
static void scan_more(struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct device_load *loads =
        device_loads_of(line->profile, line->selection, line->scratch);
    for (uint32_t w = 0; w < line->window_count; w++) {
        int64_t others = 0, count = 0;
        for (uint32_t d = 0; d < line->profile->device_count; d++) {
            struct device_load load = load_of(line, loads, d, w);
            bool meets = d != line->device && load.comm_ns > 0;
            sum_add(&others, meets ? load.busy_ns : 0);
            count += meets;
        }
        if (count)
            scan_add(scan, SUM_MORE, w,
                     load_of(line, loads, line->device, w).busy_ns - others / count);
    }
}

struct before { // of a stretch: what the GPU did instead of coming to a meeting
    int64_t from, to;
};

// A meeting that the GPU came last to is late by what it did before, its own communication not
// counted: of each stretch the end, back to where that is enough.
static struct before *find_befores(const struct step_line *line, const struct meetings *meetings)
{
    const struct device *device = &line->profile->devices[line->device];
    struct before *befores = ARENA_ARRAY(line->scratch, struct before, line->count + 1);
    uint32_t w = device->end_work;
    int64_t pending = 0;
    for (size_t s = line->count; s-- > 0;) {
        const struct stretch *stretch = &line->stretches[s];
        int64_t end = pending > 0 ? stretch->to : stretch->from;
        for (; w > device->first_work && AT(line->profile->work.start, w - 1) > stretch->from;
             w--) {
            uint32_t row = AT(meetings->of_work, w - 1);
            const struct meeting *meeting = row == ROW_NONE ? NULL : &meetings->items[row];
            if (!meeting || meeting->last_device != line->device || meeting->lag_ns <= 0)
                continue;
            int64_t to = meeting->latest_start < stretch->to ? meeting->latest_start : stretch->to;
            end = to > end ? to : end;
            pending += meeting->lag_ns;
        }
        if (stretch->work != ROW_NONE && work_is_communication(line->profile, stretch->work))
            continue;
        int64_t part = end - stretch->from < pending ? end - stretch->from : pending;
        befores[s] = (struct before){end - part, end};
        pending -= part;
    }
    return befores;
}

struct lateness { // whether who waits for whom can be told
    bool is_separable, has_unaligned;
};

// Wants what the GPU did while the others were waiting for it, and its own communication that hides
// nothing because its host has not launched what could be computed beside it. In `more` stands all
// time in which its host may be late.
static void straggler_scan(struct scan *scan)
{
    struct step_line *line = scan->line;
    struct lateness *own = scan->own = ARENA_NEW(scan->arena, struct lateness);
    if (line->profile->device_count < 2)
        return;
    const struct meetings *meetings = line_meetings(line);
    *own = (struct lateness){meetings->is_separable, meetings->has_unaligned};
    if (!meetings->is_separable)
        return;
    scan_waits(scan, meetings);
    scan_more(scan);
    const struct before *befores = find_befores(line, meetings);
    const int64_t *launches = line_late_launches(line);
    for (size_t s = 0; s < line->count; s++) {
        const struct stretch *stretch = &line->stretches[s];
        if (stretch->work != ROW_NONE && work_is_communication(line->profile, stretch->work)) {
            // A launch after its end may wait for the communication itself.
            if (launches[s] > stretch->from && launches[s] < stretch->to) {
                scan_want(scan, stretch->from, launches[s], 0, stretch->window);
                wants_add(&scan->more, line->scratch, stretch->from, launches[s], 0,
                          stretch->window);
                scan_add(scan, SUM_OTHERS, stretch->window, launches[s] - stretch->from);
            }
            continue;
        }
        scan_want(scan, befores[s].from, befores[s].to, 0, stretch->window);
        if (stretch->work == ROW_NONE)
            wants_add(&scan->more, line->scratch, stretch->from, stretch->to, 0, stretch->window);
    }
}

// What a slower GPU explains already is not said twice.
static int64_t explained(const struct step *step, const struct finding_list *findings)
{
    int64_t ns = 0;
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].detector == &detect_slow_gpu && findings->items[i].gain_ns > 0)
            ns += findings->items[i].gain_ns * step->window_count;
    return ns;
}

struct lag {                       // of the steps chosen, ns
    uint32_t last;                 // steps in which most of the waiting is for this GPU
    int64_t waits, caused, others; // the sums
    int64_t more;                  // that the GPU has more to do, but for what is explained
    int64_t host;                  // in which its host may be late, but for what others claim
};

static uint32_t steps_last(const struct step *step, const struct scan *scan)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < step->window_count && scan->sums[SUM_CAUSED]; i++) {
        uint32_t window = step->windows[i];
        count += scan->sums[SUM_CAUSED][window] > scan->sums[SUM_ALL_WAITS][window] / 2;
    }
    return count;
}

// How likely it is that any one GPU is the last in so many steps where each is as likely to be it:
// the tail of the binomial distribution, times the GPUs, at most 1.
static double by_chance(const struct step *step, uint32_t last)
{
    double gpus = 0;
    for (uint32_t d = 0; d < step->profile->device_count; d++)
        gpus += step->profile->devices[d].has_work;
    return gpus < 2 ? 0 : fmin(1, stats_binomial_tail(step->window_count, last, 1 / gpus) * gpus);
}

static void describe(struct step *step, struct finding *finding, const struct lag *lag,
                     int64_t gain)
{
    long long number = (long long)device_number(step->profile, step->device);
    bool is_host = 2 * lag->more < gain;
    finding->place = device_place_text(step->profile, step->device, step->arena);
    finding->problem = arena_format(
        step->arena, "The other GPUs wait for GPU %lld, which comes late to collectives: %s %s",
        number, step_duration(step, gain), step_unit(step));
    finding->recommendation =
        is_host ? "See what the host of that GPU does when it is late: its data loader, its cores "
                  "and memory node (numactl), other processes there, what only one rank does "
                  "(logging, checkpoints)"
                : "Give that GPU less to do or the others more: balance by tokens instead of "
                  "samples, layers by their time; equal kernels are not slower there";
    const char *longer = lag->more > 0
                             ? arena_format(step->arena, "It computes for %s longer than they do%s",
                                            step_duration(step, lag->more),
                                            is_host ? ", and for the greater part its host is late"
                                                    : ": it has more to do")
                             : "It computes no longer than they do: its host is late";
    finding->why = arena_format(
        step->arena,
        "Of all waiting in collectives %.0f%% is for this GPU%s; the others have nothing beside "
        "them for %s %s more than it has. %s",
        100 * (double)lag->caused / (double)lag->waits,
        step->has_steps ? arena_format(step->arena, ", most of it %s", step_in(step, lag->last))
                        : "",
        step_duration(step, lag->others), step_unit(step), longer);
    finding->opens = "streams";
    finding->evidence.device = ROW_NONE; // the others' waiting
    finding->filter = "role:comm";
}

// Who waits for whom is told by when each came, which clocks that disagree do not tell.
static void not_judged(const struct profile *profile, struct finding_list *findings)
{
    struct finding *finding = finding_add(findings, &detect_straggler, SEVERITY_NOT_JUDGED);
    finding->problem =
        "The clocks of the GPUs do not agree: collectives do not end together, so it "
        "is not told which GPU the others wait for";
    finding->recommendation = recorder_advice_text(profile, ADVISE_CLOCKS);
}

static void straggler(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    const struct lateness *own = scan->own;
    if (step->selection->device != ROW_NONE)
        return;
    if (own->has_unaligned)
        not_judged(step->profile, findings);
    if (!own->is_separable)
        return;
    struct lag lag = {.waits = step_sum(step, scan, SUM_ALL_WAITS),
                      .caused = step_sum(step, scan, SUM_CAUSED),
                      .others = step_sum(step, scan, SUM_OTHERS),
                      .last = steps_last(step, scan)};
    // Who comes last changes from time to time where the data decides it: no GPU is to blame.
    bool is_one = lag.waits > 0 &&
                  (double)lag.caused > expert_threshold("straggler.waits") * (double)lag.waits;
    int64_t known = explained(step, findings), more = step_sum(step, scan, SUM_MORE) - known;
    lag.more = more > 0 ? more : 0;
    claims_open(&step->claims, &scan->more);
    lag.host = claims_measure(&step->claims);
    claims_open(&step->claims, &scan->wants);
    int64_t room = lag.others - known, late = lag.more;
    sum_add(&late, lag.host);
    int64_t gain = step_limit(step, room < late ? room : late);
    bool is_steady =
        !step->has_steps || lag.last > expert_threshold("straggler.steps") * step->window_count;
    bool speaks =
        is_one && is_steady && step_share(step, gain) > expert_threshold("straggler.share");
    bool may_be_chance = speaks && step->has_steps &&
                         by_chance(step, lag.last) > expert_threshold("straggler.chance");
    struct finding *finding = step_claim(step, findings, &detect_straggler, speaks, gain,
                                         may_be_chance ? CERTAINTY_LIKELY : CERTAINTY_CERTAIN);
    if (finding)
        describe(step, finding, &lag, gain);
}

const struct detector detect_straggler = {
    .id = "straggler",
    .title = "the other GPUs wait for one",
    .doc = "Of all waiting in collectives, where the clocks allow to tell it, more than "
           "straggler.waits is for one GPU, most of it in more than straggler.steps of the steps, "
           "and the others wait more than straggler.share of the step for it. Likely only, where "
           "one of as many GPUs would be the last in so many steps by chance more often than "
           "straggler.chance. What slow_gpu explains is "
           "left out. Bound: how much longer the others communicate with nothing beside it, on the "
           "mean, than that GPU itself where it came last, and its own communication that hides "
           "nothing because its host is late; at most what it computes longer than they do and the "
           "time of its host that no other finding has. Not judged where the ends of collectives "
           "show that the clocks do not agree.",
    .scan = straggler_scan,
    .judge = straggler,
};
