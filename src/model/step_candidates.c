// SPDX-License-Identifier: Apache-2.0
#include "model/step_candidates.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "base/search.h"
#include "base/sort.h"
#include "model/id_map.h"
#include "model/ops.h"
#include "model/scratch.h"
#include "model/step_plan.h"

const char *const candidate_source_names[CANDIDATE_SOURCES] = {
    [CANDIDATE_STEPS] = "steps",
    [CANDIDATE_DLPROF] = "dlprof",
    [CANDIDATE_LOOP] = "loop",
    [CANDIDATE_RANGE] = "range",
    [CANDIDATE_OP] = "op",
    [CANDIDATE_REPLAYS] = "replays",
    [CANDIDATE_SEQUENCE] = "sequence",
    [CANDIDATE_BURSTS] = "bursts",
    [CANDIDATE_SLICES] = "slices",
};

enum {
    WINDOWS_MOST = 100000, // of a candidate
    PLANS_MOST = 2048,     // that are compared; the rest is inside of them
    OPS_MOST = 16,         // listed
    ANCHORS_MOST = 64,     // of a role, whose loops are looked for
    TURNS_LEAST = 3,
    LAUNCHES_LEAST = 8, // of a turn: what launches less is rather an op than a step
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

// Windows of DLProf's rule, over all processes.
static bool key_marks(struct step_finder *finder, const char *key, const char **named,
                      struct split_marks *marks)
{
    const struct profile *profile = finder->profile;
    size_t count;
    const int64_t *bounds = split_key_bounds(profile, key, &count, named, finder->arena);
    if (!bounds || count > WINDOWS_MOST)
        return false;
    int64_t from = profile->first_ns;
    for (size_t i = 0; i <= count; i++) {
        int64_t to = i < count ? bounds[i] : profile->last_ns + 1;
        to = to > from ? to : from;
        ARENA_PUSH(finder->arena, marks->items, marks->count, marks->capacity) =
            (struct split_mark){ROW_NONE, (uint32_t)i, from, to, false};
        from = to;
    }
    marks->slot_count = (uint32_t)count + 1;
    return true;
}

static void add_dlprof(struct step_finder *finder)
{
    struct split_marks marks = {0};
    const char *named = "";
    if (!finder->profile->ops || !key_marks(finder, NULL, &named, &marks))
        return;
    struct step_plan *plan = step_plan_add(finder);
    plan->source = CANDIDATE_DLPROF;
    plan->confidence = CONFIDENCE_LIKELY;
    plan->key = named;
    plan->text = arena_format(finder->arena, "key op %s", named);
    plan->why = "DLProf's own key op: its ends cut the run";
    plan->marks = marks;
    step_figures_fill(finder, plan);
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
                .name = op->name, .last_end = ops->end[ops->by_op[op->first_instance]]};
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
        if (!key_marks(finder, profile_text(profile, names[last[n] - 1].name), &named, &plan.marks))
            continue;
        plan.key = named;
        plan.text = arena_format(finder->arena, "key op %s", named);
        plan.why = arena_format(finder->arena, "%u of %u op names run %u times", with[n], count, n);
        plan.confidence = CONFIDENCE_POSSIBLE;
        step_figures_fill(finder, &plan);
        if (with[n] * 2 > count && plan.figures.alike >= 0.8)
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
            call = search_from(api->start, call, thread->end_api, ranges->start[row]);
            uint32_t end = search_from(api->start, call, thread->end_api, ranges->end[row]);
            with += api->first_work[end] > api->first_work[call];
        }
    }
    return with * 10 >= family->count * 8;
}

static bool is_steady(const struct step_finder *finder, const struct step_figures *figures)
{
    // A replayed graph is a whole step by itself.
    if (figures->launches < LAUNCHES_LEAST && !finder->profile->work.graph)
        return false;
    bool has_few = figures->turns < 5; // which may be alike by chance
    return has_few ? figures->alike >= 0.9 && figures->jitter <= 0.15
                   : figures->alike >= 0.7 || figures->jitter <= 0.15;
}

static void tell_regular(struct step_finder *finder, struct step_plan *plan)
{
    char out[FORMAT_SIZE];
    plan->why =
        arena_format(finder->arena, "%s%s%% of the periods launch alike%s",
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

// ---- which comes first ---------------------------------------------------------------------------

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

// What split_find() takes: steps that the file marks; DLProf's default, unless it finds the
// micro-steps of an optimizer's loop; what is likely to be the loop. NULL: none. Replays and what
// else is no step of a program is never taken unasked.
static const struct step_plan *choose(const struct step_finder *finder, const char *best_steps)
{
    const struct step_plan *dlprof = NULL;
    for (size_t i = 0; i < finder->count; i++) {
        const struct step_plan *plan = &finder->plans[i];
        if (plan->source == CANDIDATE_STEPS && best_steps && strcmp(plan->key, best_steps) == 0)
            return plan;
        if (plan->source == CANDIDATE_DLPROF)
            dlprof = plan;
    }
    const struct step_plan *loop = best_likely(finder, CANDIDATE_LOOP, ROLE_OPTIMIZER);
    if (dlprof && loop && loop->inner > 1 &&
        dlprof->marks.slot_count + loop->inner >= loop->marks.slot_count * loop->inner)
        dlprof = NULL;
    if (dlprof)
        return dlprof;
    const struct step_plan *around = NULL;
    if (loop) {
        around = range_around(finder, loop);
        return around ? around : loop;
    }
    around = best_likely(finder, CANDIDATE_RANGE, ROLE_NOTHING);
    loop = best_likely(finder, CANDIDATE_LOOP, ROLE_BACKWARD);
    const struct step_plan *op = best_likely(finder, CANDIDATE_OP, ROLE_NOTHING);
    return around ? around : loop ? loop : op;
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

// ---- finding -------------------------------------------------------------------------------------

static void finder_open(struct step_finder *finder, const struct profile *profile,
                        struct arena *scratch)
{
    *finder = (struct step_finder){.profile = profile, .arena = scratch};
    launch_index_build(&finder->launches, profile, scratch);
    step_families_find(&finder->families, profile, scratch);
}

static const struct step_plan *find_plans(struct step_finder *finder, bool with_gpu)
{
    string_id title = step_markers_best(finder->profile, finder->arena);
    add_steps(finder);
    add_dlprof(finder);
    add_ranges(finder);
    add_loops(finder);
    add_ops(finder);
    if (with_gpu && finder->profile->work.count) {
        step_replays_add(finder);
        step_sequences_add(finder);
        step_bursts_add(finder);
        step_slices_add(finder, 0);
    }
    return choose(finder, title ? profile_text(finder->profile, title) : NULL);
}

static const char *keep(struct arena *arena, const char *text)
{
    return text ? arena_copy(arena, text, strlen(text)) : NULL;
}

static struct step_candidate candidate_of(const struct profile *profile,
                                          const struct step_plan *plan, struct arena *arena)
{
    const struct step_figures *figures = &plan->figures;
    struct step_candidate candidate = {
        .source = plan->source,
        .confidence = plan->confidence,
        .key = keep(arena, plan->key),
        .text = keep(arena, plan->text),
        .unit = plan->unit,
        .why = keep(arena, plan->why),
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

struct find_job {
    const struct profile *profile;
    struct arena *arena;
    struct step_candidates candidates;
};

static void find_body(void *context, struct arena *scratch)
{
    struct find_job *job = context;
    struct step_finder finder;
    finder_open(&finder, job->profile, scratch);
    const struct step_plan *chosen = find_plans(&finder, true);
    struct ranking ranking = {finder.plans, chosen};
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, finder.count + 1);
    for (uint32_t i = 0; i < finder.count; i++)
        order[i] = i;
    sort_ids(order, finder.count, compare_plans, &ranking, scratch);
    // Room for what is no step, which comes last.
    size_t others = 0;
    for (size_t i = 0; i < finder.count; i++)
        others += finder.plans[i].source >= CANDIDATE_REPLAYS;
    size_t steps = finder.count - others;
    size_t listed = steps + others <= CANDIDATES_MOST ? steps : CANDIDATES_MOST - others;
    struct step_candidates *candidates = &job->candidates;
    candidates->items = ARENA_ARRAY(job->arena, struct step_candidate, CANDIDATES_MOST);
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

// ---- splitting -----------------------------------------------------------------------------------

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
        if (strcmp(family->text, text) != 0 || !family->most || family->most > WINDOWS_MOST)
            continue;
        if (is_loop)
            return step_loop_plan(finder, family, plan);
        *plan = (struct step_plan){.source = CANDIDATE_RANGE, .unit = "iteration"};
        plan->marks = family_marks(finder, family);
        plan->text = arena_format(finder->arena, "range \"%s\"", text);
        return true;
    }
    return false;
}

// The plan that a key of a candidate names, where it is none of an op or of a range's text.
static bool plan_of_key(struct step_finder *finder, const char *key, struct step_plan *plan)
{
    const char *rest;
    int64_t length = 0;
    if (starts_with(key, "loop:", &rest))
        return plan_of_family(finder, rest, true, plan);
    if (starts_with(key, "range:", &rest))
        return plan_of_family(finder, rest, false, plan);
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
    const char *key, *sure;
    enum confidence confidence;
    struct arena *arena;
    struct split *split;
};

static struct split *split_by_plan(const struct split_job *job, const struct step_plan *plan)
{
    size_t excess = 0;
    char out[FORMAT_SIZE];
    struct split *split = split_by_marks(job->profile, &plan->marks, job->arena, &excess);
    if (!split) {
        split = split_without(job->profile, job->arena);
        if (excess)
            split_tell_excess(split, excess, job->arena);
        return split;
    }
    bool has_several = split->process_start && plan->source <= CANDIDATE_RANGE;
    split->key = keep(job->arena, job->key);
    split->unit = plan->unit;
    split->inner = plan->inner;
    split->text = arena_format(
        job->arena, "%s by %s%s%s%s", format_counted(out, split->count, plan->unit), plan->text,
        job->sure, has_several ? ", per process" : "",
        plan->inner ? arena_format(job->arena, ", %u micro-steps in each", plan->inner) : "");
    return split;
}

static void split_body(void *context, struct arena *scratch)
{
    struct split_job *job = context;
    struct step_finder finder;
    struct step_plan plan;
    finder_open(&finder, job->profile, scratch);
    if (plan_of_key(&finder, job->key, &plan))
        job->split = split_by_plan(job, &plan);
}

// Steps that the program marks itself are what it is about; so are those around nearly all its
// work, and replays and bursts where one asks for them. A single `forward` is not.
static bool leaves_outside(const struct split *split, bool is_found)
{
    return split->method == SPLIT_RANGES && split->count > 1 &&
           (is_found || !split_has_steps(split) || split->outside_ns <= split->inside_ns / 4);
}

static struct split *split_named(const struct profile *profile, const char *name, const char *sure,
                                 enum confidence confidence, struct arena *arena)
{
    bool is_found = *sure && confidence != CONFIDENCE_POSSIBLE;
    static const char *const kinds[] = {"loop:", "range:", "replay:", "slices:"};
    const char *rest = name;
    bool is_planned = strcmp(name, "bursts") == 0 || strcmp(name, "sequence") == 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        is_planned |= starts_with(name, kinds[i], &rest);
    struct split *split = profile->ops ? split_by_key(profile, name, arena) : NULL;
    if (split && split->key_found)
        split->text = arena_format(arena, "%s%s", split->text, sure);
    if (!split || !split->key_found) {
        if (starts_with(name, "range:", &rest))
            split = split_by_range_sure(profile, rest, sure, arena);
        else if (!is_planned)
            split = split_by_range_sure(profile, name, sure, arena);
    }
    if (is_planned && (!split || !split->key_found)) {
        struct split_job job = {profile, name, sure, confidence, arena, NULL};
        scratch_run(arena, split_body, &job);
        split = job.split ? job.split : split;
    }
    split = split ? split : split_without(profile, arena);
    split->confidence = confidence;
    split->leaves_outside = leaves_outside(split, is_found);
    return split;
}

static const char *sure_text(enum confidence confidence, struct arena *arena)
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
    return split_named(profile, candidate->key, sure_text(candidate->confidence, arena),
                       candidate->confidence, arena);
}

struct choose_job {
    const struct profile *profile;
    struct arena *arena;
    const char *key; // NULL: none
    enum confidence confidence;
};

static void choose_body(void *context, struct arena *scratch)
{
    struct choose_job *job = context;
    string_id title = step_markers_best(job->profile, scratch);
    if (title) { // no need to look further
        job->key = profile_text(job->profile, title);
        return;
    }
    struct step_finder finder;
    finder_open(&finder, job->profile, scratch);
    const struct step_plan *chosen = find_plans(&finder, false);
    job->key = chosen ? keep(job->arena, chosen->key) : NULL;
    job->confidence = chosen ? chosen->confidence : CONFIDENCE_CERTAIN;
}

struct split *split_find(const struct profile *profile, struct arena *arena)
{
    struct choose_job job = {profile, arena, NULL, CONFIDENCE_CERTAIN};
    scratch_run(arena, choose_body, &job);
    return job.key ? split_named(profile, job.key, sure_text(job.confidence, arena), job.confidence,
                                 arena)
                   : split_without(profile, arena);
}
