// SPDX-License-Identifier: Apache-2.0
// Adds a note about work that already runs about as fast as the GPU can, so that users do not spend
// time on it.
#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "analysis/op_runs/run_limits.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(near_limit);

enum {
    SUM_NEAR = SUM_OWN, // ns of such work
    SUM_MEMORY,         // the part of it that is limited by memory
};

// A product at the limit of FP32 or TF32 does not count, as 16 bits have a higher limit.
static bool is_near(const struct limited_run *run)
{
    unsigned limit = roofline_limit(&run->sums);
    return limited_run_ideal_share(run) >= expert_threshold("near_limit.limit") &&
           !run->sums.is_guess && limit != LIMIT_FP64 && limit != LIMIT_FP64_TC &&
           limit != LIMIT_FP32 && limit != LIMIT_TF32;
}

static void near_limit_scan(struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct run_limits *limits = line->limits;
    if (!limits)
        return;
    bool *near = ARENA_ARRAY(line->scratch, bool, limits->run_count + 1);
    for (uint32_t r = 0; r < limits->run_count; r++)
        near[r] = is_near(&limits->runs[r]);
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        const struct limited_kernel *kernel =
            interval->class == CLASS_COMPUTE ? run_limits_kernel(limits, interval->work) : NULL;
        if (!kernel || !near[kernel->run])
            continue;
        int64_t length = interval->to - interval->from;
        scan_add(scan, SUM_NEAR, interval->window, length);
        if (roofline_limit(&limits->runs[kernel->run].sums) == LIMIT_MEMORY)
            scan_add(scan, SUM_MEMORY, interval->window, length);
        scan_function(scan, interval->window, interval->work, length);
        scan_layer(scan, interval->window, interval->work, length);
    }
}

static void near_limit(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    int64_t ns = step_sum(step, scan, SUM_NEAR), memory_ns = step_sum(step, scan, SUM_MEMORY);
    if (step_share(step, ns) <= expert_threshold("near_limit.share"))
        return;
    struct leader leader = step_leader(step, scan);
    struct finding *finding = step_note(step, findings, &detect_near_limit);
    uint32_t node = step_place(step, scan);
    finding->place = step_node_text(step, node);
    finding->problem = arena_format(
        step->arena, "%s %s, %.1f%%, run about as fast as the GPU can: leave them alone",
        step_duration(step, ns), step_unit(step), 100 * step_share(step, ns));
    finding->recommendation =
        "Only less work makes them faster: fewer or smaller tensors, a type of fewer bits, or, of "
        "what waits for memory, fusing it with its neighbours";
    finding->why =
        arena_format(step->arena,
                     "Most of it: %s. Of their time both limits allow at least %.0f%%; %.0f%% of "
                     "it waits for memory, the rest computes",
                     leader_name(step, &leader), 100 * expert_threshold("near_limit.limit"),
                     ns > 0 ? 100 * (double)memory_ns / (double)ns : 0);
    finding->opens = "roofline_kernels";
    if (leader.count == 1)
        finding->evidence.function = leader.best;
    else
        finding_set_layer_evidence(finding, node);
    finding->filter = arena_format(step->arena, "percent>=%g !limit:fp64|[ft][pf]32",
                                   100 * expert_threshold("near_limit.limit"));
    finding->sort = "-gpu";
}

const struct detector detect_near_limit = {
    .id = "near_limit",
    .title = "work close to what the GPU can do",
    .doc = "Ops whose time is at least by near_limit.limit what computing (in 16 bit or less) or "
           "memory allow, as in the roofline, take more than near_limit.share of the step. A note: "
           "nothing is wrong with them.",
    .needs_no_times = true,
    .scan = near_limit_scan,
    .judge = near_limit,
};
