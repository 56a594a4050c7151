// SPDX-License-Identifier: Apache-2.0
// Finds steps in a file without GPU work: ranges that count up and last most of their process's
// marked time. Nothing is launched there by which ranges could be judged.
#include "base/text/format.h"
#include "model/steps/step_plan.h"

enum { LEAST_TURNS = 3, LEAST_PERCENT = 85 };

// Returns by process how long its ranges last, from the first start to the last end.
static int64_t *marked_times(struct step_finder *finder)
{
    const struct profile *profile = finder->profile;
    const struct ranges *ranges = &profile->ranges;
    size_t count = (size_t)profile->process_count + 1;
    int64_t *start = ARENA_ARRAY(finder->arena, int64_t, count);
    int64_t *end = ARENA_ARRAY(finder->arena, int64_t, count);
    for (size_t p = 0; p < count; p++) {
        start[p] = INT64_MAX;
        end[p] = INT64_MIN;
    }
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        const struct thread *thread = &profile->threads[t];
        uint32_t p = thread->process;
        for (uint32_t i = thread->first_range; i < thread->end_range; i++) {
            start[p] = AT(ranges->start, i) < start[p] ? AT(ranges->start, i) : start[p];
            end[p] = AT(ranges->end, i) > end[p] ? AT(ranges->end, i) : end[p];
        }
    }
    for (size_t p = 0; p < count; p++)
        end[p] = end[p] > start[p] ? end[p] - start[p] : 0;
    return end;
}

// Returns the percentage of the marked time of processes with turns that lies inside of these.
static double percent_inside(const struct split_marks *marks, const int64_t *times)
{
    double inside = 0, all = 0;
    for (size_t i = 0; i < marks->count; i++) {
        const struct split_mark *mark = &marks->items[i];
        inside += (double)(mark->stop - mark->start);
        all += i && mark[-1].process == mark->process ? 0 : (double)times[mark->process];
    }
    return all > 0 ? 100 * inside / all : 0;
}

void step_host_add(struct step_finder *finder)
{
    const int64_t *times = NULL;
    for (size_t i = 0; i < finder->families.count; i++) {
        const struct step_family *family = &finder->families.items[i];
        bool launches;
        if (!step_family_counts(family) || family->is_steps || family->role == ROLE_INPUT ||
            family->role == ROLE_BACKWARD || family->max_count < LEAST_TURNS ||
            family->max_count > MAX_PLAN_WINDOWS)
            continue;
        times = times ? times : marked_times(finder);
        struct step_plan plan = {.source = CANDIDATE_RANGE,
                                 .confidence = CONFIDENCE_LIKELY,
                                 .unit = "iteration",
                                 .role = family->role};
        plan.marks = family_marks(finder, family, &launches);
        double percent = percent_inside(&plan.marks, times);
        if (plan.marks.slot_count < LEAST_TURNS || percent < LEAST_PERCENT)
            continue;
        plan.key = arena_format(finder->arena, "range:%s", family->text);
        plan.text = arena_format(finder->arena, "range \"%s\"", family->text);
        char out[FORMAT_SIZE];
        plan.why =
            arena_format(finder->arena, "counted, %s%% of the host's marked time; no GPU work",
                         format_percent(out, percent / 100));
        step_figures_fill(finder, &plan);
        *step_plan_add(finder) = plan;
    }
}
