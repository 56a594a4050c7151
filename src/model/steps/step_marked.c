// SPDX-License-Identifier: Apache-2.0
// Finds splits by what the program itself marks: numbered steps, DLProf's key op, other ops,
// ranges, and loops of ranges.
//
// Terms:
// - plan: one possible split of the run into windows (step_plan.h);
// - turn: one window of a plan; it is one step if the plan is right;
// - key op: the op at whose ends DLProf cuts the run;
// - stop: the end of one run of a key op;
// - family: the ranges that have one text, or one place in the op tree (step_families.h);
// - anchor: the family with exactly one range per turn, by which a loop is found (step_loop.c).
#include <math.h>
#include <string.h>

#include "base/id_map.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/text/format.h"
#include "model/markers/markers.h"
#include "model/ops/ops.h"
#include "model/steps/step_plan.h"

enum {
    MAX_PLANS = 2048,    // no families are added beyond it: their ranges are inside earlier ones
    MAX_LISTED_OPS = 16, // ops that are added as plans
    MAX_ANCHORS = 64,    // families per role that are tried as the anchor of a loop
    MIN_TURNS = 3,
    MIN_LAUNCHES = 8, // per turn; a turn with fewer launches is an op rather than a step
    MIN_OPS = 6,      // per turn, for a key op that was chosen only by its number of runs
};

// ---- the marks of the file ---------------------------------------------------------------------

static void add_steps(struct step_finder *finder)
{
    for (size_t i = 0; i < finder->families.count; i++) {
        const struct step_family *family = &finder->families.items[i];
        if (!family->is_steps || !family->max_count)
            continue;
        bool launches;
        struct step_plan *plan = step_plan_add(finder);
        plan->source = CANDIDATE_STEPS;
        plan->confidence = CONFIDENCE_CERTAIN;
        plan->key = family->text;
        plan->text = arena_format(finder->arena, "range \"%s\"", family->text);
        plan->why = family->is_serving ? "ranges by which a server marks its steps"
                                       : "ranges that are numbered steps";
        plan->marks = family_marks(finder, family, &launches);
        step_figures_fill(finder, plan);
    }
}

static void add_aggregations(struct step_finder *finder)
{
    const struct profile *profile = finder->profile;
    for (uint32_t i = 0; i < profile->aggregation_count; i++) {
        const struct aggregation *aggregation = &profile->aggregations[i];
        if (aggregation->count < 2 || aggregation->count > MAX_PLAN_WINDOWS)
            continue;
        struct step_plan *plan = step_plan_add(finder);
        plan->source = CANDIDATE_AGGREGATION;
        plan->confidence = CONFIDENCE_CERTAIN;
        plan->key = aggregation_name(aggregation, finder->arena);
        plan->text = aggregation_text(aggregation, finder->arena);
        plan->why = "the database holds what DLProf made of these";
        for (uint32_t w = 0; w < aggregation->count; w++)
            ARENA_PUSH(finder->arena, plan->marks.items, plan->marks.count, plan->marks.capacity) =
                (struct split_mark){ROW_NONE, w, aggregation->start[w], aggregation->stop[w],
                                    !aggregation_has(aggregation, w)};
        plan->marks.slot_count = aggregation->count;
        step_figures_fill(finder, plan);
    }
}

// Computes the windows into which DLProf would cut the run with a key op, over all processes.
// Sets *is_equal to whether all processes have the same number of stops.
static bool key_marks(struct step_finder *finder, const char *key, const char **key_name,
                      struct split_marks *marks, bool *is_equal)
{
    const struct profile *profile = finder->profile;
    size_t count;
    const int64_t *bounds =
        split_key_bounds(profile, key, &count, key_name, is_equal, finder->arena);
    if (!bounds || count > MAX_PLAN_WINDOWS)
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
    const char *key_name = "";
    size_t count = 0;
    uint32_t slot = 0;
    const struct key_stop *stops =
        finder->profile->ops
            ? split_key_stops(finder->profile, key, &count, &key_name, finder->arena)
            : NULL;
    for (size_t i = 1; stops && i < count && slot < MAX_PLAN_WINDOWS; i++) {
        slot = stops[i].process == stops[i - 1].process ? slot : 0;
        if (stops[i].process != stops[i - 1].process || stops[i].stop <= stops[i - 1].stop)
            continue;
        ARENA_PUSH(finder->arena, marks.items, marks.count, marks.capacity) =
            (struct split_mark){stops[i].process, slot++, stops[i - 1].stop, stops[i].stop, false};
        marks.slot_count = slot > marks.slot_count ? slot : marks.slot_count;
    }
    *plan = (struct step_plan){.source = CANDIDATE_DLPROF, .unit = "iteration", .marks = marks};
    plan->key = arena_format(finder->arena, "each:%s", key_name);
    plan->text = arena_format(finder->arena, "key op %s of each process", key_name);
    plan->why = "between the ends of DLProf's own key op, in each process";
    return marks.count > 0;
}

// Returns true if nearly all windows have a similar number of launches or a similar length.
static bool is_regular(const struct step_figures *figures)
{
    return figures->period_ns != UNKNOWN && (figures->alike >= 0.7 || figures->jitter <= 0.15);
}

// Returns true if CUDA graphs are replayed: a complete step can then consist of one or two ops.
static bool has_graphs(const struct step_finder *finder)
{
    return HAS(finder->profile->work.graph);
}

static bool launches_as_step(const struct step_finder *finder, const struct step_figures *figures)
{
    return figures->launches >= MIN_LAUNCHES || has_graphs(finder);
}

struct turn_span { // [first, end): windows of one process, or of all processes together
    uint32_t first, end;
};

// Finds the windows of each process.
static struct turn_span *turns_of_processes(struct step_finder *finder,
                                            const struct split_marks *marks)
{
    uint32_t processes = finder->profile->process_count;
    struct turn_span *turns = ARENA_ARRAY(finder->arena, struct turn_span, (size_t)processes + 1);
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

// Counts the distinct ops that begin in each complete turn of a key op and returns the median. If
// it is 1, the program merely repeats the key op, as a benchmark does, and the turns are no steps.
static uint32_t ops_in_turn(struct step_finder *finder, const struct split_marks *marks)
{
    const struct profile *profile = finder->profile;
    const struct ops *ops = profile->ops;
    size_t count = marks->count, whole = 0;
    const struct turn_span *turns = turns_of_processes(finder, marks);
    int64_t *starts = ARENA_ARRAY(finder->arena, int64_t, count + 1);
    int64_t *op_counts = ARENA_ARRAY(finder->arena, int64_t, count + 1);
    // Per turn: the last counted op + 1. Instances are read op by op, so each op counts once.
    uint32_t *last_op = ARENA_ARRAY(finder->arena, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++)
        starts[i] = marks->items[i].start;
    for (uint32_t n = 0; n < ops->instance_count; n++) {
        uint32_t instance = AT(ops->by_op, n), op = AT(ops->op, instance);
        uint32_t thread = AT(ops->thread, instance);
        if (ops->items[op].is_unassociated || thread == ROW_NONE)
            continue;
        uint32_t process = profile->threads[thread].process;
        const struct turn_span *windows =
            &turns[turns[process].end ? process : profile->process_count];
        uint32_t above =
            search_above(starts, windows->first, windows->end, AT(ops->start, instance));
        if (above > windows->first && last_op[above - 1] != op + 1) {
            last_op[above - 1] = op + 1;
            op_counts[above - 1]++;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (!marks->items[i].is_cut)
            op_counts[whole++] = op_counts[i];
    sort_values(op_counts, whole);
    return whole ? (uint32_t)op_counts[whole / 2] : 0;
}

// Returns true if hardly any op but the key op itself runs between its stops.
static bool is_repeated_op(struct step_finder *finder, const struct split_marks *marks)
{
    return !has_graphs(finder) && ops_in_turn(finder, marks) < 2;
}

// Adds DLProf's default key op. If the processes have different numbers of stops, DLProf cuts at
// each stop of any process. DLProf's reports need those windows, but they are no steps; so the
// turns of each process are added as a second plan.
static void add_dlprof(struct step_finder *finder)
{
    struct split_marks marks = {0};
    const char *key_name = "";
    struct step_plan by_process;
    bool is_equal;
    if (!finder->profile->ops || !key_marks(finder, NULL, &key_name, &marks, &is_equal))
        return;
    struct step_plan *plan = step_plan_add(finder);
    plan->source = CANDIDATE_DLPROF;
    plan->key = key_name;
    plan->text = arena_format(finder->arena, "key op %s", key_name);
    plan->why = "DLProf's own key op: its ends cut the run";
    plan->marks = marks;
    step_figures_fill(finder, plan);
    plan->confidence =
        is_equal && is_regular(&plan->figures) ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE;
    plan->figures.is_equal = is_equal;
    plan->is_op = is_repeated_op(finder, &marks);
    if (plan->is_op) {
        plan->confidence = CONFIDENCE_POSSIBLE;
        plan->why = "DLProf's own key op: little but itself lies between its ends";
    }
    if (is_equal || !step_each_plan(finder, NULL, &by_process))
        return;
    plan->why = "DLProf's own key op: processes have different numbers, and each end cuts the run";
    step_figures_fill(finder, &by_process);
    by_process.is_op = is_repeated_op(finder, &by_process.marks);
    by_process.confidence = !by_process.is_op && is_regular(&by_process.figures)
                                ? CONFIDENCE_LIKELY
                                : CONFIDENCE_POSSIBLE;
    *step_plan_add(finder) = by_process;
}

// ---- ops that tools have marked ----------------------------------------------------------------

struct op_name {
    string_id name;
    uint32_t count;   // instances of all ops of that name
    int64_t last_end; // end of its first instance
};

// Adds other ops as key ops. Ops that run once per step have the same number of instances, so op
// names are grouped by that number, and each group gives one plan. Its key op is the name whose
// first instance ends last, since DLProf cuts at the end of the key op.
static void add_ops(struct step_finder *finder)
{
    const struct profile *profile = finder->profile;
    const struct ops *ops = profile->ops;
    if (!ops || profile->mode == MODE_RANGES || !ops->count)
        return;
    struct id_map rows = {.arena = finder->arena};
    struct op_name *names = ARENA_ARRAY(finder->arena, struct op_name, ops->count);
    uint32_t count = 0, max_instances = 0;
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
        max_instances =
            names[*slot - 1].count > max_instances ? names[*slot - 1].count : max_instances;
    }
    if (max_instances > MAX_PLAN_WINDOWS)
        max_instances = MAX_PLAN_WINDOWS;
    // By number of instances: how many names have it.
    uint32_t *names_with = ARENA_ARRAY(finder->arena, uint32_t, (size_t)max_instances + 1);
    // By number of instances: index + 1 of the name whose first instance ends last.
    uint32_t *last_name = ARENA_ARRAY(finder->arena, uint32_t, (size_t)max_instances + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = names[i].count;
        if (n > max_instances)
            continue;
        names_with[n]++;
        if (!last_name[n] || names[i].last_end > names[last_name[n] - 1].last_end)
            last_name[n] = i + 1;
    }
    size_t added = 0;
    for (uint32_t n = MIN_TURNS; n <= max_instances && added < MAX_LISTED_OPS; n++) {
        if (!last_name[n])
            continue;
        struct step_plan plan = {.source = CANDIDATE_OP, .unit = "iteration"};
        const char *key_name = "";
        bool is_equal;
        if (!key_marks(finder, profile_text(profile, names[last_name[n] - 1].name), &key_name,
                       &plan.marks, &is_equal))
            continue;
        plan.key = key_name;
        plan.text = arena_format(finder->arena, "key op %s", key_name);
        plan.why =
            arena_format(finder->arena, "%u of %u op names run %u times", names_with[n], count, n);
        plan.confidence = CONFIDENCE_POSSIBLE;
        step_figures_fill(finder, &plan);
        plan.figures.is_equal = is_equal;
        if (is_equal && names_with[n] * 2 > count && plan.figures.alike >= 0.8 &&
            launches_as_step(finder, &plan.figures) &&
            (has_graphs(finder) || ops_in_turn(finder, &plan.marks) >= MIN_OPS))
            plan.confidence = CONFIDENCE_LIKELY;
        *step_plan_add(finder) = plan;
        added++;
    }
}

// ---- ranges and loops --------------------------------------------------------------------------

static bool is_steady(const struct step_finder *finder, const struct step_figures *figures)
{
    if (!launches_as_step(finder, figures))
        return false;
    bool has_few = figures->turns < 5; // few turns may be alike by chance
    return has_few ? figures->alike >= 0.9 && figures->jitter <= 0.15
                   : figures->alike >= 0.7 || figures->jitter <= 0.15;
}

static void describe_regularity(struct step_finder *finder, struct step_plan *plan)
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

// Returns whether the texts of a family tell the requests or tokens of a step. Their numbers vary
// by nature: each may occur once, as an identifier does.
static bool has_figures(const struct step_finder *finder, const struct step_family *family)
{
    uint32_t row = finder->families.rows[finder->families.parts[family->first_part].first];
    const char *text = profile_text(finder->profile, range_marker(finder->profile, row)->text);
    struct step_content content = step_content_read(text, strlen(text));
    content.kind = STEP_KIND_NONE;
    return step_content_says(&content);
}

// Returns whether a family probably is the loop over the steps. It covers most of the run: if it
// covers less, its ranges are parts of steps. Its turns launch alike, unless a number counts them,
// since steps of a server differ by what is in the batch.
static bool is_likely_step(const struct step_finder *finder, const struct step_family *family,
                           const struct step_plan *plan)
{
    const struct step_figures *figures = &plan->figures;
    bool is_counted = family->trend == TREND_COUNTER && !family->nests;
    // `load` may be a word for a figure of the step.
    bool can_be_step = family->role == ROLE_NOTHING || family->role == ROLE_FORWARD ||
                       (family->role == ROLE_INPUT && is_counted);
    bool is_part = !family->is_numbered && !has_figures(finder, family) &&
                   (family->trend == TREND_CYCLE || family->trend == TREND_ID);
    if (!can_be_step || is_part || family->is_layer || figures->coverage < 0.85 ||
        figures->turns < MIN_TURNS || !launches_as_step(finder, figures))
        return false;
    return is_counted || is_steady(finder, figures);
}

static void add_family(struct step_finder *finder, const struct step_family *family)
{
    struct step_plan plan = {.source = CANDIDATE_RANGE, .unit = "iteration"};
    bool launches;
    plan.marks = family_marks(finder, family, &launches);
    step_figures_fill(finder, &plan);
    if (plan.figures.coverage < 0.01 || (family->role != ROLE_BACKWARD && !launches))
        return;
    plan.confidence = CONFIDENCE_POSSIBLE;
    plan.key = arena_format(finder->arena, "range:%s", family->text);
    plan.text = arena_format(finder->arena, "range \"%s\"", family->text);
    plan.role = family->role;
    plan.is_numbered = family->is_numbered && family->role == ROLE_NOTHING && !family->is_place;
    if (is_likely_step(finder, family, &plan))
        plan.confidence = CONFIDENCE_LIKELY;
    describe_regularity(finder, &plan);
    *step_plan_add(finder) = plan;
}

// Returns true if both plans are the same loop, found from different families in it.
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
    double min_coverage = family->role == ROLE_OPTIMIZER ? 0.5 : 0.8;
    plan.confidence =
        !plan.is_other && plan.figures.coverage >= min_coverage && is_steady(finder, &plan.figures)
            ? CONFIDENCE_LIKELY
            : CONFIDENCE_POSSIBLE;
    plan.role = family->role;
    describe_regularity(finder, &plan);
    *step_plan_add(finder) = plan;
}

static void add_ranges(struct step_finder *finder)
{
    for (size_t i = 0; i < finder->families.count && finder->count < MAX_PLANS; i++) {
        const struct step_family *family = &finder->families.items[i];
        if (family->is_steps || family->max_count < 2 || family->max_count > MAX_PLAN_WINDOWS)
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

// Adds the loops whose anchor is a family of optimizer or backward ranges, or a server's. Only the
// first families of each role are tried: they are the outer ones, and each try costs a pass over
// all ranges.
static void add_loops(struct step_finder *finder)
{
    const struct step_family *families = finder->families.items;
    uint32_t *anchors = ARENA_ARRAY(finder->arena, uint32_t, finder->families.count + 1);
    uint32_t count = 0, tried[STEP_ROLES] = {0};
    for (uint32_t i = 0; i < finder->families.count; i++)
        if (!families[i].is_steps && families[i].max_count <= MAX_PLAN_WINDOWS &&
            (families[i].role == ROLE_OPTIMIZER || families[i].role == ROLE_BACKWARD ||
             families[i].role == ROLE_ANCHOR))
            anchors[count++] = i;
    sort_ids(anchors, count, compare_anchors, families, finder->arena);
    for (uint32_t i = 0; i < count; i++)
        if (tried[families[anchors[i]].role]++ < MAX_ANCHORS)
            add_loop(finder, &families[anchors[i]]);
}

void step_marked_add(struct step_finder *finder)
{
    add_steps(finder);
    add_aggregations(finder);
    add_dlprof(finder);
    add_ranges(finder);
    add_loops(finder);
    add_ops(finder);
}
