// SPDX-License-Identifier: Apache-2.0
// What a program's own marks cut a run by: numbered steps, DLProf's key, ops, ranges, and the loops
// that ranges are the parts of.
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "base/id_map.h"
#include "base/search.h"
#include "base/sort.h"
#include "model/ops/ops.h"
#include "model/steps/step_plan.h"

enum {
    PLANS_MOST = 2048, // that are compared; the rest is inside of them
    OPS_MOST = 16,     // listed
    ANCHORS_MOST = 64, // of a role, whose loops are looked for
    TURNS_LEAST = 3,
    LAUNCHES_LEAST = 8, // of a turn: what launches less is rather an op than a step
    OPS_LEAST = 6,      // that differ, of a turn between two stops of an op that nobody named
};

// ---- the file's own marks -----------------------------------------------------------------------

static void add_steps(struct step_finder *finder)
{
    for (size_t i = 0; i < finder->families.count; i++) {
        const struct step_family *family = &finder->families.items[i];
        if (!family->is_steps || !family->most)
            continue;
        struct step_plan *plan = step_plan_add(finder);
        plan->source = CANDIDATE_STEPS;
        plan->confidence = CONFIDENCE_CERTAIN;
        plan->key = family->text;
        plan->text = arena_format(finder->arena, "range \"%s\"", family->text);
        plan->why = "ranges that are numbered steps";
        plan->marks = family_marks(finder, family);
        step_figures_fill(finder, plan);
    }
}

static void add_told(struct step_finder *finder)
{
    const struct profile *profile = finder->profile;
    for (uint32_t i = 0; i < profile->aggregation_count; i++) {
        const struct aggregation *told = &profile->aggregations[i];
        if (told->count < 2 || told->count > WINDOWS_MOST)
            continue;
        struct step_plan *plan = step_plan_add(finder);
        plan->source = CANDIDATE_TOLD;
        plan->confidence = CONFIDENCE_CERTAIN;
        plan->key = aggregation_name(told, finder->arena);
        plan->text = aggregation_text(told, finder->arena);
        plan->why = "the database holds what DLProf made of these";
        for (uint32_t w = 0; w < told->count; w++)
            ARENA_PUSH(finder->arena, plan->marks.items, plan->marks.count, plan->marks.capacity) =
                (struct split_mark){ROW_NONE, w, told->start[w], told->stop[w],
                                    !aggregation_has(told, w)};
        plan->marks.slot_count = told->count;
        step_figures_fill(finder, plan);
    }
}

// Windows of DLProf's rule, over all processes. *is_equal: these have as many bounds each.
static bool key_marks(struct step_finder *finder, const char *key, const char **named,
                      struct split_marks *marks, bool *is_equal)
{
    const struct profile *profile = finder->profile;
    size_t count;
    const int64_t *bounds = split_key_bounds(profile, key, &count, named, is_equal, finder->arena);
    if (!bounds || count > WINDOWS_MOST)
        return false;
    int64_t from = profile->first_ns;
    for (size_t i = 0; i <= count; i++) {
        int64_t to = i < count ? bounds[i] : profile->last_ns + 1;
        to = to > from ? to : from;
        ARENA_PUSH(finder->arena, marks->items, marks->count, marks->capacity) =
            (struct split_mark){ROW_NONE, (uint32_t)i, from, to, i == 0 || i == count};
        from = to;
    }
    marks->slot_count = (uint32_t)count + 1;
    return true;
}

bool step_each_plan(struct step_finder *finder, const char *key, struct step_plan *plan)
{
    struct split_marks marks = {0};
    const char *named = "";
    size_t count = 0;
    uint32_t slot = 0;
    const struct key_stop *stops =
        finder->profile->ops ? split_key_stops(finder->profile, key, &count, &named, finder->arena)
                             : NULL;
    for (size_t i = 1; stops && i < count && slot < WINDOWS_MOST; i++) {
        slot = stops[i].process == stops[i - 1].process ? slot : 0;
        if (stops[i].process != stops[i - 1].process || stops[i].stop <= stops[i - 1].stop)
            continue;
        ARENA_PUSH(finder->arena, marks.items, marks.count, marks.capacity) =
            (struct split_mark){stops[i].process, slot++, stops[i - 1].stop, stops[i].stop, false};
        marks.slot_count = slot > marks.slot_count ? slot : marks.slot_count;
    }
    *plan = (struct step_plan){.source = CANDIDATE_DLPROF, .unit = "iteration", .marks = marks};
    plan->key = arena_format(finder->arena, "each:%s", named);
    plan->text = arena_format(finder->arena, "key op %s of each process", named);
    plan->why = "between the ends of DLProf's own key op, in each process";
    return marks.count > 0;
}

// Whether nearly all windows between two bounds launch alike or last as long.
static bool is_regular(const struct step_figures *figures)
{
    return figures->period_ns != UNKNOWN && (figures->alike >= 0.7 || figures->jitter <= 0.15);
}

// A replayed graph is a whole step by itself, of one op or two.
static bool has_graphs(const struct step_finder *finder)
{
    return HAS(finder->profile->work.graph);
}

static bool launches_as_step(const struct step_finder *finder, const struct step_figures *figures)
{
    return figures->launches >= LAUNCHES_LEAST || has_graphs(finder);
}

struct turns { // windows of one process, or of all of them
    uint32_t first, end;
};

// Where those of each process lie.
static struct turns *turns_of_processes(struct step_finder *finder, const struct split_marks *marks)
{
    uint32_t processes = finder->profile->process_count;
    struct turns *turns = ARENA_ARRAY(finder->arena, struct turns, (size_t)processes + 1);
    for (uint32_t i = 0; i < marks->count; i++) {
        uint32_t process = marks->items[i].process;
        if (process == ROW_NONE)
            process = processes;
        if (turns[process].end == 0)
            turns[process].first = i;
        turns[process].end = i + 1;
    }
    return turns;
}

// How many ops begin in a window between two stops of a key, the median of all that are whole: of those that
// only one op lies between, that op is run again and again, as a benchmark or a test of it does, and no step.
static uint32_t ops_in_turn(struct step_finder *finder, const struct split_marks *marks)
{
    const struct profile *profile = finder->profile;
    const struct ops *ops = profile->ops;
    size_t count = marks->count, whole = 0;
    const struct turns *turns = turns_of_processes(finder, marks);
    int64_t *starts = ARENA_ARRAY(finder->arena, int64_t, count + 1);
    int64_t *in = ARENA_ARRAY(finder->arena, int64_t, count + 1);
    uint32_t *last = ARENA_ARRAY(finder->arena, uint32_t, count + 1); // op that was seen last + 1
    for (size_t i = 0; i < count; i++)
        starts[i] = marks->items[i].start;
    for (uint32_t n = 0; n < ops->instance_count; n++) {
        uint32_t instance = AT(ops->by_op, n), op = AT(ops->op, instance);
        uint32_t thread = AT(ops->thread, instance);
        if (ops->items[op].is_unassociated || thread == ROW_NONE)
            continue;
        uint32_t process = profile->threads[thread].process;
        const struct turns *own = &turns[turns[process].end ? process : profile->process_count];
        uint32_t above = search_above(starts, own->first, own->end, AT(ops->start, instance));
        if (above > own->first && last[above - 1] != op + 1) {
            last[above - 1] = op + 1;
            in[above - 1]++;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (!marks->items[i].is_cut)
            in[whole++] = in[i];
    sort_values(in, whole);
    return whole ? (uint32_t)in[whole / 2] : 0;
}

// Whether little but the op itself lies between the stops of DLProf's own key.
static bool is_op_again(struct step_finder *finder, const struct split_marks *marks)
{
    return !has_graphs(finder) && ops_in_turn(finder, marks) < 2;
}

// Where processes have different numbers of it, DLProf cuts at every one: right for its reports,
// but these are no steps.
static void add_dlprof(struct step_finder *finder)
{
    struct split_marks marks = {0};
    const char *named = "";
    struct step_plan each;
    bool is_equal;
    if (!finder->profile->ops || !key_marks(finder, NULL, &named, &marks, &is_equal))
        return;
    struct step_plan *plan = step_plan_add(finder);
    plan->source = CANDIDATE_DLPROF;
    plan->key = named;
    plan->text = arena_format(finder->arena, "key op %s", named);
    plan->why = "DLProf's own key op: its ends cut the run";
    plan->marks = marks;
    step_figures_fill(finder, plan);
    plan->confidence =
        is_equal && is_regular(&plan->figures) ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE;
    plan->figures.is_equal = is_equal;
    plan->is_op = is_op_again(finder, &marks);
    if (plan->is_op) {
        plan->confidence = CONFIDENCE_POSSIBLE;
        plan->why = "DLProf's own key op: little but itself lies between its ends";
    }
    if (is_equal || !step_each_plan(finder, NULL, &each))
        return;
    plan->why = "DLProf's own key op: processes have different numbers, and each end cuts the run";
    step_figures_fill(finder, &each);
    each.is_op = is_op_again(finder, &each.marks);
    each.confidence =
        !each.is_op && is_regular(&each.figures) ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE;
    *step_plan_add(finder) = each;
}

// ---- ops, where tools have marked them -----------------------------------------------------------

struct op_name {
    string_id name;
    uint32_t count;   // instances of all ops of that name
    int64_t last_end; // of the first instance
};

// Names of ops that have as many instances as most of the ops: once in every turn. Of them the one
// that ends last, since DLProf cuts at the end of the key.
static void add_ops(struct step_finder *finder)
{
    const struct profile *profile = finder->profile;
    const struct ops *ops = profile->ops;
    if (!ops || profile->mode == MODE_RANGES || !ops->count)
        return;
    struct id_map rows = {.arena = finder->arena};
    struct op_name *names = ARENA_ARRAY(finder->arena, struct op_name, ops->count);
    uint32_t count = 0, most = 0;
    for (uint32_t i = 0; i < ops->count; i++) {
        const struct op *op = &ops->items[i];
        if (op->is_unassociated || !op->instance_count)
            continue;
        uint32_t *slot = id_map_slot(&rows, (struct id_key){.a = op->name});
        if (!*slot) {
            *slot = ++count;
            names[count - 1] = (struct op_name){
                .name = op->name, .last_end = AT(ops->end, AT(ops->by_op, op->first_instance))};
        }
        names[*slot - 1].count += op->instance_count;
        most = names[*slot - 1].count > most ? names[*slot - 1].count : most;
    }
    if (most > WINDOWS_MOST)
        most = WINDOWS_MOST;
    uint32_t *with = ARENA_ARRAY(finder->arena, uint32_t, (size_t)most + 1); // names by count
    uint32_t *last = ARENA_ARRAY(finder->arena, uint32_t, (size_t)most + 1); // the one, + 1
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = names[i].count;
        if (n > most)
            continue;
        with[n]++;
        if (!last[n] || names[i].last_end > names[last[n] - 1].last_end)
            last[n] = i + 1;
    }
    size_t added = 0;
    for (uint32_t n = TURNS_LEAST; n <= most && added < OPS_MOST; n++) {
        if (!last[n])
            continue;
        struct step_plan plan = {.source = CANDIDATE_OP, .unit = "iteration"};
        const char *named = "";
        bool is_equal;
        if (!key_marks(finder, profile_text(profile, names[last[n] - 1].name), &named, &plan.marks,
                       &is_equal))
            continue;
        plan.key = named;
        plan.text = arena_format(finder->arena, "key op %s", named);
        plan.why = arena_format(finder->arena, "%u of %u op names run %u times", with[n], count, n);
        plan.confidence = CONFIDENCE_POSSIBLE;
        step_figures_fill(finder, &plan);
        plan.figures.is_equal = is_equal;
        if (is_equal && with[n] * 2 > count && plan.figures.alike >= 0.8 &&
            launches_as_step(finder, &plan.figures) &&
            (has_graphs(finder) || ops_in_turn(finder, &plan.marks) >= OPS_LEAST))
            plan.confidence = CONFIDENCE_LIKELY;
        *step_plan_add(finder) = plan;
        added++;
    }
}

// ---- ranges and loops ----------------------------------------------------------------------------

// Whether the threads of the family send work themselves in most of its turns; what else runs
// meanwhile is not its own.
static bool family_launches(const struct step_finder *finder, const struct step_family *family)
{
    const struct profile *profile = finder->profile;
    const struct ranges *ranges = &profile->ranges;
    const struct api_calls *api = &profile->api;
    uint32_t with = 0;
    for (uint32_t p = family->first_part; p < family->first_part + family->parts; p++) {
        const struct step_part *part = &finder->families.parts[p];
        const struct thread *thread = &profile->threads[part->thread];
        uint32_t call = thread->first_api;
        for (uint32_t i = 0; i < part->count; i++) {
            uint32_t row = finder->families.rows[part->first + i];
            call = column_from(api->start, call, thread->end_api, AT(ranges->start, row));
            uint32_t end = column_from(api->start, call, thread->end_api, AT(ranges->end, row));
            with += AT(api->first_work, end) > AT(api->first_work, call);
        }
    }
    return with * 10 >= family->count * 8;
}

static bool is_steady(const struct step_finder *finder, const struct step_figures *figures)
{
    if (!launches_as_step(finder, figures))
        return false;
    bool has_few = figures->turns < 5; // which may be alike by chance
    return has_few ? figures->alike >= 0.9 && figures->jitter <= 0.15
                   : figures->alike >= 0.7 || figures->jitter <= 0.15;
}

static void tell_regular(struct step_finder *finder, struct step_plan *plan)
{
    char out[FORMAT_SIZE];
    plan->why =
        arena_format(finder->arena, "%s%s%s%% of the periods launch alike%s",
                     plan->is_numbered ? "numbered steps; " : "",
                     plan->inner ? arena_format(finder->arena, "%u \"%s\" in each; ", plan->inner,
                                                plan->inner_text)
                                 : "",
                     isnan(plan->figures.alike) ? "-" : format_percent(out, plan->figures.alike),
                     plan->figures.is_equal ? "" : "; processes have different numbers");
}

static void add_family(struct step_finder *finder, const struct step_family *family)
{
    struct step_plan plan = {.source = CANDIDATE_RANGE, .unit = "iteration"};
    plan.marks = family_marks(finder, family);
    step_figures_fill(finder, &plan);
    if (plan.figures.coverage < 0.01 ||
        (family->role != ROLE_BACKWARD && !family_launches(finder, family)))
        return;
    plan.confidence = CONFIDENCE_POSSIBLE;
    plan.key = arena_format(finder->arena, "range:%s", family->text);
    plan.text = arena_format(finder->arena, "range \"%s\"", family->text);
    // What covers a part of the run is a part of a step; steps are not invented from it.
    bool may_be = family->role == ROLE_NOTHING || family->role == ROLE_FORWARD;
    plan.role = family->role;
    plan.is_numbered = family->is_numbered && family->role == ROLE_NOTHING && !family->is_place;
    if (may_be && !family->is_layer && plan.figures.coverage >= 0.85 &&
        family->most >= TURNS_LEAST && is_steady(finder, &plan.figures))
        plan.confidence = CONFIDENCE_LIKELY;
    tell_regular(finder, &plan);
    *step_plan_add(finder) = plan;
}

// Found by another of its members.
static bool is_same_loop(const struct step_plan *a, const struct step_plan *b)
{
    const struct split_mark *x = a->marks.items, *y = b->marks.items;
    size_t count = a->marks.count;
    return a->source == CANDIDATE_LOOP && count == b->marks.count && x[0].start == y[0].start &&
           x[count / 2].start == y[count / 2].start && x[count - 1].stop == y[count - 1].stop;
}

static void add_loop(struct step_finder *finder, const struct step_family *family)
{
    struct step_plan plan;
    if (!step_loop_plan(finder, family, &plan))
        return;
    for (size_t i = 0; i < finder->count; i++)
        if (is_same_loop(&finder->plans[i], &plan))
            return;
    double least = family->role == ROLE_OPTIMIZER ? 0.5 : 0.8;
    plan.confidence =
        !plan.is_other && plan.figures.coverage >= least && is_steady(finder, &plan.figures)
            ? CONFIDENCE_LIKELY
            : CONFIDENCE_POSSIBLE;
    plan.role = family->role;
    tell_regular(finder, &plan);
    *step_plan_add(finder) = plan;
}

static void add_ranges(struct step_finder *finder)
{
    for (size_t i = 0; i < finder->families.count && finder->count < PLANS_MOST; i++) {
        const struct step_family *family = &finder->families.items[i];
        if (family->is_steps || family->most < 2 || family->most > WINDOWS_MOST)
            continue;
        add_family(finder, family);
    }
}

static int compare_anchors(const void *context, uint32_t a, uint32_t b)
{
    const struct step_family *families = context;
    if (families[a].role != families[b].role)
        return families[a].role > families[b].role ? -1 : 1;
    return (families[a].first_ns > families[b].first_ns) -
           (families[a].first_ns < families[b].first_ns);
}

// Each costs a look at all ranges: the loops of the first of either role, which are the outer ones.
static void add_loops(struct step_finder *finder)
{
    const struct step_family *families = finder->families.items;
    uint32_t *anchors = ARENA_ARRAY(finder->arena, uint32_t, finder->families.count + 1);
    uint32_t count = 0, tried[STEP_ROLES] = {0};
    for (uint32_t i = 0; i < finder->families.count; i++)
        if (!families[i].is_steps && families[i].most <= WINDOWS_MOST &&
            (families[i].role == ROLE_OPTIMIZER || families[i].role == ROLE_BACKWARD))
            anchors[count++] = i;
    sort_ids(anchors, count, compare_anchors, families, finder->arena);
    for (uint32_t i = 0; i < count; i++)
        if (tried[families[anchors[i]].role]++ < ANCHORS_MOST)
            add_loop(finder, &families[anchors[i]]);
}

void step_marked_add(struct step_finder *finder)
{
    add_steps(finder);
    add_told(finder);
    add_dlprof(finder);
    add_ranges(finder);
    add_loops(finder);
    add_ops(finder);
}
