// SPDX-License-Identifier: Apache-2.0
// Detects a late worker of the data loader: every n-th step waits.
#include "analysis/detect/finding.h"
#include "analysis/detect/loader_time.h"
#include "base/text/format.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(loader_worker);

// Returns the constant distance between steps that are hit, or 0 if it varies.
static uint32_t hit_distance(const struct step *step, const struct scan *scan)
{
    uint32_t last_window = ROW_NONE, distance = 0, hits = 0;
    for (uint32_t i = 0; i < step->window_count; i++) {
        uint32_t window = step->windows[i];
        if (!step_is_hit(scan, SUM_IDLE, window))
            continue;
        if (last_window != ROW_NONE && distance && window - last_window != distance)
            return 0;
        distance = last_window == ROW_NONE ? 0 : window - last_window;
        last_window = window;
        hits++;
    }
    return hits >= expert_threshold("loader_worker.hits") ? distance : 0;
}

static void loader_worker(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    if (step->has_untraced_work)
        return;
    struct cause_time time = cause_time(step, scan);
    if (report_missing_steps(step, findings, &detect_loader_worker, time.idle_ns,
                             expert_threshold("loader_worker.share"),
                             "The GPU waits for data; without steps it is not told whether always "
                             "for the same worker"))
        return;
    uint32_t distance = hit_distance(step, scan);
    int64_t gain = grants_measure(&step->grants);
    bool is_reported =
        distance > 1 && step_share(step, time.idle_ns) > expert_threshold("loader_worker.share");
    struct finding *finding = step_take_finding(
        step, findings, &detect_loader_worker, is_reported, gain,
        step_sum(step, scan, SUM_INFERRED) > 0 ? CERTAINTY_LIKELY : step_host_certainty(step));
    if (!finding)
        return;
    char each[FORMAT_SIZE];
    finding->problem = arena_format(
        step->arena, "One step in %u waits for its batch: one of %u loader workers is late",
        distance, distance);
    finding->recommendation =
        "See what that worker reads: a shard on slower storage, larger files, a core that it "
        "shares; a larger prefetch_factor evens out what is late only now and then";
    finding->why = arena_format(
        step->arena,
        "%u of %u steps wait, each %u after the one before, and in each of them the GPU is idle "
        "for %s: as workers take turns, that is one of %u. On the average of all steps it is %s "
        "%s",
        time.hit, step->window_count, distance,
        format_duration(each, time.idle_ns / time.hit, true), distance,
        step_duration(step, time.idle_ns), step_unit(step));
    finding->place = step_node_text(step, time.node);
    finding->opens = "idle_gaps"; // the single gaps, to show in which steps they are
    finding->filter = "cause:data";
}

const struct detector detect_loader_worker = {
    .id = "loader_worker",
    .title = "one worker of the data loader is late",
    .doc = "The GPU waits for the data loader as in loader_wait, but in every n-th step only, at "
           "least loader_worker.hits times and always as many steps apart (n workers take turns), "
           "for more than loader_worker.share of all steps. Bound: as in loader_wait.",
    .needs_all_work = true,
    .scan = loader_scan,
    .judge = loader_worker,
};
