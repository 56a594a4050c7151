// SPDX-License-Identifier: Apache-2.0
// Which way of splitting comes first.
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "model/steps/step_plan.h"

// Whether the first is rather the loop than the second, both around about the same: the outer one,
// unless it has so few turns that it is rather a loop around the loop, as epochs are.
static bool is_loop_around(const struct step_plan *a, const struct step_plan *b)
{
    double more = a->figures.coverage - b->figures.coverage;
    uint32_t x = a->marks.slot_count, y = b->marks.slot_count;
    if (fabs(more) > 0.05)
        return more > 0;
    if (x < y)
        return x >= 8 || y <= 16 * x;
    if (y < x)
        return y < 8 && x > 16 * y;
    return a->figures.first_ns != b->figures.first_ns ? a->figures.first_ns < b->figures.first_ns
                                                      : more > 0;
}

// The best likely plan of a source and, where one is named, of a role; NULL: none.
static const struct step_plan *best_likely(const struct step_finder *finder,
                                           enum candidate_source source, enum step_role role)
{
    const struct step_plan *best = NULL;
    for (size_t i = 0; i < finder->count; i++) {
        const struct step_plan *plan = &finder->plans[i];
        if (plan->source == source && plan->confidence == CONFIDENCE_LIKELY &&
            (role == ROLE_NOTHING || plan->role == role) && (!best || is_loop_around(plan, best)))
            best = plan;
    }
    return best;
}

// A range around whole turns of a loop; NULL: none has as many and covers as much.
static const struct step_plan *range_around(const struct step_finder *finder,
                                            const struct step_plan *loop)
{
    const struct step_plan *best = NULL;
    for (size_t i = 0; i < finder->count; i++) {
        const struct step_plan *plan = &finder->plans[i];
        uint32_t x = plan->marks.slot_count, y = loop->marks.slot_count;
        if (plan->source == CANDIDATE_RANGE && plan->confidence == CONFIDENCE_LIKELY &&
            x <= y + 1 && y <= x + 1 && plan->figures.coverage + 0.03 >= loop->figures.coverage &&
            (!best || is_loop_around(plan, best)))
            best = plan;
    }
    return best;
}

// The best likely range whose name says the number of a step; NULL: none.
static const struct step_plan *best_numbered(const struct step_finder *finder)
{
    const struct step_plan *best = NULL;
    for (size_t i = 0; i < finder->count; i++) {
        const struct step_plan *plan = &finder->plans[i];
        if (plan->is_numbered && plan->confidence == CONFIDENCE_LIKELY &&
            (!best || is_loop_around(plan, best)))
            best = plan;
    }
    return best;
}

// Whether it cuts at each of the micro-steps of a loop.
static bool cuts_micro_steps(const struct step_plan *plan, const struct step_plan *loop)
{
    return loop && loop->inner > 1 &&
           plan->marks.slot_count + loop->inner >= loop->marks.slot_count * loop->inner;
}

// Of several files those that tell their ops have no other ranges: marked steps are those of the others.
static bool lacks_files(const struct step_finder *finder, const struct step_plan *steps,
                        const struct step_plan *by_ops)
{
    return finder->profile->told && by_ops &&
           by_ops->figures.coverage > steps->figures.coverage + 0.05;
}

// In this order: steps that the file marks; the last aggregation of a DLProf database; ranges that
// are numbered as steps, and DLProf's default, unless they are the micro-steps of an optimizer's loop
// or, of the default, processes have different numbers of it; what is likely to be the loop; what
// DLProf's default cuts each process by; that default where it is not regular.
const struct step_plan *step_plan_choose(const struct step_finder *finder, const char *best_steps)
{
    const struct step_plan *dlprof = NULL, *each = NULL, *told = NULL, *steps = NULL;
    for (size_t i = 0; i < finder->count; i++) {
        const struct step_plan *plan = &finder->plans[i];
        if (plan->source == CANDIDATE_TOLD)
            told = plan;
        if (plan->source == CANDIDATE_STEPS && best_steps && strcmp(plan->key, best_steps) == 0)
            steps = plan;
        if (plan->source == CANDIDATE_DLPROF && strncmp(plan->key, "each:", 5) == 0)
            each = plan;
        else if (plan->source == CANDIDATE_DLPROF && plan->figures.is_equal && !plan->is_op &&
                 plan->figures.period_ns != UNKNOWN)
            dlprof = plan;
    }
    if (steps && !lacks_files(finder, steps, dlprof))
        return steps;
    if (told)
        return told;
    const struct step_plan *loop = best_likely(finder, CANDIDATE_LOOP, ROLE_OPTIMIZER);
    const struct step_plan *numbered = best_numbered(finder);
    if (numbered && !cuts_micro_steps(numbered, loop))
        return numbered;
    if (dlprof && cuts_micro_steps(dlprof, loop))
        dlprof = NULL;
    if (dlprof && dlprof->confidence == CONFIDENCE_LIKELY)
        return dlprof;
    const struct step_plan *around = NULL;
    if (loop) {
        around = range_around(finder, loop);
        return around ? around : loop;
    }
    around = best_likely(finder, CANDIDATE_RANGE, ROLE_NOTHING);
    loop = best_likely(finder, CANDIDATE_LOOP, ROLE_BACKWARD);
    const struct step_plan *op = best_likely(finder, CANDIDATE_OP, ROLE_NOTHING);
    const struct step_plan *likely = around ? around : loop ? loop : op;
    if (!likely && each && each->confidence == CONFIDENCE_LIKELY)
        return each;
    return likely ? likely : dlprof;
}

struct ranking {
    const struct step_plan *plans, *chosen;
};

// The chosen one, what the program marks, then replays and what else there is.
static int compare_plans(const void *context, uint32_t i, uint32_t k)
{
    const struct ranking *ranking = context;
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
    struct ranking ranking = {finder->plans, chosen};
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, finder->count + 1);
    for (uint32_t i = 0; i < finder->count; i++)
        order[i] = i;
    sort_ids(order, finder->count, compare_plans, &ranking, arena);
    return order;
}
