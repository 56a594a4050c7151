// SPDX-License-Identifier: Apache-2.0
// Detects copies from pageable memory, whose calls block the host until the copies are done.
#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "base/id_map.h"
#include "model/profile/copy_kinds.h"
#include "model/profile/recorder.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(pageable_copies);

enum {
    LATENCY_NS = 20000,  // largest normal time from a launch to the start of its work
    STAGED_NS = 100000,  // a call may end this long before its copy: when the last piece is staged
    STAGED_BYTES = 65536 // up to this size the driver makes its own copy and does not wait
};

enum pageable_group { GROUP_COPY, GROUP_IDLE, GROUP_COUNT };

enum {
    SUM_CALLED = SUM_OWN, // ns in the calls of the copies
    SUM_LOADING,          // ns of copies before the first kernel
    SUM_COPIES,
    SUM_SIZED, // of them with known bytes
    SUM_BYTES, // these bytes
};

struct blocking_scan {
    struct scan *scan;
    int64_t first_kernel; // start, on the GPU
    struct id_map later;  // sizes of copies after first_kernel
    uint32_t last_copy;   // work of the latest blocking copy that was added
};

static struct id_key size_key(const struct profile *profile, uint32_t work)
{
    return (struct id_key){(uint64_t)work_bytes(profile, work), 0, 0};
}

// Returns the call that waited for a copy from pageable memory, or ROW_NONE.
static uint32_t blocking_call(const struct profile *profile, uint32_t work)
{
    const struct copy *copy = detect_upload(profile, work);
    uint32_t call = copy ? AT(profile->work.launch, work) : ROW_NONE;
    if (call == ROW_NONE || copy->src_kind != MEMORY_PAGEABLE ||
        (work_bytes(profile, work) != UNKNOWN && work_bytes(profile, work) <= STAGED_BYTES))
        return ROW_NONE;
    return AT(profile->api.end, call) >= AT(profile->work.end, work) - STAGED_NS ? call : ROW_NONE;
}

// Finds the first kernel, and the sizes of blocking copies after it.
static void find_later_sizes(struct blocking_scan *blocking)
{
    const struct profile *profile = blocking->scan->line->profile;
    const struct device *device = &profile->devices[blocking->scan->line->device];
    blocking->first_kernel = INT64_MAX;
    blocking->later.arena = blocking->scan->line->scratch;
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        if (blocking->first_kernel == INT64_MAX &&
            profile->functions[AT(profile->work.function, w)].class == CLASS_COMPUTE)
            blocking->first_kernel = AT(profile->work.start, w);
        if (AT(profile->work.start, w) > blocking->first_kernel &&
            work_bytes(profile, w) != UNKNOWN && blocking_call(profile, w) != ROW_NONE)
            *id_map_slot(&blocking->later, size_key(profile, w)) = 1;
    }
}

// Returns true for a copy that loads the model or data once: before the first kernel, without
// steps, and with a size that does not recur later.
static bool is_initial_load(const struct blocking_scan *blocking, uint32_t work)
{
    const struct profile *profile = blocking->scan->line->profile;
    return !blocking->scan->line->has_steps &&
           AT(profile->work.start, work) < blocking->first_kernel &&
           (work_bytes(profile, work) == UNKNOWN ||
            id_map_get(&blocking->later, size_key(profile, work)) == UINT32_MAX);
}

static void request_copy(struct blocking_scan *blocking, const struct line_interval *interval,
                         uint32_t call)
{
    struct scan *scan = blocking->scan;
    const struct profile *profile = scan->line->profile;
    int64_t length = interval->to - interval->from;
    if (is_initial_load(blocking, interval->work)) {
        scan_add(scan, SUM_LOADING, interval->window, length);
        return;
    }
    if (interval->work != blocking->last_copy) {
        scan_add(scan, SUM_CALLED, interval->window,
                 AT(profile->api.end, call) - AT(profile->api.start, call));
        scan_add(scan, SUM_COPIES, interval->window, 1);
        int64_t bytes = work_bytes(profile, interval->work);
        scan_add(scan, SUM_SIZED, interval->window, bytes != UNKNOWN);
        scan_add(scan, SUM_BYTES, interval->window, bytes == UNKNOWN ? 0 : bytes);
    }
    blocking->last_copy = interval->work;
    scan_function(scan, interval->window, interval->work, length);
    scan_layer(scan, interval->window, interval->work, length);
    scan_request_removed(scan, interval, GROUP_COPY);
}

// Requests the exposed copies, and the idle time after them in which the host launches late: had it
// not waited for the copies, it would have launched earlier.
static void pageable_copies_scan(struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    const struct api_calls *api = &profile->api;
    struct blocking_scan blocking = {.scan = scan, .last_copy = ROW_NONE};
    uint32_t window = ROW_NONE; // the last window with a blocking copy
    find_later_sizes(&blocking);
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        uint32_t row = interval->work == ROW_NONE ? interval->next : interval->work;
        uint32_t launch = row == ROW_NONE ? ROW_NONE : AT(profile->work.launch, row);
        if (interval->work != ROW_NONE) {
            uint32_t call = blocking_call(profile, row);
            if (call != ROW_NONE) {
                request_copy(&blocking, interval, call);
                window = blocking.last_copy != ROW_NONE ? interval->window : window;
            }
            continue;
        }
        if (launch == ROW_NONE || interval->window != window ||
            AT(api->start, launch) < interval->from)
            continue;
        // The window of the next step may begin before the launch.
        bool goes_on = s + 1 < line->count && interval[1].work == ROW_NONE &&
                       interval[1].next == interval->next;
        int64_t latency = goes_on ? 0 : interval->to - AT(api->start, launch);
        latency = latency < LATENCY_NS ? latency : LATENCY_NS;
        if (latency >= 0)
            scan_request(scan, interval->from, interval->to - latency, GROUP_IDLE,
                         interval->window);
    }
}

// Limits the requested idle time: without the calls, the host would launch earlier by at most the
// time it waited in them.
static int64_t limit_idle(struct step *step, const struct scan *scan)
{
    struct interval_grants *grants = &step->grants;
    grants_measure(grants);
    int64_t max_idle = step_sum(step, scan, SUM_CALLED) - grants_free_in_group(grants, GROUP_COPY);
    int64_t idle = grants_free_in_group(grants, GROUP_IDLE);
    double *parts = ARENA_ARRAY(step->scratch, double, GROUP_COUNT);
    parts[GROUP_COPY] = 1;
    parts[GROUP_IDLE] = idle <= max_idle ? 1 : max_idle > 0 ? (double)max_idle / (double)idle : 0;
    grants_scale(grants, parts);
    return grants_measure(grants);
}

static void note_loading(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    int64_t loading = step_sum(step, scan, SUM_LOADING);
    if (step_share(step, loading) <= expert_threshold("pageable_copies.loading"))
        return;
    struct finding *note = step_note(step, findings, &detect_pageable_copies);
    note->problem = arena_format(
        step->arena,
        "Before the first kernel, %s (%.1f%%) go into copies from pageable memory: the "
        "program loads what it works on",
        step_duration(step, loading), 100 * step_share(step, loading));
    note->recommendation = recorder_advice_text(step->profile, ADVISE_LATE);
    note->opens = "memory";
}

static void pageable_copies(struct step *step, const struct scan *scan,
                            struct finding_list *findings)
{
    int64_t copies = step_sum(step, scan, SUM_COPIES);
    int64_t gain = limit_idle(step, scan),
            copying = grants_free_in_group(&step->grants, GROUP_COPY);
    bool recurs = step->has_steps || (double)copies >= expert_threshold("pageable_copies.copies");
    bool is_reported = recurs && step_share(step, gain) > expert_threshold("pageable_copies.share");
    struct finding *finding =
        step_take_finding(step, findings, &detect_pageable_copies, is_reported, gain,
                          step->has_steps ? CERTAINTY_CERTAIN : CERTAINTY_LIKELY);
    note_loading(step, scan, findings);
    if (!finding)
        return;
    finding->place = step_node_text(step, step_place(step, scan));
    finding->problem = arena_format(
        step->arena, "Copies from pageable memory block the host: %s %s of copying and of waiting",
        step_duration(step, gain), step_unit(step));
    finding->recommendation =
        "Copy from pinned memory and without blocking (pin_memory=True in the loader, "
        ".to(device, non_blocking=True)), on a stream of its own one batch ahead: then kernels run "
        "beside it and the host goes on launching";
    finding->why = arena_format(
        step->arena,
        "%s, of memory that is not pinned: each call lasts until its copy is "
        "done, %s %s in all. Counted: %s of copies with no kernel beside them, and %s with an "
        "empty queue after them, both together at most the time in the calls: without them the "
        "host is ahead by that",
        detect_copied_text(copies, step_sum(step, scan, SUM_SIZED), step_sum(step, scan, SUM_BYTES),
                           step->arena),
        step_duration(step, step_sum(step, scan, SUM_CALLED)), step_unit(step),
        step_duration(step, copying), step_duration(step, gain - copying));
    finding->opens = "launches";
    finding->evidence.function = step_leader(step, scan).best;
}

const struct detector detect_pageable_copies = {
    .id = "pageable_copies",
    .title = "copies from pageable memory block the host",
    .doc = "Copies of more than 64 KiB from pageable memory to the GPU whose calls last until they "
           "are done take more than pageable_copies.share of the step: with no kernel beside them, "
           "or with the GPU idle afterwards in the same step because the host is late. Where no "
           "steps are found there must be pageable_copies.copies of them; those before the first "
           "kernel whose sizes do not come again are the loading of the program, above "
           "pageable_copies.loading a note. Bound: that time, at most the time in the calls.",
    .needs_all_work = true,
    .scan = pageable_copies_scan,
    .judge = pageable_copies,
};
