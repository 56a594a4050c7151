// SPDX-License-Identifier: Apache-2.0
// Splits by the keys of candidates, and by the plan that is chosen automatically.
#include <string.h>

#include "base/scratch.h"
#include "base/text/format.h"
#include "model/steps/step_plan.h"

static bool starts_with(const char *text, const char *beginning, const char **rest)
{
    size_t length = strlen(beginning);
    *rest = text + length;
    return strncmp(text, beginning, length) == 0;
}

static bool plan_of_family(struct step_finder *finder, const char *text, bool is_loop,
                           struct step_plan *plan)
{
    for (size_t i = 0; i < finder->families.count; i++) {
        const struct step_family *family = &finder->families.items[i];
        if (strcmp(family->text, text) != 0 || !family->max_count ||
            family->max_count > MAX_PLAN_WINDOWS)
            continue;
        if (is_loop)
            return step_loop_plan(finder, family, plan);
        bool launches;
        *plan = (struct step_plan){.source = CANDIDATE_RANGE, .unit = "iteration"};
        plan->marks = family_marks(finder, family, &launches);
        plan->text = arena_format(finder->arena, "range \"%s\"", text);
        return true;
    }
    return false;
}

// Finds the plan with a candidate's key, except for keys that are an op or the text of a range.
static bool plan_of_key(struct step_finder *finder, const char *key, struct step_plan *plan)
{
    const char *rest;
    int64_t length = 0;
    if (starts_with(key, "loop:", &rest))
        return plan_of_family(finder, rest, true, plan);
    if (starts_with(key, "range:", &rest))
        return plan_of_family(finder, rest, false, plan);
    if (starts_with(key, "each:", &rest))
        return step_each_plan(finder, rest, plan);
    if (starts_with(key, "replay:", &rest))
        step_replays_add(finder);
    else if (strcmp(key, "sequence") == 0)
        step_sequences_add(finder);
    else if (strcmp(key, "bursts") == 0)
        step_bursts_add(finder);
    else if (starts_with(key, "slices:", &rest) && format_parse_duration(rest, &length) &&
             length > 0)
        step_slices_add(finder, length);
    for (size_t i = 0; i < finder->count; i++)
        if (length || strcmp(finder->plans[i].key, key) == 0) {
            *plan = finder->plans[i];
            return true;
        }
    return false;
}

struct split_job {
    const struct profile *profile;
    const char *key, *suffix; // `suffix`: appended to the split's text, such as " (likely)"
    struct arena *arena;
    struct split *split;
};

static struct split *split_by_plan(const struct split_job *job, const struct step_plan *plan)
{
    size_t excess = 0;
    char out[FORMAT_SIZE];
    struct split *split = split_by_marks(job->profile, &plan->marks, job->arena, &excess);
    if (!split) {
        split = split_unmarked(job->profile, job->arena);
        if (excess)
            split_report_excess(split, excess, job->arena);
        return split;
    }
    bool has_several = split->process_start && plan->source <= CANDIDATE_RANGE &&
                       plan->source != CANDIDATE_DLPROF; // whose plan.text already says so
    split->key = arena_text(job->arena, job->key);
    split->unit = plan->unit;
    split->inner = plan->inner;
    split->text = arena_format(
        job->arena, "%s by %s%s%s%s", format_counted(out, split->count, plan->unit), plan->text,
        job->suffix, has_several ? ", per process" : "", split_inner_text(plan->inner, job->arena));
    return split;
}

static void split_body(void *context, struct arena *scratch)
{
    struct split_job *job = context;
    struct step_finder finder;
    struct step_plan plan;
    step_finder_open(&finder, job->profile, scratch);
    if (plan_of_key(&finder, job->key, &plan))
        job->split = split_by_plan(job, &plan);
}

// Returns whether work outside the windows is excluded by default. This is so for steps that were
// found automatically and are certain or likely (`is_trusted`), for windows that contain at least
// 80% of the GPU time, and for replays, bursts and the like, which only the user selects. A split
// into `forward` ranges that the user selects thus keeps the work outside.
static bool leaves_outside(const struct split *split, bool is_trusted)
{
    return split->method == SPLIT_RANGES && split->count > 1 &&
           (is_trusted || !split_has_steps(split) || split->outside_ns <= split->inside_ns / 4);
}

struct key_job {
    const struct profile *profile;
    const char *key;
    bool is_found;
};

static void key_body(void *context, struct arena *scratch)
{
    struct key_job *job = context;
    size_t count;
    const char *named;
    bool is_equal;
    job->is_found = split_key_bounds(job->profile, job->key, &count, &named, &is_equal, scratch);
}

// Returns whether the key is the name or id of an op.
static bool has_key(const struct profile *profile, const char *key, struct arena *arena)
{
    struct key_job job = {profile, key, false};
    if (profile->ops)
        scratch_run(arena, key_body, &job);
    return job.is_found;
}

static struct split *split_named(const struct profile *profile, const char *name,
                                 const char *suffix, enum confidence confidence,
                                 struct arena *arena)
{
    bool is_trusted = *suffix && confidence < CONFIDENCE_POSSIBLE;
    static const char *const kinds[] = {"loop:", "range:", "each:", "replay:", "slices:"};
    const char *rest = name, *range = name;
    bool is_planned = strcmp(name, "bursts") == 0 || strcmp(name, "sequence") == 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        is_planned |= starts_with(name, kinds[i], &rest);
    bool is_range = !is_planned || starts_with(name, "range:", &range);
    struct split *split = NULL;
    const struct aggregation *aggregation = aggregation_find(profile, name);
    if (aggregation) {
        split = split_by_aggregation(profile, aggregation, arena);
    } else if (has_key(profile, name, arena)) {
        split = split_by_key(profile, name, arena);
        if (split->key_found)
            split->text = arena_format(arena, "%s%s", split->text, suffix);
    } else if (is_range) {
        split = split_by_range_sure(profile, is_planned ? range : name, suffix, arena);
    }
    if (is_planned && (!split || !split->key_found)) {
        struct split_job job = {profile, name, suffix, arena, NULL};
        scratch_run(arena, split_body, &job);
        split = job.split ? job.split : split;
    }
    split = split ? split : split_unmarked(profile, arena);
    split->confidence = confidence;
    split->leaves_outside = leaves_outside(split, is_trusted);
    split->has_pauses = profile->pause_count > 0;
    return split;
}

static const char *confidence_suffix(enum confidence confidence, struct arena *arena)
{
    return arena_format(arena, " (%s)", confidence_names[confidence]);
}

struct split *split_by_name(const struct profile *profile, const char *name, struct arena *arena)
{
    return split_named(profile, name, "", CONFIDENCE_CERTAIN, arena);
}

struct split *split_by_candidate(const struct profile *profile,
                                 const struct step_candidate *candidate, struct arena *arena)
{
    return split_named(profile, candidate->key, confidence_suffix(candidate->confidence, arena),
                       candidate->confidence, arena);
}

struct choose_job {
    const struct profile *profile;
    struct arena *arena;
    const char *key; // NULL: no split
    enum confidence confidence;
    bool has_counted; // ranges count up
};

static void choose_body(void *context, struct arena *scratch)
{
    struct choose_job *job = context;
    string_id title = step_markers_best(job->profile, scratch);
    if (title && !job->profile->told) { // explicit steps are always preferred
        job->key = profile_text(job->profile, title);
        return;
    }
    struct step_finder finder;
    step_finder_open(&finder, job->profile, scratch);
    const struct step_plan *chosen = step_plans_find(&finder, false);
    job->key = chosen ? arena_text(job->arena, chosen->key) : NULL;
    job->confidence = chosen ? chosen->confidence : CONFIDENCE_CERTAIN;
    for (size_t i = 0; i < finder.families.count; i++)
        job->has_counted |= step_family_counts(&finder.families.items[i]);
}

struct split *split_find(const struct profile *profile, struct arena *arena)
{
    struct choose_job job = {profile, arena, NULL, CONFIDENCE_CERTAIN, false};
    scratch_run(arena, choose_body, &job);
    if (job.key)
        return split_named(profile, job.key, confidence_suffix(job.confidence, arena),
                           job.confidence, arena);
    struct split *split = split_unmarked(profile, arena);
    split->has_unused = job.has_counted;
    if (split->has_unused)
        split->text = "1 iteration: no marks are likely steps";
    return split;
}
