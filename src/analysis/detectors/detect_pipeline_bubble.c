// SPDX-License-Identifier: Apache-2.0
// Detects pipeline stages that wait for each other longer than their number and the micro-batches
// require.
//
// The bubble is the time in which a stage waits: exposed sends and receives, and idle time next to
// them. Stages are counted by the sends and receives of the GPUs, micro-batches by ranges such as
// "microbatch 3".
#include <string.h>

#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/line_collectives.h"
#include "analysis/detect/step.h"
#include "analysis/report/names.h"
#include "base/id_map.h"
#include "base/sort.h"
#include "base/text/text.h"
#include "model/markers/markers.h"
#include "model/profile/recorder.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(pipeline_bubble);

// Returns the unavoidable bubble as a share of the step. With p stages and m micro-batches it is
// (p-1)/(m+p-1), in 1F1B as in GPipe (Narayanan et al. 2021, section 2.2: (p-1)/m of the work).
static double min_bubble_share(uint32_t stages, uint32_t micro_batches)
{
    return (stages - 1.0) / (micro_batches + stages - 1.0);
}

static bool is_paired(const struct profile *profile, uint32_t work)
{
    return work_is_communication(profile, work) && !work_is_collective(profile, work);
}

// Returns the number of stages of one replica, or 0 if the GPUs form no pipeline. Uses the number
// of sends and receives of each GPU: the two ends of a pipeline have about half as many as the
// inner stages.
static uint32_t count_stages(const struct step_line *line)
{
    const struct profile *profile = line->profile;
    uint32_t *counts = ARENA_ARRAY(line->scratch, uint32_t, (size_t)profile->device_count + 1);
    uint32_t max_count = 0, members = 0, ends = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        const struct device *device = &profile->devices[d];
        for (uint32_t w = device->first_work; w < device->end_work; w++)
            counts[d] += is_paired(profile, w);
        members += counts[d] > 0;
        max_count = counts[d] > max_count ? counts[d] : max_count;
    }
    for (uint32_t d = 0; d < profile->device_count; d++)
        ends += counts[d] > 0 && 4 * (uint64_t)counts[d] < 3 * (uint64_t)max_count;
    if (members == 2 && ends == 0)
        return 2; // two ends, or an exchange of borders: the micro-batches decide
    return ends >= 2 && ends % 2 == 0 && members % (ends / 2) == 0 ? members / (ends / 2) : 0;
}

// Reads the number from the text of a range that encloses a micro-batch, such as "microbatch 3".
// Returns false for other ranges.
static bool micro_number(const char *text, uint64_t *number)
{
    size_t start, end, length = strlen(text);
    if (!text_has_nocase(text, "micro") || !text_number_field(text, length, 0, &start, &end))
        return false;
    *number = 0;
    for (size_t i = start; i < end; i++)
        *number = *number * 10 + (uint64_t)(text[i] - '0');
    return true;
}

struct micro_batches {
    uint32_t max_count; // largest number of micro-batches in a step; 0 if there are no ranges
    size_t count;       // intervals in which micro-batches are launched: sorted and disjoint
    int64_t *from, *to;
};

static int compare_starts(const void *context, uint32_t a, uint32_t b)
{
    const struct ranges *ranges = context;
    return (AT(ranges->start, a) > AT(ranges->start, b)) -
           (AT(ranges->start, a) < AT(ranges->start, b));
}

// Returns the micro-batch ranges of the processes on the line's GPU, by start.
static uint32_t *find_micro_ranges(const struct step_line *line, uint64_t *numbers, size_t *count)
{
    const struct profile *profile = line->profile;
    const struct ranges *ranges = &profile->ranges;
    bool *is_micro = ARENA_ARRAY(line->scratch, bool, (size_t)profile->marker_count + 1);
    for (uint32_t m = 0; m < profile->marker_count; m++)
        is_micro[m] = micro_number(profile_text(profile, profile->markers[m].text), &numbers[m]);
    bool *is_on_gpu = ARENA_ARRAY(line->scratch, bool, (size_t)profile->process_count + 1);
    const struct device *device = &profile->devices[line->device];
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        is_on_gpu[work_process(profile, w)] = true;
    uint32_t *rows = ARENA_ARRAY(line->scratch, uint32_t, (size_t)ranges->count + 1);
    for (uint32_t r = 0; r < ranges->count; r++)
        if (is_micro[range_label(ranges, r)->marker] &&
            is_on_gpu[profile->threads[range_thread(ranges, r)].process])
            rows[(*count)++] = r;
    sort_ids(rows, *count, compare_starts, ranges, line->scratch);
    return rows;
}

static struct micro_batches find_micro_batches(const struct step_line *line)
{
    const struct profile *profile = line->profile;
    const struct ranges *ranges = &profile->ranges;
    const struct split *split = line->selection->split;
    uint64_t *numbers = ARENA_ARRAY(line->scratch, uint64_t, (size_t)profile->marker_count + 1);
    size_t row_count = 0;
    uint32_t *rows = find_micro_ranges(line, numbers, &row_count);
    struct micro_batches micro = {.from = ARENA_ARRAY(line->scratch, int64_t, row_count + 1),
                                  .to = ARENA_ARRAY(line->scratch, int64_t, row_count + 1)};
    struct id_map counted = {.arena = line->scratch};
    uint32_t *counts = ARENA_ARRAY(line->scratch, uint32_t, (size_t)split->count + 1);
    for (size_t i = 0; i < row_count; i++) {
        uint32_t r = rows[i];
        if (micro.count && AT(ranges->start, r) <= micro.to[micro.count - 1]) {
            if (AT(ranges->end, r) > micro.to[micro.count - 1])
                micro.to[micro.count - 1] = AT(ranges->end, r);
        } else {
            micro.from[micro.count] = AT(ranges->start, r);
            micro.to[micro.count++] = AT(ranges->end, r);
        }
        uint32_t step = split_at(split, profile->threads[range_thread(ranges, r)].process,
                                 AT(ranges->start, r));
        uint32_t *slot =
            step == ROW_NONE
                ? NULL
                : id_map_slot(&counted,
                              (struct id_key){numbers[range_label(ranges, r)->marker], step, 0});
        if (!slot || *slot)
            continue;
        *slot = 1;
        counts[step]++;
        micro.max_count = counts[step] > micro.max_count ? counts[step] : micro.max_count;
    }
    return micro;
}

static bool is_in_micro_batch(const struct micro_batches *micro, int64_t time)
{
    size_t low = 0, high = micro->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (micro->from[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && time < micro->to[low - 1];
}

struct pipeline {
    uint32_t stages, micro_batches;
    // The rest is in ns over the chosen steps.
    int64_t bubble, work; // waiting, and computing for micro-batches
    int64_t needed;       // the part of `bubble` that is unavoidable
};

enum { SUM_WORK = SUM_OWN }; // ns computed for micro-batches

enum pipeline_group { GROUP_PAIRED, GROUP_IDLE, GROUP_COUNT };

// Requests exposed sends and receives, and the idle time next to them and at both ends of a step.
static void request_bubble(struct scan *scan)
{
    const struct step_line *line = scan->line;
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        const struct line_interval *before = s > 0 ? interval - 1 : NULL;
        if (interval->work != ROW_NONE) {
            if (is_paired(line->profile, interval->work))
                scan_request(scan, interval->from, interval->to, GROUP_PAIRED, interval->window);
            continue;
        }
        bool is_edge = !before || before->window != interval->window || s + 1 == line->count ||
                       line->intervals[s + 1].window != interval->window;
        if (is_edge || interval->next == ROW_NONE || is_paired(line->profile, interval->next) ||
            (before->work != ROW_NONE && is_paired(line->profile, before->work)))
            scan_request(scan, interval->from, interval->to, GROUP_IDLE, interval->window);
    }
}

static void pipeline_bubble_scan(struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    struct pipeline *pipeline = scan->own = ARENA_NEW(scan->arena, struct pipeline);
    pipeline->stages = count_stages(line);
    if (pipeline->stages < 2)
        return;
    struct micro_batches micro = find_micro_batches(line);
    pipeline->micro_batches = micro.max_count;
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        uint32_t launch =
            interval->work == ROW_NONE ? ROW_NONE : AT(profile->work.launch, interval->work);
        if (launch != ROW_NONE && !work_is_communication(profile, interval->work) &&
            is_in_micro_batch(&micro, AT(profile->api.start, launch)))
            scan_add(scan, SUM_WORK, interval->window, interval->to - interval->from);
    }
    request_bubble(scan);
}

static void not_judged(struct step *step, struct finding_list *findings, int64_t bubble)
{
    if (step_share(step, bubble) <= expert_threshold("pipeline_bubble.share"))
        return;
    struct finding *finding = finding_add(findings, &detect_pipeline_bubble, SEVERITY_NOT_JUDGED);
    finding->problem =
        "GPUs in a row send to each other like the stages of a pipeline; how many micro-batches a "
        "step has is not told, so neither is how long they should wait";
    finding->recommendation = recorder_advice_text(step->profile, ADVISE_MICRO_BATCHES);
    finding->flag = "-t cuda,nvtx";
}

static void describe(struct step *step, struct finding *finding, const struct pipeline *pipeline)
{
    finding->problem =
        arena_format(step->arena,
                     "A stage of the pipeline waits for the others %s %s; %u stages and %u "
                     "micro-batches need %s",
                     step_duration(step, pipeline->bubble), step_unit(step), pipeline->stages,
                     pipeline->micro_batches, step_duration(step, pipeline->needed));
    finding->recommendation =
        "A schedule that keeps the pipeline full (1F1B, interleaved stages): a stage begins the "
        "next micro-batch before the last one comes back, and stages take equal time. More and "
        "smaller micro-batches make what must be left smaller";
    finding->why = arena_format(
        step->arena,
        "GPU %lld computes for micro-batches for %s %s and waits for %s, in sends and receives "
        "with "
        "nothing beside them and idle around them. A full pipeline is empty for (p-1)/(m+p-1) = "
        "%.0f%% of its time; the bound is what is beyond. Not counted: what more micro-batches "
        "would save",
        (long long)device_number(step->profile, step->device), step_duration(step, pipeline->work),
        step_unit(step), step_duration(step, pipeline->bubble),
        100 * min_bubble_share(pipeline->stages, pipeline->micro_batches));
    finding->opens = "streams";
    finding->filter = "role:comm";
}

static void pipeline_bubble(struct step *step, const struct scan *scan,
                            struct finding_list *findings)
{
    struct pipeline pipeline = *(const struct pipeline *)scan->own;
    bool is_known = step->has_steps && pipeline.micro_batches > 1;
    // Two GPUs that exchange borders look like two stages; only micro-batches make them a pipeline.
    if (pipeline.stages < 2 || (pipeline.stages == 2 && !is_known))
        return;
    pipeline.bubble = grants_measure(&step->grants);
    struct finding *finding = NULL;
    if (is_known) {
        double share = min_bubble_share(pipeline.stages, pipeline.micro_batches);
        pipeline.work = step_sum(step, scan, SUM_WORK);
        pipeline.needed = (int64_t)((double)pipeline.work * share / (1 - share));
        int64_t gain = step_limit(step, pipeline.bubble - pipeline.needed);
        if (step_share(step, gain) > expert_threshold("pipeline_bubble.share"))
            finding = step_finding(step, findings, &detect_pipeline_bubble, gain, CERTAINTY_LIKELY);
    }
    grants_take(&step->grants, (bool[GROUP_COUNT]){finding != NULL, finding != NULL});
    if (finding)
        describe(step, finding, &pipeline);
    if (!is_known)
        not_judged(step, findings, pipeline.bubble);
    // Claims the remaining sends and receives: they belong to the pipeline's schedule, and no other
    // detector's advice shortens them.
    grants_set_requests(&step->grants, &scan->requests);
    grants_take(&step->grants, (bool[GROUP_COUNT]){[GROUP_PAIRED] = true});
}

const struct detector detect_pipeline_bubble = {
    .id = "pipeline_bubble",
    .title = "the stages of a pipeline wait for each other",
    .doc = "GPUs send and receive in a row (those at the ends about half as often), and ranges "
           "with \"micro\" and a number in their text tell m micro-batches a step. A GPU waits in "
           "sends, receives and idle around them for more than p stages need, which is "
           "(p-1)/(m+p-1) of the time, by more than pipeline_bubble.share of the step. Bound: what "
           "it waits less (p-1)/m of what it computes for micro-batches.",
    .needs_all_work = true,
    .scan = pipeline_bubble_scan,
    .judge = pipeline_bubble,
};
