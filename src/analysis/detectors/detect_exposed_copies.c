// SPDX-License-Identifier: Apache-2.0
// Detects exposed copies between host and GPU: those that run while no kernel computes.
#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "model/profile/copy_kinds.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(exposed_copies);

static bool is_host_copy(const struct step_line *line, uint32_t work)
{
    const struct copy *copy = work_copy(line->profile, work);
    if (!copy)
        return false;
    // Without steps, copies from pageable memory may be the one-time loading of the model.
    bool is_pageable = copy->src_kind == MEMORY_PAGEABLE || copy->dst_kind == MEMORY_PAGEABLE;
    return (copy->copy_kind == COPY_HTOD || copy->copy_kind == COPY_DTOH) &&
           (line->has_steps || !is_pageable);
}

enum {
    SUM_EXPOSED = SUM_OWN,
    SUM_ON_COMPUTE, // of SUM_EXPOSED: on compute streams
    SUM_HIDDEN,     // time of such copies that kernels hide; these kernels cannot hide more
    SUM_COPIES,     // number of exposed copies
    SUM_SIZED,      // of them with known bytes
    SUM_BYTES,      // these bytes
};

static void exposed_copies_scan(struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    const struct gpu_work *work = &profile->work;
    const struct device *device = &profile->devices[line->device];
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        if (is_host_copy(line, w))
            scan_add(scan, SUM_HIDDEN, line_window_of(line, w),
                     AT(work->end, w) - AT(work->start, w) - AT(work->exclusive, w));
    uint32_t previous_work = ROW_NONE;
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->class != CLASS_COPY || !is_host_copy(line, interval->work))
            continue;
        int64_t length = interval->to - interval->from;
        scan_add(scan, SUM_EXPOSED, interval->window, length);
        if (profile->streams[AT(work->stream, interval->work)].role == ROLE_COMPUTE)
            scan_add(scan, SUM_ON_COMPUTE, interval->window, length);
        if (interval->work != previous_work) {
            scan_add(scan, SUM_COPIES, interval->window, 1);
            int64_t bytes = work_bytes(profile, interval->work);
            scan_add(scan, SUM_SIZED, interval->window, bytes != UNKNOWN);
            scan_add(scan, SUM_BYTES, interval->window, bytes == UNKNOWN ? 0 : bytes);
        }
        previous_work = interval->work;
        scan_function(scan, interval->window, previous_work, length);
        scan_layer(scan, interval->window, previous_work, length);
    }
    detect_request_copies(scan, is_host_copy);
}

static void exposed_copies(struct step *step, const struct scan *scan,
                           struct finding_list *findings)
{
    int64_t exposed = step_sum(step, scan, SUM_EXPOSED);
    int64_t gain =
        step_limit(step, step->compute_ns + step->opaque_ns - step_sum(step, scan, SUM_HIDDEN));
    bool is_reported = step_share(step, gain) > expert_threshold("exposed_copies.share");
    struct finding *finding = step_take_finding(step, findings, &detect_exposed_copies, is_reported,
                                                gain, CERTAINTY_LIKELY);
    if (!finding)
        return;
    bool is_on_compute = 2 * step_sum(step, scan, SUM_ON_COMPUTE) > exposed;
    struct leader leader = step_leader(step, scan);
    finding->place = step_node_text(step, step_place(step, scan));
    finding->problem = arena_format(
        step->arena, "Copies between host and GPU are not hidden%s: %s %s with nothing beside them",
        is_on_compute ? ", they are on a compute stream" : "", step_duration(step, gain),
        step_unit(step));
    finding->recommendation =
        is_on_compute
            ? "Copy on a stream of its own from pinned memory, one batch or layer ahead, so that "
              "kernels run meanwhile; keep on the GPU what is copied again in every step"
            : "Start the copies earlier, one batch ahead (pin_memory=True, non_blocking=True), "
              "and copy less: smaller types, what is used again kept on the GPU";
    finding->why = arena_format(
        step->arena,
        "%s, most of it %s; %s %s with nothing beside them. The bound "
        "is at most the computing that is there to hide it",
        detect_copied_text(step_sum(step, scan, SUM_COPIES), step_sum(step, scan, SUM_SIZED),
                           step_sum(step, scan, SUM_BYTES), step->arena),
        leader_name(step, &leader), step_duration(step, exposed), step_unit(step));
    finding->opens = leader.count == 1 ? "launches" : "memory";
    if (leader.count == 1)
        finding->evidence.function = leader.best;
}

const struct detector detect_exposed_copies = {
    .id = "exposed_copies",
    .title = "copies are not hidden",
    .doc = "Copies between host and GPU with no kernel beside them take more than "
           "exposed_copies.share of the step. Where no steps are found only those from and to "
           "pinned memory count. Bound: that time, at most the computing that could hide it.",
    .needs_all_work = true,
    .scan = exposed_copies_scan,
    .judge = exposed_copies,
};
