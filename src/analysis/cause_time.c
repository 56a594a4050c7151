// SPDX-License-Identifier: Apache-2.0
#include "analysis/cause_time.h"

#include <string.h>

#include "analysis/work_text.h"
#include "base/text.h"

bool cause_time_hits(const struct cause_time *time, uint32_t window)
{
    enum { WORTH_NS = 50000 }; // a step with less is not hit
    return time->window_ns[window] >= WORTH_NS;
}

struct cause_time cause_time(const struct step *step, enum idle_cause cause)
{
    struct cause_time time = {.node = ROW_NONE};
    int64_t *node_ns = step_node_sums(step);
    time.window_ns = ARENA_ARRAY(step->scratch, int64_t, (size_t)step->window_count + 1);
    for (size_t s = 0; s < step->count; s++) {
        const struct stretch *stretch = &step->stretches[s];
        for (size_t i = stretch->first_part; i < stretch->end_part; i++) {
            const struct idle_part *part = &step->idle->parts[i];
            int64_t from, to;
            if (part->cause != cause || !stretch_part(step, stretch, i, &from, &to))
                continue;
            uint32_t node = idle_node(step->profile, step->selection, part);
            node_ns[node == ROW_NONE ? 0 : node] += to - from;
            time.idle_ns += to - from;
            time.window_ns[stretch->window] += to - from;
            time.waits++;
        }
    }
    for (uint32_t w = 0; w < step->window_count; w++)
        time.hit += cause_time_hits(&time, w);
    time.node = step_place(step, node_ns);
    return time;
}

bool cause_time_recurs(const struct step *step, const struct cause_time *time, double part,
                       double share)
{
    enum { WAITS_MIN = 3 }; // where no steps are found: so many are no start-up
    return time->hit > part * step->window_count && (step->has_steps || time->waits >= WAITS_MIN) &&
           step_share(step, time->idle_ns) > share;
}

void cause_lacks_steps(struct finding_list *findings, const struct detector *detector,
                       const char *problem)
{
    struct finding *finding = finding_add(findings, detector, SEVERITY_NOT_JUDGED);
    finding->problem = problem;
    finding->recommendation =
        "Mark steps with NVTX ranges (\"step 1\", ...) and record them, or say with a key op where "
        "they begin";
    finding->flag = "-t cuda,nvtx,osrt";
}

void finding_prove_idle(struct finding *finding, const struct step *step, const char *filter)
{
    finding->opens = "idle";
    finding->filter = filter;
    finding->evidence.device = step->device;
}

int64_t lead_spend_plain(struct lead *lead, uint32_t thread, int64_t from, int64_t to,
                         uint32_t group)
{
    const struct host_line *line = lead_line(lead->step, thread);
    int64_t sum = 0;
    size_t at = line ? host_line_at(line, 0, from) : SIZE_MAX;
    if (at == SIZE_MAX)
        return 0;
    for (; at < line->count && line->stretches[at].at < to; at++) {
        const struct host_stretch *stretch = &line->stretches[at];
        int64_t start = stretch->at > from ? stretch->at : from;
        int64_t end = at + 1 < line->count ? line->stretches[at + 1].at : to;
        end = end < to ? end : to;
        if (stretch->activity != HOST_BUSY && stretch->activity != HOST_NOTHING)
            continue;
        lead_spend(lead, start, end, group);
        sum += end > start ? end - start : 0;
    }
    return sum;
}

const char *cause_name(const struct step *step, const int64_t *ns)
{
    string_id best = 0;
    size_t count = strings_count(step->profile->strings);
    for (string_id id = 0; id < count; id++)
        best = ns[id] > ns[best] ? id : best;
    if (count == 0 || ns[best] == 0)
        return NULL;
    const char *name = profile_text(step->profile, best);
    name = arena_copy(step->arena, name, api_name_length(name));
    return text_safe(step->arena, name, strlen(name), true);
}
