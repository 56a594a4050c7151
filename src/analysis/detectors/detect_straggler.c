// SPDX-License-Identifier: Apache-2.0
// Detects a straggler: one GPU that the others wait for in collectives, because its host launches
// late or because it has more to compute.
//
// The last GPU of a collective is the one that joins it last. The lag of a collective is how much
// longer the other GPUs, on the mean, have nothing to compute than the last one
// (line_collective.lag_ns). Both need clocks that agree; see collectives_of_line().
#include <math.h>

#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/line_collectives.h"
#include "analysis/detect/step.h"
#include "analysis/report/stats.h"
#include "model/profile/ranks.h"
#include "model/profile/recorder.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(straggler);
DETECTOR_DECLARE(slow_gpu);

enum {
    SUM_ALL_WAITS = SUM_OWN, // ns of waiting, summed over all GPUs, whichever joined last
    SUM_CAUSED,              // the part of it for collectives that the line's GPU joined last
    SUM_LAG,                 // ns of lag of these collectives
    SUM_EXTRA_LOAD, // ns that this GPU is busy with its own work longer than the others' mean
};

static void scan_waits(struct scan *scan, const struct line_collectives *collectives)
{
    for (size_t m = 0; m < collectives->count; m++) {
        const struct line_collective *collective = &collectives->items[m];
        scan_add(scan, SUM_ALL_WAITS, collective->window, collective->all_wait_ns);
        if (collective->last_device != scan->line->device)
            continue;
        scan_add(scan, SUM_CAUSED, collective->window, collective->all_wait_ns);
        scan_add(scan, SUM_LAG, collective->window,
                 collective->lag_ns > 0 ? collective->lag_ns : 0);
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

// Adds SUM_EXTRA_LOAD, to tell a GPU that has more to do from one whose host is late.
static void scan_extra_load(struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct device_load *loads =
        device_loads_of(line->profile, line->selection, line->scratch);
    for (uint32_t w = 0; w < line->window_count; w++) {
        int64_t others_ns = 0, count = 0;
        for (uint32_t d = 0; d < line->profile->device_count; d++) {
            struct device_load load = load_of(line, loads, d, w);
            bool communicates = d != line->device && load.comm_ns > 0;
            sum_add(&others_ns, communicates ? load.busy_ns : 0);
            count += communicates;
        }
        if (count)
            scan_add(scan, SUM_EXTRA_LOAD, w,
                     load_of(line, loads, line->device, w).busy_ns - others_ns / count);
    }
}

// What makes a GPU late, and the group of its requests: its host (the GPU is idle, or communicates
// before its next kernel is launched), or more to do than the others have.
enum late_reason { LATE_HOST, LATE_LOAD, LATE_REASONS };

struct late_cause { // the part of an interval that made the GPU join a collective late
    int64_t from, to;
};

// Returns, by interval, the time that may have made the GPU late. For each reason the lag of each
// collective that the GPU joined last is attributed to the intervals of that kind before it, from
// the latest to the earliest, until they add up to the lag: a host that is late delays all kernels
// up to the collective, so computation after the idle time is no part of it. The GPU's own
// communication is skipped.
static struct late_cause *find_late_causes(const struct step_line *line,
                                           const struct line_collectives *collectives)
{
    const struct device *device = &line->profile->devices[line->device];
    struct late_cause *late_causes = ARENA_ARRAY(line->scratch, struct late_cause, line->count + 1);
    uint32_t w = device->end_work;
    int64_t pending[LATE_REASONS] = {0};
    for (size_t s = line->count; s-- > 0;) {
        const struct line_interval *interval = &line->intervals[s];
        int64_t *rest = &pending[interval->work == ROW_NONE ? LATE_HOST : LATE_LOAD];
        int64_t end = *rest > 0 ? interval->to : interval->from;
        for (; w > device->first_work && AT(line->profile->work.start, w - 1) > interval->from;
             w--) {
            uint32_t row = AT(collectives->of_work, w - 1);
            const struct line_collective *collective =
                row == ROW_NONE ? NULL : &collectives->items[row];
            if (!collective || collective->last_device != line->device || collective->lag_ns <= 0)
                continue;
            int64_t to =
                collective->latest_start < interval->to ? collective->latest_start : interval->to;
            end = to > end ? to : end;
            for (unsigned reason = 0; reason < LATE_REASONS; reason++)
                sum_add(&pending[reason], collective->lag_ns);
        }
        if (interval->work != ROW_NONE && work_is_communication(line->profile, interval->work))
            continue;
        int64_t part = end - interval->from < *rest ? end - interval->from : *rest;
        late_causes[s] = (struct late_cause){end - part, end};
        *rest -= part;
    }
    return late_causes;
}

struct straggler_evidence { // whether it is known which GPU waits for which: as line_collectives
    bool is_separable, has_clock_mismatch;
};

// Requests the late causes, and exposed communication of the GPU during which its host had not yet
// launched the kernels that could overlap.
static void straggler_scan(struct scan *scan)
{
    struct step_line *line = scan->line;
    struct straggler_evidence *evidence = scan->own =
        ARENA_NEW(scan->arena, struct straggler_evidence);
    if (line->profile->device_count < 2)
        return;
    const struct line_collectives *collectives = collectives_of_line(line);
    *evidence =
        (struct straggler_evidence){collectives->is_separable, collectives->has_clock_mismatch};
    if (!collectives->is_separable)
        return;
    scan_waits(scan, collectives);
    scan_extra_load(scan);
    const struct late_cause *late_causes = find_late_causes(line, collectives);
    const int64_t *launches = line_late_launches(line);
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->work != ROW_NONE && work_is_communication(line->profile, interval->work)) {
            // A launch after its end may have waited for the communication itself.
            if (launches[s] > interval->from && launches[s] < interval->to) {
                scan_request(scan, interval->from, launches[s], LATE_HOST, interval->window);
                scan_add(scan, SUM_LAG, interval->window, launches[s] - interval->from);
            }
            continue;
        }
        scan_request(scan, late_causes[s].from, late_causes[s].to,
                     interval->work == ROW_NONE ? LATE_HOST : LATE_LOAD, interval->window);
    }
}

// Returns the ns that findings of slow_gpu already explain.
static int64_t explained_by_slow_gpu(const struct step *step, const struct finding_list *findings)
{
    int64_t ns = 0;
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].detector == &detect_slow_gpu && findings->items[i].gain_ns > 0)
            ns += findings->items[i].gain_ns * step->window_count;
    return ns;
}

struct lag_sums {               // over the chosen steps, ns
    uint32_t last;              // number of steps in which most of the waiting is for this GPU
    int64_t waits, caused, lag; // SUM_ALL_WAITS, SUM_CAUSED, SUM_LAG
    int64_t extra_load;         // SUM_EXTRA_LOAD without the part that slow_gpu explains
};

static uint32_t count_straggler_steps(const struct step *step, const struct scan *scan)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < step->window_count && scan->sums[SUM_CAUSED]; i++) {
        uint32_t window = step->windows[i];
        count += scan->sums[SUM_CAUSED][window] > scan->sums[SUM_ALL_WAITS][window] / 2;
    }
    return count;
}

// Shortens the requests to `room` ns of free time: to the load that the GPU has more than the
// others, then to the time in which its host may be late. Returns the free time.
static int64_t limit_late_time(struct step *step, int64_t extra_load, int64_t room)
{
    int64_t rest[LATE_REASONS] = {[LATE_LOAD] = extra_load < room ? extra_load : room};
    double *parts = ARENA_ARRAY(step->scratch, double, LATE_REASONS);
    grants_measure(&step->grants);
    int64_t load_ns = grants_free_in_group(&step->grants, LATE_LOAD);
    rest[LATE_HOST] = room - (load_ns < rest[LATE_LOAD] ? load_ns : rest[LATE_LOAD]);
    for (uint32_t reason = 0; reason < LATE_REASONS; reason++) {
        int64_t free_ns = grants_free_in_group(&step->grants, reason);
        parts[reason] = rest[reason] <= 0        ? 0
                        : free_ns > rest[reason] ? (double)rest[reason] / (double)free_ns
                                                 : 1;
    }
    grants_scale(&step->grants, parts);
    return grants_measure(&step->grants);
}

// Returns the probability that some GPU is the straggler in at least `hits` steps by chance, if all
// GPUs are equally likely: the tail of the binomial distribution times the number of GPUs, at most
// 1.
static double chance_of_hits(const struct step *step, uint32_t hits)
{
    double gpus = 0;
    for (uint32_t d = 0; d < step->profile->device_count; d++)
        gpus += step->profile->devices[d].has_work;
    return gpus < 2 ? 0 : fmin(1, stats_binomial_tail(step->window_count, hits, 1 / gpus) * gpus);
}

static void describe(struct step *step, struct finding *finding, const struct lag_sums *lag,
                     int64_t gain)
{
    long long number = (long long)device_number(step->profile, step->device);
    bool is_host = 2 * lag->extra_load < gain;
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
    const char *longer = lag->extra_load > 0
                             ? arena_format(step->arena, "It computes for %s longer than they do%s",
                                            step_duration(step, lag->extra_load),
                                            is_host ? ", and for the greater part its host is late"
                                                    : ": it has more to do")
                             : "It computes no longer than they do: its host is late";
    finding->why = arena_format(
        step->arena,
        "Of all waiting in collectives %.0f%% is for this GPU%s; the others have nothing beside "
        "them for %s %s more than it has. %s",
        100 * (double)lag->caused / (double)lag->waits,
        step->has_steps
            ? arena_format(step->arena, ", most of it %s", step_hits_text(step, lag->last))
            : "",
        step_duration(step, lag->lag), step_unit(step), longer);
    finding->opens = "streams";
    finding->evidence.device = ROW_NONE; // shows the waiting of the others
    finding->filter = "role:comm";
}

// Which GPU waits for which follows from the start times of collectives, which cannot be compared
// if the clocks disagree.
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
    const struct straggler_evidence *evidence = scan->own;
    if (step->selection->device != ROW_NONE)
        return;
    if (evidence->has_clock_mismatch)
        not_judged(step->profile, findings);
    if (!evidence->is_separable)
        return;
    struct lag_sums lag = {.waits = step_sum(step, scan, SUM_ALL_WAITS),
                           .caused = step_sum(step, scan, SUM_CAUSED),
                           .lag = step_sum(step, scan, SUM_LAG),
                           .last = count_straggler_steps(step, scan)};
    // If the last GPU changes with the data, no single GPU is to blame.
    bool is_one = lag.waits > 0 &&
                  (double)lag.caused > expert_threshold("straggler.waits") * (double)lag.waits;
    int64_t explained_ns = explained_by_slow_gpu(step, findings),
            extra_ns = step_sum(step, scan, SUM_EXTRA_LOAD) - explained_ns;
    lag.extra_load = extra_ns > 0 ? extra_ns : 0;
    int64_t gain = limit_late_time(step, lag.extra_load, lag.lag - explained_ns);
    bool is_steady =
        !step->has_steps || lag.last > expert_threshold("straggler.steps") * step->window_count;
    bool is_reported =
        is_one && is_steady && step_share(step, gain) > expert_threshold("straggler.share");
    bool may_be_chance = is_reported && step->has_steps &&
                         chance_of_hits(step, lag.last) > expert_threshold("straggler.chance");
    struct finding *finding =
        step_take_finding(step, findings, &detect_straggler, is_reported, gain,
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
           "nothing because its host is late; at most what it computes longer than they do and its "
           "idle time before these collectives that no other finding has. Not judged where the "
           "ends of collectives "
           "show that the clocks do not agree.",
    .needs_all_work = true,
    .scan = straggler_scan,
    .judge = straggler,
};
