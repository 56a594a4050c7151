// SPDX-License-Identifier: Apache-2.0
// The stages of a pipeline wait for each other more than their number and the micro-batches make
// them.
#include <string.h>

#include "analysis/detect_list.h"
#include "analysis/detect_tools.h"
#include "analysis/meetings.h"
#include "base/text.h"
#include "model/id_map.h"
#include "model/markers.h"

// With p stages and m micro-batches, of 1F1B as of GPipe, a stage is without work for (p-1)/(m+p-1)
// of the step at best (Narayanan et al. 2021, section 2.2: (p-1)/m of the work).
static double bubble_of(uint32_t stages, uint32_t micro_batches)
{
    return (stages - 1.0) / (micro_batches + stages - 1.0);
}

static bool is_paired(const struct profile *profile, uint32_t work)
{
    return work_is_communication(profile, work) && !work_is_collective(profile, work);
}

// Stages of one replica, by the sends and receives of each GPU: those at the two ends of a row have
// about half as many as those inside. 0: it is no row.
static uint32_t count_stages(const struct step *step)
{
    const struct profile *profile = step->profile;
    uint32_t *counts = ARENA_ARRAY(step->scratch, uint32_t, (size_t)profile->device_count + 1);
    uint32_t most = 0, members = 0, ends = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        const struct device *device = &profile->devices[d];
        for (uint32_t w = device->first_work; w < device->end_work; w++)
            counts[d] += is_paired(profile, w);
        members += counts[d] > 0;
        most = counts[d] > most ? counts[d] : most;
    }
    for (uint32_t d = 0; d < profile->device_count; d++)
        ends += counts[d] > 0 && 4 * (uint64_t)counts[d] < 3 * (uint64_t)most;
    if (members == 2 && ends == 0)
        return 2; // both are ends, or they exchange borders: the micro-batches tell
    return ends >= 2 && ends % 2 == 0 && members % (ends / 2) == 0 ? members / (ends / 2) : 0;
}

// The number in the text of a range around a micro-batch, "microbatch 3"; false: it is none.
static bool micro_number(const char *text, uint64_t *number)
{
    size_t start, end, length = strlen(text);
    if (!detect_text_has(text, "micro") || !text_number_field(text, length, 0, &start, &end))
        return false;
    *number = 0;
    for (size_t i = start; i < end; i++)
        *number = *number * 10 + (uint64_t)(text[i] - '0');
    return true;
}

// Distinct numbers of micro-batches in a step, at most, of the processes on the step's GPU. 0: no
// ranges tell.
static uint32_t count_micro_batches(const struct step *step)
{
    const struct profile *profile = step->profile;
    const struct ranges *ranges = &profile->ranges;
    const struct split *split = step->selection->split;
    uint64_t *numbers = ARENA_ARRAY(step->scratch, uint64_t, (size_t)profile->marker_count + 1);
    bool *is_micro = ARENA_ARRAY(step->scratch, bool, (size_t)profile->marker_count + 1);
    for (uint32_t m = 0; m < profile->marker_count; m++)
        is_micro[m] = micro_number(profile_text(profile, profile->markers[m].text), &numbers[m]);
    bool *here = ARENA_ARRAY(step->scratch, bool, (size_t)profile->process_count + 1);
    const struct device *device = &profile->devices[step->device];
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        here[work_process(profile, w)] = true;
    struct id_map seen = {.arena = step->scratch};
    uint32_t *counts = ARENA_ARRAY(step->scratch, uint32_t, (size_t)split->count + 1), most = 0;
    for (uint32_t r = 0; r < ranges->count; r++) {
        uint32_t process = profile->threads[ranges->thread[r]].process;
        if (!is_micro[ranges->marker[r]] || !here[process])
            continue;
        uint32_t at = split_at(split, process, ranges->start[r]);
        if (at == ROW_NONE)
            continue;
        uint32_t *slot =
            id_map_slot(&seen, (struct id_key){numbers[ranges->marker[r]], at, process});
        if (!*slot) {
            *slot = 1;
            counts[at]++;
            most = counts[at] > most ? counts[at] : most;
        }
    }
    return most;
}

enum group { GROUP_PAIRED, GROUP_IDLE, GROUP_COUNT };

// Wants sends and receives with nothing beside them, and the idle time before and after them and at
// both ends of a step.
static void want_bubble(struct step *step, bool with_idle)
{
    for (size_t s = 0; s < step->count; s++) {
        const struct stretch *stretch = &step->stretches[s];
        const struct stretch *before = s > 0 ? stretch - 1 : NULL;
        if (stretch->work != ROW_NONE) {
            if (is_paired(step->profile, stretch->work))
                claims_want(&step->claims, stretch->from, stretch->to, GROUP_PAIRED,
                            stretch->window);
            continue;
        }
        bool is_edge = !before || before->window != stretch->window || s + 1 == step->count ||
                       step->stretches[s + 1].window != stretch->window;
        if (with_idle && (is_edge || is_paired(step->profile, stretch->next) ||
                          (before->work != ROW_NONE && is_paired(step->profile, before->work))))
            claims_want(&step->claims, stretch->from, stretch->to, GROUP_IDLE, stretch->window);
    }
}

static void not_judged(struct step *step, struct finding_list *findings, int64_t bubble)
{
    if (step_share(step, bubble) <= expert_threshold("pipeline_bubble.share"))
        return;
    struct finding *finding = finding_add(findings, &detect_pipeline_bubble, SEVERITY_NOT_JUDGED);
    finding->problem =
        "GPUs in a row send to each other like the stages of a pipeline; how many micro-batches a "
        "step has is not told, so neither is how long they should wait";
    finding->recommendation =
        "Ranges around steps and micro-batches (nvtx.range_push(f\"microbatch {i}\")) tell it";
    finding->flag = "-t cuda,nvtx";
    finding->evidence = *step->selection;
}

static void describe(struct step *step, struct finding *finding, uint32_t stages,
                     uint32_t micro_batches, int64_t bubble)
{
    double share = bubble_of(stages, micro_batches);
    int64_t work = step->window_ns - bubble;
    finding->problem =
        arena_format(step->arena,
                     "A stage of the pipeline is without work for %s %s, %.0f%% of it; %u stages "
                     "and %u micro-batches need %.0f%%",
                     step_duration(step, bubble), step_unit(step), 100 * step_share(step, bubble),
                     stages, micro_batches, 100 * share);
    finding->recommendation =
        "A schedule that fills the pipeline (1F1B, interleaved stages): a stage begins the next "
        "micro-batch before the last one comes back; stages of equal time; more and smaller "
        "micro-batches make what must be left smaller";
    finding->why = arena_format(
        step->arena,
        "GPU %lld works for %s %s; the rest is sends and receives with nothing beside them and "
        "idle "
        "around them. With the bubble of (p-1)/(m+p-1) the same work takes %s. Not counted: what "
        "more micro-batches would save",
        (long long)device_number(step->profile, step->device), step_duration(step, work),
        step_unit(step), step_duration(step, (int64_t)((double)work / (1 - share))));
    finding->opens = "launches";
    finding->filter = "Send|Recv";
    finding->evidence.device = step->device;
}

static void pipeline_bubble(struct step *step, struct finding_list *findings)
{
    uint32_t stages = count_stages(step);
    uint32_t micro_batches = stages > 1 ? count_micro_batches(step) : 0;
    bool is_told = step->has_steps && micro_batches > 1;
    // Two GPUs that exchange borders look like two stages: only micro-batches make them some.
    if (stages < 2 || (stages == 2 && !is_told))
        return;
    want_bubble(step, true);
    int64_t bubble = claims_measure(&step->claims);
    if (is_told) {
        double work = (double)(step->window_ns - bubble);
        double best = work / (1 - bubble_of(stages, micro_batches));
        int64_t gain = detect_limit(step, (int64_t)((double)step->window_ns - best));
        bool speaks = step_share(step, gain) > expert_threshold("pipeline_bubble.share");
        struct finding *finding =
            speaks ? step_finding(step, findings, &detect_pipeline_bubble, gain, CERTAINTY_LIKELY)
                   : NULL;
        claims_take(&step->claims, (bool[GROUP_COUNT]){finding != NULL, finding != NULL});
        if (finding)
            describe(step, finding, stages, micro_batches, bubble);
    } else {
        claims_take(&step->claims, (bool[GROUP_COUNT]){false, false});
        not_judged(step, findings, bubble);
    }
    // The rest belongs to the pipeline, whatever its length: no other advice shortens it.
    want_bubble(step, false);
    claims_take(&step->claims, NULL);
}

const struct detector detect_pipeline_bubble = {
    .id = "pipeline_bubble",
    .title = "the stages of a pipeline wait for each other",
    .doc = "GPUs send and receive in a row (those at the ends about half as often), and ranges "
           "with \"micro\" and a number in their text tell m micro-batches a step. A GPU waits in "
           "sends, receives and idle around them for more than p stages need, which is "
           "(p-1)/(m+p-1) of the step, by more than pipeline_bubble.share of it. Bound: the step "
           "less what its work takes with that bubble.",
    .claim = pipeline_bubble,
};
