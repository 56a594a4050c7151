// SPDX-License-Identifier: Apache-2.0
// Detects exposed communication: time in which a GPU communicates and runs no other kernel.
//
// Terms of this file:
//   hidden    communication that runs while another kernel computes
//   burst     a run of communication intervals with no computing longer than HIDE_NS in between
//   excused   the last collective of a backward pass cannot be hidden, as no computing is left. Up
//             to the typical length of a hidden collective is therefore no reason for a finding.
//   delayed   transfer that ran exposed only because another GPU joined the collective late
//
// Not counted: waiting for the last GPU (detect_straggler.c), and delayed transfer.
#include "analysis/detect/collective_delay.h"
#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/line_collectives.h"
#include "analysis/detect/step.h"
#include "analysis/idle/exposed.h"
#include "analysis/plugin/distributed.h"
#include "analysis/report/names.h"
#include "analysis/report/stats.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(exposed_communication);

// Returns the median length of hidden collectives, or 0 if none is hidden. This is how much is
// excused: in the longest burst of each step or, without steps, in each burst that follows at least
// MIN_HIDDEN hidden collectives.
static int64_t typical_hidden_ns(const struct step_line *line)
{
    const struct profile *profile = line->profile;
    const struct gpu_work *work = &profile->work;
    const struct device *device = &profile->devices[line->device];
    int64_t *lengths =
        ARENA_ARRAY(line->scratch, int64_t, (size_t)(device->end_work - device->first_work) + 1);
    size_t count = 0;
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        int64_t length = AT(work->end, w) - AT(work->start, w);
        if (work_is_collective(profile, w) && line_window_of(line, w) != ROW_NONE &&
            AT(work->exclusive, w) < length / 2)
            lengths[count++] = length;
    }
    if (count == 0)
        return 0;
    return (int64_t)stats_of(lengths, count).median;
}

enum {
    // Without steps: an exposed collective after this many hidden ones is the last of a backward
    // pass.
    MIN_HIDDEN = 3,
};

struct burst {
    size_t first, last; // first and last interval; first is SIZE_MAX if there is no burst
    int64_t ns;
};

// Returns the longest burst of each window.
static struct burst *find_longest_bursts(const struct step_line *line)
{
    struct burst *longest_bursts =
        ARENA_ARRAY(line->scratch, struct burst, (size_t)line->window_count + 1);
    struct burst burst = {.first = SIZE_MAX};
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->work == ROW_NONE)
            continue;
        int64_t length = interval->to - interval->from;
        bool comm = work_is_communication(line->profile, interval->work);
        if ((!comm && length > HIDE_NS) ||
            (burst.first != SIZE_MAX && line->intervals[burst.first].window != interval->window))
            burst = (struct burst){.first = SIZE_MAX};
        if (!comm)
            continue;
        if (burst.first == SIZE_MAX)
            burst.first = s;
        burst.last = s;
        burst.ns += length;
        if (burst.ns > longest_bursts[interval->window].ns)
            longest_bursts[interval->window] = burst;
    }
    return longest_bursts;
}

enum {
    SUM_EXPOSED = SUM_OWN, // ns of exposed communication
    SUM_ALL,               // durations of all communication
    // The rest are parts of SUM_EXPOSED, which may overlap.
    SUM_WAITING,    // waiting for the last GPU
    SUM_EXCUSED,    // see above
    SUM_DELAYED,    // transfer that would be hidden if the last GPU arrived in time
    SUM_ON_COMPUTE, // on compute streams
    SUM_PAIRED,     // sends and receives between two GPUs
};

// Without steps: returns true if at least MIN_HIDDEN collectives were hidden before the burst that
// starts at `from`; the burst then ends a backward pass. *next_work and *hidden_count carry the
// state from burst to burst: the first work that is not counted yet, and the number of hidden
// collectives since the last pass ended.
static bool ends_pass(const struct step_line *line, int64_t from, uint32_t *next_work,
                      uint32_t *hidden_count)
{
    const struct gpu_work *work = &line->profile->work;
    const struct device *device = &line->profile->devices[line->device];
    for (; *next_work < device->end_work && AT(work->start, *next_work) <= from; ++*next_work)
        *hidden_count += work_is_collective(line->profile, *next_work) &&
                         AT(work->exclusive, *next_work) <
                             (AT(work->end, *next_work) - AT(work->start, *next_work)) / 2;
    if (*hidden_count < MIN_HIDDEN)
        return false;
    *hidden_count = 0;
    return true;
}

struct clock_evidence {      // as in line_collectives
    bool is_separable;       // waiting and transfer can be told apart
    bool has_clock_mismatch; // they could be told apart if the clocks of the GPUs agreed
};

// Excused communication does not justify a finding, but it is part of the bound of one, because
// smaller buckets would hide some of it.
enum exposed_group { GROUP_REST, GROUP_EXCUSED };

// Requests the exposed communication except waiting and delayed transfer.
static void exposed_communication_scan(struct scan *scan)
{
    struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    const struct gpu_work *work = &profile->work;
    const struct device *device = &profile->devices[line->device];
    const struct burst *longest_bursts = find_longest_bursts(line);
    struct clock_evidence *evidence = scan->own = ARENA_NEW(scan->arena, struct clock_evidence);
    const struct collective_delay *delays = line_collective_delays(line);
    int64_t typical_ns = typical_hidden_ns(line), excused_ns = 0;
    uint32_t next_work = device->first_work, hidden_count = 0;
    bool is_burst_start = true; // no burst is in progress
    *evidence = (struct clock_evidence){collectives_of_line(line)->is_separable,
                                        collectives_of_line(line)->has_clock_mismatch};
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        if (work_is_communication(profile, w))
            scan_add(scan, SUM_ALL, line_window_of(line, w), AT(work->end, w) - AT(work->start, w));
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        uint32_t window = interval->window;
        if (interval->work == ROW_NONE)
            continue;
        int64_t length = interval->to - interval->from;
        if (interval->class != CLASS_COMM) {
            is_burst_start |= length > HIDE_NS;
            continue;
        }
        int64_t from = delays[s].from;
        bool is_on_compute =
            profile->streams[AT(work->stream, interval->work)].role == ROLE_COMPUTE;
        scan_add(scan, SUM_EXPOSED, window, length);
        scan_add(scan, SUM_WAITING, window, delays[s].arrived - interval->from);
        scan_add(scan, SUM_ON_COMPUTE, window, is_on_compute ? length : 0);
        scan_add(scan, SUM_PAIRED, window,
                 work_is_collective(profile, interval->work) ? 0 : length);
        scan_function(scan, window, interval->work, length);
        const struct burst *burst = &longest_bursts[window];
        bool is_last = line->has_steps ? s == burst->first
                                       : is_burst_start && ends_pass(line, interval->from,
                                                                     &next_work, &hidden_count);
        is_burst_start = false;
        if (is_last)
            excused_ns = typical_ns;
        else if (line->has_steps && (s < burst->first || s > burst->last))
            excused_ns = 0; // an unused rest is not carried over to other bursts
        int64_t excused_part = interval->to - from < excused_ns ? interval->to - from : excused_ns;
        excused_ns -= excused_part;
        scan_add(scan, SUM_EXCUSED, window, excused_part);
        // Transfer that is exposed only because a GPU was late is not requested.
        int64_t delayed_ns = interval->to - from - excused_part;
        delayed_ns = delays[s].pushed < delayed_ns ? delays[s].pushed : delayed_ns;
        scan_add(scan, SUM_DELAYED, window, delayed_ns);
        scan_request(scan, from, from + excused_part, GROUP_EXCUSED, window);
        scan_request(scan, from + excused_part, interval->to - delayed_ns, GROUP_REST, window);
    }
}

struct exposure { // the sums of the same names, in ns over the chosen steps
    int64_t ns, all, waiting, excused, delayed, on_compute, paired;
    bool is_separable;
    struct leader leader;
};

static struct exposure exposure_of(const struct step *step, const struct scan *scan)
{
    return (struct exposure){.ns = step_sum(step, scan, SUM_EXPOSED),
                             .all = step_sum(step, scan, SUM_ALL),
                             .waiting = step_sum(step, scan, SUM_WAITING),
                             .excused = step_sum(step, scan, SUM_EXCUSED),
                             .delayed = step_sum(step, scan, SUM_DELAYED),
                             .on_compute = step_sum(step, scan, SUM_ON_COMPUTE),
                             .paired = step_sum(step, scan, SUM_PAIRED),
                             .is_separable =
                                 ((const struct clock_evidence *)scan->own)->is_separable,
                             .leader = step_leader(step, scan)};
}

// Limits the gain to the compute time that is still available for hiding: it hides no communication
// yet, and no earlier finding has claimed it. Returns the limited gain.
static int64_t limit_to_free_compute(struct step *step, const struct scan *scan,
                                     const struct exposure *exposure)
{
    int64_t hidden_ns = exposure->all > exposure->ns ? exposure->all - exposure->ns : 0;
    int64_t claimed_ns = -grants_measure(&step->grants);
    for (uint32_t i = 0; scan->requests.count && i < step->window_count; i++)
        claimed_ns += requests_in_window(&scan->requests, step->windows[i]);
    return step_limit(step, step->compute_ns + step->opaque_ns - hidden_ns - claimed_ns);
}

// Adds a note for exposed transfer if no compute time is left to hide it. Overlap cannot help then,
// but less communication can.
static void note_unhidable(struct step *step, struct finding_list *findings, int64_t transfer_ns)
{
    if (step_share(step, transfer_ns) <= expert_threshold("exposed_communication.untold"))
        return;
    struct finding *finding = step_note(step, findings, &detect_exposed_communication);
    finding->problem = arena_format(
        step->arena,
        "Communication moves data for %s %s with nothing beside it, and no computing is left that "
        "could hide it",
        step_duration(step, transfer_ns), step_unit(step));
    finding->recommendation =
        "Communicate less often (larger micro-batches, gradient accumulation under no_sync()) or "
        "less (gradients in 16 bit), and check the network: Collectives shows how fast it is";
    finding->opens = "streams";
    finding->filter = "role:comm";
}

#define COMMUNICATE_LESS \
    "communicate less often (gradient accumulation under no_sync()) or less (gradients in 16 bit)"

// Returns the share of collective time in which data moves, 0..1; negative if it is unknown because
// the file lacks ranks. A collective moves data for at most the duration of its shortest run over
// all ranks, which can be compared even if the clocks disagree.
static double transfer_share(const struct step *step, const struct clock_evidence *evidence)
{
    if (!evidence->has_clock_mismatch)
        return -1;
    const struct distributed *distributed =
        distributed_of(step->profile, step->selection, step->scratch);
    int64_t moving_ns = 0, waiting_ns = 0;
    for (uint32_t w = 0; w < distributed->steps->count; w++) {
        const struct plugin_worker *worker = &distributed->steps->workers[w];
        for (uint32_t s = 0; s < worker->count; s++) {
            const struct distributed_step *parts = &distributed->parts_of[w][s];
            if (!parts->is_paired || !plugin_step_is_selected(step->selection, &worker->steps[s]))
                continue;
            moving_ns += parts->transfer_ns;
            waiting_ns += parts->synchronizing_ns;
        }
    }
    return moving_ns > 0 ? (double)moving_ns / (double)(moving_ns + waiting_ns) : -1;
}

// Adds a note for exposed communication of which it is unknown which GPU waits, but which is mostly
// transfer.
static void note_mostly_transfer(struct step *step, struct finding_list *findings,
                                 int64_t exposed_ns, double transfer_part)
{
    struct finding *finding = step_note(step, findings, &detect_exposed_communication);
    finding->problem =
        arena_format(step->arena,
                     "Communication with nothing beside it takes %s %s of a GPU, and %.0f%% of all "
                     "communication moves data",
                     step_duration(step, exposed_ns), step_unit(step), 100 * transfer_part);
    finding->recommendation =
        "Hide it behind the backward pass (buckets that begin early, nothing that waits for them "
        "before they are needed), " COMMUNICATE_LESS
        ", and check the network: Collectives shows how fast it is";
    finding->why = "Which GPU waits for which is not told, since their clocks do not agree; but no "
                   "run of a collective moves data for longer than the shortest of its runs takes";
    finding->opens = "distributed";
}

// Reports exposed communication that may be waiting or transfer. Such time has no bound, but if it
// is large, the detector must not look passed. Takes the mean of all GPUs, because the judged GPU
// is the one that waits least.
static void add_waiting_or_transfer(struct step *step, const struct scan *scan,
                                    struct finding_list *findings)
{
    const struct profile *profile = step->profile;
    const struct exposed *devices = exposed_devices(profile, step->selection, step->scratch);
    struct exposed sum = exposed_sum(profile, devices);
    int64_t count = 0;
    for (uint32_t d = 0; d < profile->device_count; d++)
        count += profile->devices[d].has_work &&
                 (step->selection->device == ROW_NONE || step->selection->device == d);
    if (count == 0)
        return;
    int64_t unsplit_ns = (sum.point_to_point_ns + sum.unsplit_ns) / count;
    if (step_share(step, unsplit_ns) <= expert_threshold("exposed_communication.untold")) {
        note_unhidable(step, findings, devices[step->device].transfer_ns);
        return;
    }
    double transfer_part = transfer_share(step, scan->own);
    if (transfer_part >= 0.5) {
        note_mostly_transfer(step, findings, sum.ns / count, transfer_part);
        return;
    }
    struct finding *finding =
        finding_add(findings, &detect_exposed_communication, SEVERITY_NOT_JUDGED);
    finding->problem = arena_format(
        step->arena,
        "Communication with nothing beside it takes %s %s of a GPU; whether it waits for another "
        "one or moves data is not told of %s",
        step_duration(step, sum.ns / count), step_unit(step),
        sum.point_to_point_ns + sum.unsplit_ns == sum.ns ? "it" : step_duration(step, unsplit_ns));
    finding->recommendation =
        "Record all ranks of the job, on machines whose clocks agree, and open them together. If "
        "it moves data: " COMMUNICATE_LESS
        "; if it waits: what keeps the late GPU is among the other findings";
    finding->why = 2 * sum.point_to_point_ns > sum.ns
                       ? "Most of it are sends and receives, all-to-all too: which waits for which "
                         "is not in the file"
                       : "Waiting is told of collectives of which the file holds all ranks, and "
                         "which end together on all of them, or at a distance that is kept";
    finding->opens = "devices";
}

static const char *advice(const struct step *step, const struct exposure *exposure)
{
    static const char *const sharded_names[] = {"AllGather", "ReduceScatter", NULL};
    if (2 * exposure->paired > exposure->ns)
        return "Post sends and receives earlier and on a stream of their own, and compute "
               "meanwhile what does not depend on them: the inside before the border, another "
               "micro-batch";
    if (2 * exposure->on_compute > exposure->ns)
        return "It runs on the compute stream, so nothing can hide it: sequence parallelism or "
               "asynchronous tensor parallelism, which cut it into parts that overlap";
    if (text_has_any(leader_name(step, &exposure->leader), sharded_names))
        return "Where weights are sharded, fetch the next layer's while this one computes (FSDP: "
               "forward_prefetch=True, BackwardPrefetch.BACKWARD_PRE; DeepSpeed: overlap_comm, "
               "stage3_prefetch_bucket_size), in units large enough for the network, or keep them "
               "whole after the forward pass where memory allows";
    return "Begin it earlier and in parts: smaller first and last buckets (bucket_cap_mb), "
           "gradients as views of buckets, nothing that waits for it before it is needed";
}

static const char *why(const struct step *step, const struct exposure *exposure)
{
    const char *waits =
        exposure->is_separable
            ? arena_format(step->arena, "Not counted: %s of waiting for the GPU that comes last",
                           step_duration(step, exposure->waiting))
            : "Waiting for a late peer is counted too: this file does not tell it from transfer";
    const char *last = exposure->excused > 0
                           ? arena_format(step->arena,
                                          ". %s of it is the last of a step, which has nothing "
                                          "left to hide behind: alone it would be no finding, but "
                                          "smaller buckets shorten it",
                                          step_duration(step, exposure->excused))
                           : "";
    const char *delayed =
        exposure->delayed > 0
            ? arena_format(step->arena, "; %s that would be hidden if that GPU came in time",
                           step_duration(step, exposure->delayed))
            : "";
    return arena_format(step->arena,
                        "Most of it: %s, on GPU %lld. %s%s. The bound is also at most "
                        "the computing that is there to hide it%s",
                        leader_name(step, &exposure->leader),
                        (long long)device_number(step->profile, step->device), waits, delayed,
                        last);
}

static void exposed_communication(struct step *step, const struct scan *scan,
                                  struct finding_list *findings)
{
    struct exposure exposure = exposure_of(step, scan);
    int64_t gain = limit_to_free_compute(step, scan, &exposure);
    bool is_reported = step_share(step, grants_free_in_group(&step->grants, GROUP_REST)) >
                       expert_threshold("exposed_communication.share");
    struct finding *finding = step_take_finding(step, findings, &detect_exposed_communication,
                                                is_reported, gain, CERTAINTY_LIKELY);
    if (!finding) {
        add_waiting_or_transfer(step, scan, findings);
        return;
    }
    double hidden_share =
        exposure.all > exposure.ns ? 1 - (double)exposure.ns / (double)exposure.all : 0;
    finding->problem = arena_format(
        step->arena,
        "Communication is not all hidden behind computation: %s %s run with nothing beside it "
        "(%.0f%% of all is hidden)",
        step_duration(step, exposure.ns - exposure.waiting), step_unit(step), 100 * hidden_share);
    finding->recommendation = advice(step, &exposure);
    finding->why = why(step, &exposure);
    finding->opens = exposure.leader.count == 1 ? "launches" : "streams";
    finding->sort = "-exclusive"; // the most exposed rows first
    if (exposure.leader.count > 1 && 2 * exposure.on_compute <= exposure.ns)
        finding->filter = "role:comm";
    if (exposure.leader.count == 1)
        finding->evidence.function = exposure.leader.best;
}

const struct detector detect_exposed_communication = {
    .id = "exposed_communication",
    .title = "communication is not hidden",
    .doc = "Communication kernels with no other kernel beside them take more than "
           "exposed_communication.share of the step. Left out: waiting for the last GPU where "
           "several in the file tell it, what its being late delays, and what the host is late to "
           "launch something beside; and one collective a step as long as those that are hidden, "
           "since the last has nothing to hide behind. Bound: that time on the GPU that waits "
           "least, the last collective with it (smaller buckets hide of it as well), at most the "
           "computing that could hide it and that earlier findings leave. Without a finding it is "
           "not judged where on the mean GPU more than exposed_communication.untold of the step is "
           "exposed communication of which it is not told whether it waits or transfers; more than "
           "that of transfer for which no computing is left is a note, and so is exposed "
           "communication of GPUs whose clocks do not agree where the shortest runs of its "
           "collectives are at least half of it.",
    .needs_all_work = true,
    .scan = exposed_communication_scan,
    .judge = exposed_communication,
};
