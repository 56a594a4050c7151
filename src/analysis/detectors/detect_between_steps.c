// SPDX-License-Identifier: Apache-2.0
// Detects idle time between the last launch of a step and the first of the next.
#include "analysis/detect/cause_time.h"
#include "analysis/detect/finding.h"
#include "base/search.h"
#include "base/sort.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(between_steps);

enum { SUM_HOST = SUM_OWN }; // ns that the host spends between steps

static void scan_os_calls(struct scan *scan, uint32_t thread, int64_t from, int64_t to,
                          uint32_t window)
{
    const struct profile *profile = scan->line->profile;
    const struct os_calls *osrt = &profile->osrt;
    uint32_t call = column_from(osrt->start, profile->threads[thread].first_osrt,
                                profile->threads[thread].end_osrt, from);
    for (; call < profile->threads[thread].end_osrt && AT(osrt->start, call) < to; call++) {
        int64_t end = AT(osrt->end, call) < to ? AT(osrt->end, call) : to;
        scan_list_add(scan, &scan->names, window, AT(osrt->name, call),
                      end - AT(osrt->start, call));
    }
}

struct step_launch_times { // the launches of one step
    int64_t end, start;    // end of the last launch and start of the first one
    uint32_t thread;       // thread of the first launch
};

// Requests the time between the last launch of a step and the first of the next, or of work outside
// of steps, on any thread. It is attributed to the earlier step, because that step's window extends
// beyond its last launch.
static void between_steps_scan(struct scan *scan)
{
    struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    const struct api_calls *api = &profile->api;
    uint32_t count = line->window_count;
    struct host_slack slack = {.scan = scan};
    if (line->has_untraced_work)
        return;
    struct step_launch_times *times =
        ARENA_ARRAY(line->scratch, struct step_launch_times, (size_t)count + 1);
    int64_t *outside = NULL; // launch times of work outside of steps
    size_t outside_count = 0, outside_capacity = 0;
    for (uint32_t i = 0; i < count; i++)
        times[i] = (struct step_launch_times){INT64_MIN, INT64_MAX, ROW_NONE};
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        const struct thread *thread = &profile->threads[t];
        for (uint32_t call = thread->first_api; driving_line(line, t) && call < thread->end_api;
             call++) {
            if (AT(api->first_work, call) == AT(api->first_work, call + 1))
                continue;
            uint32_t work = AT(api->work_rows, AT(api->first_work, call));
            uint32_t window = line_window_of(line, work);
            if (work_device(profile, work) != line->device)
                continue;
            if (window == ROW_NONE) {
                ARENA_PUSH(line->scratch, outside, outside_count, outside_capacity) =
                    AT(api->start, call);
                continue;
            }
            struct step_launch_times *launches = &times[window];
            launches->end = AT(api->end, call) > launches->end ? AT(api->end, call) : launches->end;
            if (AT(api->start, call) < launches->start) {
                launches->start = AT(api->start, call);
                launches->thread = t;
            }
        }
    }
    if (outside_count)
        sort_values(outside, outside_count);
    for (uint32_t w = 1; w < count; w++) {
        if (times[w].thread == ROW_NONE || times[w - 1].thread == ROW_NONE)
            continue;
        int64_t from = times[w - 1].end, to = times[w].start;
        size_t next = search_from(outside, 0, (uint32_t)outside_count, from);
        to = next < outside_count && outside[next] < to ? outside[next] : to;
        scan_add(scan, SUM_HOST, w - 1,
                 slack_add_unclassified(&slack, times[w].thread, from, to, 0));
        scan_os_calls(scan, times[w].thread, from, to, w - 1);
    }
    slack_request(&slack);
}

static void between_steps(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    if (step->has_untraced_work)
        return;
    if (report_missing_step_starts(
            step, findings, &detect_between_steps, step_host_idle_ns(step),
            expert_threshold("between_steps.share"),
            "The GPU waits for the host; without steps it is not told whether "
            "between them"))
        return;
    int64_t gain = grants_measure(&step->grants);
    uint32_t hit = step_windows_hit(step);
    bool is_reported = hit >= expert_threshold("between_steps.steps") &&
                       step_share(step, gain) > expert_threshold("between_steps.share");
    struct finding *finding = step_take_finding(step, findings, &detect_between_steps, is_reported,
                                                gain, step_host_certainty(step));
    if (!finding)
        return;
    const char *name = longest_name(step, &scan->names);
    finding->problem =
        arena_format(step->arena, "The GPU is idle between steps%s: %s %s",
                     name ? arena_format(step->arena, ", where the host is in %s", name) : "",
                     step_duration(step, gain), step_unit(step));
    finding->recommendation =
        "Do what lies between steps less often or in a thread beside: logging, writing and "
        "flushing files, checkpoints (copy to pinned memory and save from there), switching "
        "between training and evaluation; queue the next step's work before it";
    finding->why = arena_format(
        step->arena,
        "From the last launch of a step to the first of the next the host spends %s %s, not "
        "counting data loaders and waits. The bound is the idle time that this makes, %s",
        step_duration(step, step_sum(step, scan, SUM_HOST)), step_unit(step),
        step_hits_text(step, hit));
    finding->opens = "iterations";
}

const struct detector detect_between_steps = {
    .id = "between_steps",
    .title = "the GPU is idle between steps",
    .doc =
        "The host spends time between the last launch of a step and the first of the next, or of "
        "work outside of steps, in no data loader, synchronising call, compiler or allocator, and "
        "the GPU is idle for it in at least between_steps.steps steps and for more than "
        "between_steps.share of the step. Bound: the idle time that goes away when the host "
        "launches earlier by that time.",
    .needs_all_work = true,
    .scan = between_steps_scan,
    .judge = between_steps,
};
