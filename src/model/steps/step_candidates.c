// SPDX-License-Identifier: Apache-2.0
// Collects the plans of all sources (step_plan.h) and lists the best ones as candidates.
#include "model/steps/step_candidates.h"

#include <string.h>

#include "base/scratch.h"
#include "model/steps/step_idle.h"
#include "model/steps/step_plan.h"

const char *const candidate_source_names[CANDIDATE_SOURCES] = {
    [CANDIDATE_STEPS] = "steps",
    [CANDIDATE_DLPROF] = "dlprof",
    [CANDIDATE_AGGREGATION] = "aggregation",
    [CANDIDATE_LOOP] = "loop",
    [CANDIDATE_RANGE] = "range",
    [CANDIDATE_OP] = "op",
    [CANDIDATE_REPLAYS] = "replays",
    [CANDIDATE_SEQUENCE] = "sequence",
    [CANDIDATE_BURSTS] = "bursts",
    [CANDIDATE_SLICES] = "slices",
};

void step_finder_open(struct step_finder *finder, const struct profile *profile,
                      struct arena *scratch)
{
    *finder = (struct step_finder){.profile = profile, .arena = scratch};
    launch_index_build(&finder->launches, profile, scratch);
    finder->launch_calls_before = launch_calls_before(profile, scratch);
    step_families_find(&finder->families, profile, scratch);
}

const struct step_plan *step_plans_find(struct step_finder *finder, bool with_gpu)
{
    string_id title = step_markers_best(finder->profile, finder->arena);
    step_marked_add(finder);
    if (!finder->profile->work.count)
        step_host_add(finder);
    if (with_gpu && finder->profile->work.count) {
        step_replays_add(finder);
        step_sequences_add(finder);
        step_bursts_add(finder);
        step_slices_add(finder, 0);
    }
    return step_plan_choose(finder, title ? profile_text(finder->profile, title) : NULL);
}

static struct step_candidate candidate_of(const struct profile *profile,
                                          const struct step_plan *plan, struct arena *arena)
{
    const struct step_figures *figures = &plan->figures;
    struct step_candidate candidate = {
        .source = plan->source,
        .confidence = plan->confidence,
        .key = arena_text(arena, plan->key),
        .text = arena_text(arena, plan->text),
        .unit = plan->unit,
        .why = arena_text(arena, plan->why),
        .count = plan->marks.slot_count,
        .inner = plan->inner,
        .is_equal = figures->is_equal,
        .period_ns = figures->period_ns,
        .jitter = figures->jitter,
        .coverage = figures->coverage,
        .first_offset_ns = figures->first_ns - profile->first_ns,
        .bar_count = figures->bar_count,
    };
    memcpy(candidate.bars, figures->bars, sizeof candidate.bars);
    return candidate;
}

// Finds the micro-steps of a plan whose steps are ranges; step_loop.c finds those of a loop.
static void find_inner(struct step_finder *finder, struct step_plan *plan)
{
    const struct split_marks *marks = &plan->marks;
    int64_t *start = ARENA_ARRAY(finder->arena, int64_t, marks->count + 1);
    int64_t *stop = ARENA_ARRAY(finder->arena, int64_t, marks->count + 1);
    uint32_t process = marks->items[0].process, count = 0;
    for (; count < marks->count && marks->items[count].process == process; count++) {
        start[count] = marks->items[count].start;
        stop[count] = marks->items[count].stop;
    }
    plan->inner = step_inner_find(&finder->families, process, start, stop, count, &plan->inner_text,
                                  finder->arena);
}

struct find_job {
    const struct profile *profile;
    struct arena *arena;
    struct step_candidates candidates;
};

static void find_body(void *context, struct arena *scratch)
{
    struct find_job *job = context;
    struct step_finder finder;
    step_finder_open(&finder, job->profile, scratch);
    const struct step_plan *chosen = step_plans_find(&finder, true);
    if (chosen && (chosen->source == CANDIDATE_STEPS || chosen->source == CANDIDATE_RANGE))
        find_inner(&finder, &finder.plans[chosen - finder.plans]);
    const uint32_t *order = step_plans_order(&finder, chosen, scratch);
    // Plans that are no steps come last; keep room for them.
    size_t others = 0;
    for (size_t i = 0; i < finder.count; i++)
        others += finder.plans[i].source >= CANDIDATE_REPLAYS;
    size_t steps = finder.count - others;
    size_t listed = steps + others <= MAX_STEP_CANDIDATES ? steps : MAX_STEP_CANDIDATES - others;
    struct step_candidates *candidates = &job->candidates;
    candidates->items = ARENA_ARRAY(job->arena, struct step_candidate, MAX_STEP_CANDIDATES);
    for (size_t i = 0; i < finder.count; i++)
        if (i < listed || i >= steps)
            candidates->items[candidates->count++] =
                candidate_of(job->profile, &finder.plans[order[i]], job->arena);
    candidates->chosen = chosen ? 0 : candidates->count;
}

struct step_candidates candidates_find(const struct profile *profile, struct arena *arena)
{
    struct find_job job = {profile, arena, {0}};
    scratch_run(arena, find_body, &job);
    return job.candidates;
}
