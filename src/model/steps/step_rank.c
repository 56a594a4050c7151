// SPDX-License-Identifier: Apache-2.0
// Ranks plans (possible splits of the run, step_plan.h): chooses the default split and sorts the
// candidates that are shown. The turns of a plan are its windows; its coverage is the share of the
// GPU time that is launched inside them.
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "model/steps/step_plan.h"

// Returns whether `a` is more likely than `b` the loop over the steps. A clearly higher coverage
// decides. Otherwise the loop with fewer turns is the outer one and preferred, unless it has so few
// turns that it probably encloses the loop over the steps, as a loop over epochs does.
static bool is_better_loop(const struct step_plan *a, const struct step_plan *b)
{
    double coverage_lead = a->figures.coverage - b->figures.coverage;
    uint32_t x = a->marks.slot_count, y = b->marks.slot_count;
    if (fabs(coverage_lead) > 0.05)
        return coverage_lead > 0;
    if (x < y)
        return x >= 8 || y <= 16 * x;
    if (y < x)
        return y < 8 && x > 16 * y;
    return a->figures.first_ns != b->figures.first_ns ? a->figures.first_ns < b->figures.first_ns
                                                      : coverage_lead > 0;
}

// Returns the best likely plan of a source and, unless `role` is ROLE_NOTHING, of a role; NULL when
// there is none.
static const struct step_plan *best_likely(const struct step_finder *finder,
                                           enum candidate_source source, enum step_role role)
{
    const struct step_plan *best = NULL;
    for (size_t i = 0; i < finder->count; i++) {
        const struct step_plan *plan = &finder->plans[i];
        if (plan->source == source && plan->confidence == CONFIDENCE_LIKELY &&
            (role == ROLE_NOTHING || plan->role == role) && (!best || is_better_loop(plan, best)))
            best = plan;
    }
    return best;
}

// Returns the best likely range with as many turns and as much coverage as the loop; NULL when
// there is none.
static const struct step_plan *range_equal_to_loop(const struct step_finder *finder,
                                                   const struct step_plan *loop)
{
    const struct step_plan *best = NULL;
    for (size_t i = 0; i < finder->count; i++) {
        const struct step_plan *plan = &finder->plans[i];
        uint32_t x = plan->marks.slot_count, y = loop->marks.slot_count;
        if (plan->source == CANDIDATE_RANGE && plan->confidence == CONFIDENCE_LIKELY &&
            x <= y + 1 && y <= x + 1 && plan->figures.coverage + 0.03 >= loop->figures.coverage &&
            (!best || is_better_loop(plan, best)))
            best = plan;
    }
    return best;
}

// Returns the best likely range with the number of a step in its text; NULL when there is none.
static const struct step_plan *best_numbered(const struct step_finder *finder)
{
    const struct step_plan *best = NULL;
    for (size_t i = 0; i < finder->count; i++) {
        const struct step_plan *plan = &finder->plans[i];
        if (plan->is_numbered && plan->confidence == CONFIDENCE_LIKELY &&
            (!best || is_better_loop(plan, best)))
            best = plan;
    }
    return best;
}

// Returns whether the plan cuts at each micro-step of a loop.
static bool cuts_micro_steps(const struct step_plan *plan, const struct step_plan *loop)
{
    return loop && loop->inner > 1 &&
           plan->marks.slot_count + loop->inner >= loop->marks.slot_count * loop->inner;
}

// Returns whether the marked steps exist in only some of several files. A file with recorded ops
// has no ranges that could mark steps; DLProf's key op (`by_ops`) then covers more GPU time.
static bool lacks_files(const struct step_finder *finder, const struct step_plan *steps,
                        const struct step_plan *by_ops)
{
    return finder->profile->told && by_ops &&
           by_ops->figures.coverage > steps->figures.coverage + 0.05;
}

// Order of preference: explicit steps; the last aggregation of a DLProf database; ranges numbered
// as steps, and DLProf's default key when it is regular, unless these are the micro-steps of an
// optimizer's loop; a likely loop, range or op; DLProf's default key within each process; DLProf's
// default key when it is not regular. A default key for which processes have different numbers of
// stops is not used.
const struct step_plan *step_plan_choose(const struct step_finder *finder, const char *best_steps)
{
    const struct step_plan *dlprof = NULL, *per_process = NULL, *aggregation = NULL, *steps = NULL;
    for (size_t i = 0; i < finder->count; i++) {
        const struct step_plan *plan = &finder->plans[i];
        if (plan->source == CANDIDATE_AGGREGATION)
            aggregation = plan;
        if (plan->source == CANDIDATE_STEPS && best_steps && strcmp(plan->key, best_steps) == 0)
            steps = plan;
        if (plan->source == CANDIDATE_DLPROF && strncmp(plan->key, "each:", 5) == 0)
            per_process = plan;
        else if (plan->source == CANDIDATE_DLPROF && plan->figures.is_equal && !plan->is_op &&
                 plan->figures.period_ns != UNKNOWN)
            dlprof = plan;
    }
    if (steps && !lacks_files(finder, steps, dlprof))
        return steps;
    if (aggregation)
        return aggregation;
    const struct step_plan *loop = best_likely(finder, CANDIDATE_LOOP, ROLE_OPTIMIZER);
    loop = loop ? loop : best_likely(finder, CANDIDATE_LOOP, ROLE_ANCHOR);
    const struct step_plan *numbered = best_numbered(finder);
    if (numbered && !cuts_micro_steps(numbered, loop))
        return numbered;
    if (dlprof && cuts_micro_steps(dlprof, loop))
        dlprof = NULL;
    if (dlprof && dlprof->confidence == CONFIDENCE_LIKELY)
        return dlprof;
    const struct step_plan *likely_range = NULL;
    if (loop) {
        likely_range = range_equal_to_loop(finder, loop);
        return likely_range ? likely_range : loop;
    }
    likely_range = best_likely(finder, CANDIDATE_RANGE, ROLE_NOTHING);
    loop = best_likely(finder, CANDIDATE_LOOP, ROLE_BACKWARD);
    const struct step_plan *op = best_likely(finder, CANDIDATE_OP, ROLE_NOTHING);
    const struct step_plan *likely = likely_range ? likely_range : loop ? loop : op;
    if (!likely && per_process && per_process->confidence == CONFIDENCE_LIKELY)
        return per_process;
    return likely ? likely : dlprof;
}

struct plan_ranking {
    const struct step_plan *plans, *chosen;
};

// Sorts the chosen plan first, then plans by what the program marks, then replays and other plans
// found by GPU work.
static int compare_plans(const void *context, uint32_t i, uint32_t k)
{
    const struct plan_ranking *ranking = context;
    const struct step_plan *a = &ranking->plans[i], *b = &ranking->plans[k];
    bool a_gpu = a->source >= CANDIDATE_REPLAYS, b_gpu = b->source >= CANDIDATE_REPLAYS;
    if ((a == ranking->chosen) != (b == ranking->chosen))
        return a == ranking->chosen ? -1 : 1;
    if (a_gpu != b_gpu || (a_gpu && a->source != b->source))
        return a->source < b->source ? -1 : 1;
    if (a->confidence != b->confidence)
        return a->confidence < b->confidence ? -1 : 1;
    double x = isnan(a->figures.coverage) ? 0 : a->figures.coverage;
    double y = isnan(b->figures.coverage) ? 0 : b->figures.coverage;
    if (x != y)
        return x > y ? -1 : 1;
    uint32_t n = a->marks.slot_count, m = b->marks.slot_count;
    return n != m ? (n > m) - (n < m)
                  : (a->figures.first_ns > b->figures.first_ns) -
                        (a->figures.first_ns < b->figures.first_ns);
}

uint32_t *step_plans_order(const struct step_finder *finder, const struct step_plan *chosen,
                           struct arena *arena)
{
    struct plan_ranking ranking = {finder->plans, chosen};
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, finder->count + 1);
    for (uint32_t i = 0; i < finder->count; i++)
        order[i] = i;
    sort_ids(order, finder->count, compare_plans, &ranking, arena);
    return order;
}
