// SPDX-License-Identifier: Apache-2.0
// Detects memory that is allocated and freed through the driver in each step while the GPU waits.
#include "analysis/detect/cause_time.h"
#include "analysis/detect/finding.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(allocator);

static void allocator_scan(struct scan *scan)
{
    struct host_slack slack = {.scan = scan};
    if (scan->line->has_untraced_work)
        return;
    scan_idle(scan, IDLE_ALLOCATOR);
    slack_add_activity(&slack, HOST_ALLOCATOR, INT64_MIN, INT64_MAX, 0);
    slack_request(&slack);
}

static void allocator(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    if (step->has_untraced_work)
        return;
    struct cause_time time = cause_time(step, scan);
    if (report_missing_steps(step, findings, &detect_allocator, time.idle_ns,
                             expert_threshold("allocator.share"),
                             "Memory is allocated while the GPU waits; without steps it is not "
                             "told whether that goes on after the warm-up"))
        return;
    int64_t gain = grants_measure(&step->grants);
    bool is_reported = cause_time_is_frequent(step, &time, expert_threshold("allocator.steps"),
                                              expert_threshold("allocator.share"));
    struct finding *finding = step_take_finding(step, findings, &detect_allocator, is_reported,
                                                gain, step_host_certainty(step));
    if (!finding)
        return;
    finding->problem = arena_format(
        step->arena, "Memory is allocated and freed in the step, and the GPU waits: %s %s",
        step_duration(step, gain), step_unit(step));
    finding->recommendation =
        "Keep the memory: with PyTorch, less fragmentation (expandable_segments:True in "
        "PYTORCH_CUDA_ALLOC_CONF), no torch.cuda.empty_cache() in the step, less memory in use; "
        "elsewhere allocate once or with cudaMallocAsync. cudaFree waits for the whole GPU";
    finding->why = arena_format(
        step->arena,
        "Calls that allocate or free memory keep the GPU idle %s, for %s %s. The "
        "bound also holds what is idle later because everything is launched later",
        step_hits_text(step, time.hit), step_duration(step, time.idle_ns), step_unit(step));
    finding->place = step_node_text(step, time.node);
    finding_set_idle_evidence(finding, "cause:allocator");
}

const struct detector detect_allocator = {
    .id = "allocator",
    .title = "memory is allocated and freed in the step",
    .doc = "The GPU is idle while a thread that launches is in a call that allocates or frees "
           "memory through the driver, in more than allocator.steps of the steps and for more than "
           "allocator.share of the step. Allocations in stream order from a pool do not count. "
           "Bound: the idle time that goes away when the host launches earlier by these calls.",
    .needs_all_work = true,
    .scan = allocator_scan,
    .judge = allocator,
};
