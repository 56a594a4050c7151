// SPDX-License-Identifier: Apache-2.0
// Detects code that is compiled repeatedly, long after the first steps.
#include "analysis/detect/compile_time.h"
#include "analysis/detect/finding.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(recompile);

// A single step after the first ones may have a new shape once.
static void recompile_scan(struct scan *scan)
{
    struct host_slack slack = {.scan = scan};
    uint32_t *first = scan->own = ARENA_NEW(scan->arena, uint32_t); // first window that counts
    if (scan->line->has_untraced_work)
        return;
    struct compile_time time = compile_scan(scan);
    *first = time.warms_up ? time.leading : 0;
    compile_spend(&slack, time.warms_up ? time.begun_ns : INT64_MIN, INT64_MAX);
    slack_request(&slack);
}

static void recompile(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    const uint32_t *first = scan->own;
    if (step->has_untraced_work)
        return;
    struct cause_time time = cause_time(step, scan);
    if (report_missing_steps(step, findings, &detect_recompile, time.idle_ns,
                             expert_threshold("recompile.share"),
                             "Code is compiled while the GPU waits; without steps it is not told "
                             "whether that goes on after the warm-up"))
        return;
    uint32_t hit = 0;
    for (uint32_t i = 0; i < step->window_count; i++)
        hit += step->windows[i] >= *first && step_is_hit(scan, SUM_IDLE, step->windows[i]);
    int64_t gain = grants_measure(&step->grants);
    bool is_reported = hit >= expert_threshold("recompile.steps") &&
                       step_share(step, gain) > expert_threshold("recompile.share");
    struct finding *finding = step_take_finding(step, findings, &detect_recompile, is_reported,
                                                gain, step_host_certainty(step));
    if (!finding)
        return;
    finding->problem =
        arena_format(step->arena, "Code is compiled again %s, and the GPU waits: %s %s",
                     step_hits_text(step, hit), step_duration(step, gain), step_unit(step));
    finding->recommendation =
        "See what changes (TORCH_LOGS=recompiles): pad shapes to a few sizes, mark dimensions "
        "dynamic (torch.compile(dynamic=True), mark_dynamic), keep Python numbers that change out "
        "of compiled functions; compile all sizes before the first step";
    finding->why = arena_format(
        step->arena,
        "While code is compiled or loaded the GPU is idle for %s %s on the average. The bound "
        "holds the Python between two loads, and what is idle later because everything is launched "
        "later",
        step_duration(step, time.idle_ns), step_unit(step));
    finding->place = step_node_text(step, time.node);
    finding_set_idle_evidence(finding, "cause:compile");
}

const struct detector detect_recompile = {
    .id = "recompile",
    .title = "code is compiled again and again",
    .doc = "The GPU is idle while a thread that launches compiles or loads code, in at least "
           "recompile.steps steps that are not the first ones (compile_warmup), for more than "
           "recompile.share of all. Bound: the idle time that goes away when the host launches "
           "earlier by this.",
    .needs_all_work = true,
    .scan = recompile_scan,
    .judge = recompile,
};
