// SPDX-License-Identifier: Apache-2.0
// Detects a profiler that delays the program: no gain for the program, but a better capture.
#include "analysis/detect/cause_time.h"
#include "analysis/detect/finding.h"
#include "model/profile/recorder.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(profiler_overhead);

static void profiler_overhead_scan(struct scan *scan)
{
    struct step_line *line = scan->line;
    const struct overheads *rows = &line->profile->overheads;
    struct host_slack slack = {.scan = scan};
    slack_add_activity(&slack, HOST_PROFILER, INT64_MIN, INT64_MAX, 0);
    slack_request(&slack);
    for (uint32_t i = 0; i < rows->count; i++)
        if (overhead_activity(profile_text(line->profile, rows->name[i])) == HOST_PROFILER)
            scan_list_add(scan, &scan->names,
                          line_window_at(line, AT(rows->start, i) - line->idle->skew_ns),
                          rows->name[i], AT(rows->end, i) - AT(rows->start, i));
    // Idle time that the profiler caused is claimed in any case: no change of the program recovers
    // it.
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        for (size_t i = interval->first_part; i < interval->end_part; i++) {
            int64_t from, to;
            if (idle_part_cause(line->idle, i) == IDLE_PROFILER &&
                interval_part(line, interval, i, &from, &to))
                requests_add(&scan->more, line->scratch, from, to, 0, interval->window);
        }
    }
}

static void profiler_overhead(struct step *step, const struct scan *scan,
                              struct finding_list *findings)
{
    int64_t gain = grants_measure(&step->grants);
    double share = expert_threshold("profiler_overhead.share");
    bool has_steps = !report_missing_steps(
        step, findings, &detect_profiler_overhead, gain, share,
        "The profiler itself keeps the GPU waiting; without steps it is not told "
        "whether only at the beginning");
    bool is_reported =
        has_steps && step_share(step, gain) > share &&
        step_windows_hit(step) > expert_threshold("profiler_overhead.steps") * step->window_count;
    struct finding *finding = step_take_finding(step, findings, &detect_profiler_overhead,
                                                is_reported, gain, CERTAINTY_CERTAIN);
    grants_set_requests(&step->grants, &scan->more);
    grants_take(&step->grants, NULL);
    if (!finding)
        return;
    const char *name = longest_name(step, &scan->names);
    finding->problem = arena_format(
        step->arena,
        "The profiler itself keeps the GPU waiting: %s %s. This is no gain: capture differently",
        step_duration(step, gain), step_unit(step));
    finding->recommendation = recorder_advice_text(step->profile, ADVISE_LESS);
    finding->why = arena_format(
        step->arena,
        "The profiler's own rows%s on threads that launch. The bound is the idle time that they "
        "make: the program without a profiler is faster by about that",
        name ? arena_format(step->arena, ", most of them \"%s\",", name) : "");
    finding->opens = "trust";
}

const struct detector detect_profiler_overhead = {
    .id = "profiler_overhead",
    .title = "the profiler holds the program up",
    .doc = "The profiler says that it was busy with itself on threads that launch, and the GPU is "
           "idle for it in more than profiler_overhead.steps of the steps and for more than "
           "profiler_overhead.share of the step. A full queue, compiling and loading do not count. "
           "Bound: that idle time, which is no gain for the program.",
    .needs_all_work = true,
    .scan = profiler_overhead_scan,
    .judge = profiler_overhead,
};
