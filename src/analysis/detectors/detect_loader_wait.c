// SPDX-License-Identifier: Apache-2.0
// Detects idle time in which the GPU waits for the data loader.
#include <string.h>

#include "analysis/detect/finding.h"
#include "analysis/detect/loader_time.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(loader_wait);

// PyTorch's loader without workers is recognised by its class name.
static const char *remedy(const char *place)
{
    if (place && strstr(place, "_SingleProcess"))
        return "The loader has no workers: num_workers is 0, and the thread that launches makes "
               "each batch itself. num_workers=4 or more, with pin_memory=True; then less to do "
               "for each batch: decode beforehand or on the GPU";
    return "More loader workers or a larger prefetch_factor, pin_memory=True, and less to do for "
           "each batch: decode beforehand or on the GPU; see what the workers wait for";
}

static void loader_wait(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    if (step->has_untraced_work)
        return;
    struct cause_time time = cause_time(step, scan);
    bool is_inferred = step_sum(step, scan, SUM_INFERRED) > 0;
    int64_t gain = grants_measure(&step->grants);
    // Long waits in a few of many steps, as at the start of an epoch, cost as much.
    bool is_often = step->has_steps && time.hit >= expert_threshold("loader_wait.hits");
    bool is_reported =
        cause_time_is_frequent(step, &time, is_often ? 0 : expert_threshold("loader_wait.steps"),
                               expert_threshold("loader_wait.share"));
    struct finding *finding =
        step_take_finding(step, findings, &detect_loader_wait, is_reported, gain,
                          is_inferred ? CERTAINTY_LIKELY : step_host_certainty(step));
    if (!finding)
        return;
    const char *steps =
        step->has_steps ? arena_format(step->arena, ", %s", step_hits_text(step, time.hit)) : "";
    finding->problem = arena_format(step->arena, "The GPU waits for the data loader%s: %s %s",
                                    steps, step_duration(step, gain), step_unit(step));
    finding->why = arena_format(
        step->arena,
        "The thread that launches %s for %s %s; for %s of it nothing runs on the GPU. The rest "
        "counts only where the GPU is idle later because everything is launched later",
        is_inferred ? "waits in the operating system before the batch is copied, as for a "
                      "data loader,"
                    : "is inside the loader",
        step_duration(step, step_sum(step, scan, SUM_LOADING)), step_unit(step),
        step_duration(step, time.idle_ns));
    finding->place = step_node_text(step, time.node);
    finding->recommendation = remedy(finding->place);
    finding_set_idle_evidence(finding, "cause:data");
}

const struct detector detect_loader_wait = {
    .id = "loader_wait",
    .title = "the GPU waits for the data loader",
    .doc = "The GPU is idle while a thread that launches is inside a range of a data loader (no "
           "such range: waits in the operating system before the first copy of a batch; likely), "
           "in more than loader_wait.steps of the steps, or loader_wait.hits of them, and for more "
           "than loader_wait.share of the step. Bound: the idle time that goes away when the host "
           "launches earlier by that wait.",
    .needs_all_work = true,
    .scan = loader_scan,
    .judge = loader_wait,
};
