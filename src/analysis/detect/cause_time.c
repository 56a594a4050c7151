// SPDX-License-Identifier: Apache-2.0
// Helpers shared by detectors that each look for idle time of one particular cause.
#include "analysis/detect/cause_time.h"

#include <string.h>

#include "analysis/sums/work_text.h"
#include "base/text/text.h"
#include "model/profile/api_name.h"
#include "model/profile/recorder.h"

struct cause_time cause_time(const struct step *step, const struct scan *scan)
{
    return (struct cause_time){
        .idle_ns = step_sum(step, scan, SUM_IDLE),
        .waits = (uint32_t)step_sum(step, scan, SUM_WAITS),
        .hit = step_hits(step, scan, SUM_IDLE),
        .node = step_place(step, scan),
    };
}

bool cause_time_is_frequent(const struct step *step, const struct cause_time *time, double part,
                            double share)
{
    enum { MIN_WAITS = 3 }; // without steps: fewer waits may be start-up
    return time->hit > part * step->window_count && (step->has_steps || time->waits >= MIN_WAITS) &&
           step_share(step, time->idle_ns) > share;
}

static void add_not_judged(const struct step *step, struct finding_list *findings,
                           const struct detector *detector, const char *problem)
{
    struct finding *finding = finding_add(findings, detector, SEVERITY_NOT_JUDGED);
    finding->problem = problem;
    finding->recommendation = arena_format(
        findings->arena,
        "Say where steps begin: `:key` on the screen, or --key_op, shows what could cut the run "
        "into them. %s",
        recorder_advice_text(step->profile, ADVISE_STEPS));
    finding->flag = step->profile->ranges.count ? NULL : "-t cuda,nvtx,osrt";
}

bool report_missing_steps(const struct step *step, struct finding_list *findings,
                          const struct detector *detector, int64_t ns, double share,
                          const char *problem)
{
    if (!step->has_steps && step_share(step, ns) > share)
        add_not_judged(step, findings, detector, problem);
    return !step->has_steps;
}

bool report_missing_step_starts(const struct step *step, struct finding_list *findings,
                                const struct detector *detector, int64_t ns, double share,
                                const char *problem)
{
    bool lacks = !step->has_steps || split_words_of(step->selection->split)->is_time;
    if (lacks && step_share(step, ns) > share)
        add_not_judged(step, findings, detector, problem);
    return lacks;
}

void finding_set_idle_evidence(struct finding *finding, const char *filter)
{
    finding->opens = "idle";
    finding->filter = filter;
}

int64_t slack_add_unclassified(struct host_slack *slack, uint32_t thread, int64_t from, int64_t to,
                               uint32_t group)
{
    const struct host_line *line = driving_line(slack->scan->line, thread);
    int64_t sum = 0;
    size_t i = line ? host_line_at(line, 0, from) : SIZE_MAX;
    if (i == SIZE_MAX)
        return 0;
    for (; i < line->count && line->intervals[i].at < to; i++) {
        const struct host_interval *interval = &line->intervals[i];
        int64_t start = interval->at > from ? interval->at : from;
        int64_t end = i + 1 < line->count ? line->intervals[i + 1].at : to;
        end = end < to ? end : to;
        if (interval->activity != HOST_BUSY && interval->activity != HOST_NOTHING)
            continue;
        slack_add(slack, start, end, group);
        sum += end > start ? end - start : 0;
    }
    return sum;
}

int64_t step_host_idle_ns(const struct step *step)
{
    int64_t ns[IDLE_CAUSES] = {0};
    for (uint32_t i = 0; i < step->window_count; i++) {
        const struct line_window *window = &step->line->windows[step->windows[i]];
        idle_add(step->line->idle, window->from, window->to, ns);
    }
    return ns[IDLE_HOST] + ns[IDLE_UNKNOWN];
}

const char *longest_name(const struct step *step, const struct scan_list *names)
{
    const int64_t *ns = step_list(step, names);
    string_id best = 0;
    for (string_id id = 0; id < names->ids; id++)
        best = ns[id] > ns[best] ? id : best;
    if (names->ids == 0 || ns[best] == 0)
        return NULL;
    const char *name = profile_text(step->profile, best);
    name = arena_copy(step->arena, name, api_name_length(name));
    return text_safe(step->arena, name, strlen(name), true);
}
