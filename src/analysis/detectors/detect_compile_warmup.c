// SPDX-License-Identifier: Apache-2.0
// Detects chosen steps that compile and load code, and so do not represent the other steps.
#include "analysis/detect/compile_time.h"
#include "analysis/detect/finding.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(compile_warmup);

struct warmup {
    uint32_t leading; // number of windows at the beginning of the line that compile
    bool warms_up;
};

static void compile_warmup_scan(struct scan *scan)
{
    struct host_slack slack = {.scan = scan};
    struct warmup *warmup = scan->own = ARENA_NEW(scan->arena, struct warmup);
    if (scan->line->has_untraced_work)
        return;
    struct compile_time time = compile_scan(scan);
    *warmup = (struct warmup){time.leading, time.warms_up};
    compile_spend(&slack, INT64_MIN, time.begun_ns);
    // First-time allocations belong to the warm-up.
    slack_add_activity(&slack, HOST_ALLOCATOR, INT64_MIN, time.begun_ns, 0);
    slack_request(&slack);
}

static void compile_warmup(struct step *step, const struct scan *scan,
                           struct finding_list *findings)
{
    const struct warmup *warmup = scan->own;
    if (step->has_untraced_work)
        return;
    struct cause_time time = cause_time(step, scan);
    if (report_missing_steps(step, findings, &detect_compile_warmup, time.idle_ns,
                             expert_threshold("compile_warmup.share"),
                             "Code is compiled while the GPU waits; without steps it is not told "
                             "whether that is the warm-up"))
        return;
    uint32_t leading = 0; // among the chosen windows
    while (leading < step->window_count && step->windows[leading] < warmup->leading)
        leading++;
    struct step leading_steps = *step; // only the leading windows
    leading_steps.window_count = leading;
    int64_t gain = grants_measure(&step->grants);
    bool is_reported = leading > 0 && leading < step->window_count && warmup->warms_up &&
                       step_share(step, gain) > expert_threshold("compile_warmup.share");
    struct finding *finding = step_take_finding(step, findings, &detect_compile_warmup, is_reported,
                                                gain, step_host_certainty(step));
    if (!finding)
        return;
    finding->problem =
        leading == 1
            ? arena_format(step->arena,
                           "The first of %u steps compiles and loads code: leave it out, the later "
                           "ones do not",
                           step->window_count)
            : arena_format(step->arena,
                           "The first %u of %u steps compile and load code: leave them out, the "
                           "later ones do not",
                           leading, step->window_count);
    finding->recommendation =
        "Choose the steps after them: all other figures and findings are of all that are chosen. "
        "To start faster, keep compiled code (a cache folder of torch.compile, Triton or "
        "CUDA_CACHE_PATH) and warm up before what counts";
    finding->why = arena_format(
        step->arena,
        "While code is compiled or loaded the GPU is idle for %s %s on the average of all steps "
        "chosen, all of it in the first %u. The bound is what the mean step loses with them, for "
        "memory that is taken for the first time as well",
        step_duration(step, step_sum(&leading_steps, scan, SUM_IDLE)), step_unit(step), leading);
    finding->place = step_node_text(step, time.node);
    finding_set_idle_evidence(finding, "cause:compile");
}

const struct detector detect_compile_warmup = {
    .id = "compile_warmup",
    .title = "steps that compile are in the set",
    .doc =
        "The GPU is idle while a thread that launches compiles or loads code, in the first steps "
        "of the capture, at most compile_warmup.steps of all; some of these are chosen together "
        "with others, and that idle time is more than compile_warmup.share of what is chosen. "
        "Bound: the idle time that goes away when the host launches earlier by this and by what "
        "it takes of memory for the first time in these steps; leaving the steps out gains it for "
        "the figures only.",
    .needs_all_work = true,
    .scan = compile_warmup_scan,
    .judge = compile_warmup,
};
