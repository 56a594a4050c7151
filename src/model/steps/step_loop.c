// SPDX-License-Identifier: Apache-2.0
// Finds a loop of the program from one family of ranges.
//
// Terms:
// - turn: one pass through the loop;
// - anchor: the family from which the search starts; each turn has exactly one of its ranges;
// - member: a family that occurs equally often in every turn, such as `forward` and `backward`,
//   four times each before one `optimizer.step`; the anchor is a member, too;
// - sample: the turn of median length; positions and times of the members are measured in it.
//
// A turn lasts from the first range of its members to the last. Occasional work between two turns,
// such as a validation, therefore belongs to no turn, even if it also runs `forward`. The member
// that begins a turn follows from the roles of the members (loading a batch, forward) and from
// which of them appears first in the file.
#include <stdlib.h>

#include "base/scratch.h"
#include "base/sort.h"
#include "model/steps/step_plan.h"

enum {
    MIN_TURNS = 3,
    MAX_TIMES = 1024, // ranges of a member in one turn
};

struct loop_member {
    const struct step_family *family;
    const uint32_t *rows;  // sorted by start
    uint32_t count, times; // all its ranges, and ranges per turn
    int64_t from, to;      // in the sample turn, relative to the start of its anchor
    bool outlasts_turn;    // its range ends after the next anchor range begins
    bool follows_anchor;   // its ranges belong to the turn of the anchor range before them
};

struct step_loop {
    struct step_finder *finder;
    struct arena *arena; // temporary, for one process
    const struct step_part *anchor;
    const uint32_t *rows; // ranges of the anchor
    uint32_t count;
    uint32_t sample; // index of a turn of median length
    int64_t period_ns;
    struct loop_member *members; // the anchor is the first one
    size_t member_count, member_capacity;
    size_t first_member, last_member; // those that begin and end a turn
};

static const struct ranges *ranges_of(const struct step_loop *loop)
{
    return &loop->finder->profile->ranges;
}

// ---- members of every turn ---------------------------------------------------------------------

static int compare_counts(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Returns how often a family occurs in a turn, or 0 if the number varies. A validation adds ranges
// to some turns, so the usual number is the 30th percentile rather than the median.
static uint32_t times_per_turn(const struct step_loop *loop, const uint32_t *rows, uint32_t count,
                               uint32_t *in_turn)
{
    const struct ranges *ranges = ranges_of(loop);
    uint32_t turns = loop->count - 1, next = 0;
    while (next < count && AT(ranges->start, rows[next]) < AT(ranges->start, loop->rows[0]))
        next++;
    for (uint32_t i = 0; i < turns; i++) {
        uint32_t first = next;
        while (next < count && AT(ranges->start, rows[next]) < AT(ranges->start, loop->rows[i + 1]))
            next++;
        in_turn[i] = next - first;
    }
    uint32_t in_sample = in_turn[loop->sample];
    qsort(in_turn, turns, sizeof *in_turn, compare_counts);
    uint32_t usual = in_turn[turns * 3 / 10], alike = 0, enough = 0;
    for (uint32_t i = 0; i < turns; i++) {
        alike += in_turn[i] == usual;
        enough += in_turn[i] >= usual;
    }
    bool is_steady = alike * 2 >= turns && enough * 10 >= turns * 9;
    return is_steady && usual == in_sample && usual <= MAX_TIMES ? usual : 0;
}

static void add_member(struct step_loop *loop, const struct step_part *part, uint32_t times)
{
    const struct ranges *ranges = ranges_of(loop);
    const struct step_families *families = &loop->finder->families;
    struct loop_member member = {.family = &families->items[part->family],
                                 .rows = families->rows + part->first,
                                 .count = part->count,
                                 .times = times};
    int64_t start = AT(ranges->start, loop->rows[loop->sample]);
    uint32_t first = 0;
    while (first < member.count && AT(ranges->start, member.rows[first]) < start)
        first++;
    if (first + times > member.count)
        return;
    member.from = AT(ranges->start, member.rows[first]) - start;
    for (uint32_t i = first; i < first + times; i++)
        if (AT(ranges->end, member.rows[i]) - start > member.to)
            member.to = AT(ranges->end, member.rows[i]) - start;
    member.outlasts_turn = member.to > loop->period_ns;
    ARENA_PUSH(loop->arena, loop->members, loop->member_count, loop->member_capacity) = member;
}

static void find_members(struct step_loop *loop)
{
    const struct step_families *families = &loop->finder->families;
    uint32_t *in_turn = ARENA_ARRAY(loop->arena, uint32_t, loop->count);
    add_member(loop, loop->anchor, 1);
    for (size_t i = 0; i < families->part_count; i++) {
        const struct step_part *part = &families->parts[i];
        if (part->thread != loop->anchor->thread || part->family == loop->anchor->family ||
            families->items[part->family].is_place || part->count < loop->count / 2)
            continue;
        uint32_t times = times_per_turn(loop, families->rows + part->first, part->count, in_turn);
        if (times)
            add_member(loop, part, times);
    }
}

// ---- the beginning of a turn -------------------------------------------------------------------

static int compare_members(const void *context, uint32_t a, uint32_t b)
{
    const struct loop_member *members = context;
    int64_t x = members[a].from, y = members[b].from;
    return x != y ? (x > y) - (x < y)
                  : (members[a].to < members[b].to) - (members[a].to > members[b].to);
}

// A member that occurs once per turn, or has a known role, must not be divided by a boundary.
static bool is_indivisible(const struct loop_member *member)
{
    return member->times == 1 || member->family->role != ROLE_NOTHING;
}

// Sorts the members by their start in the sample turn. Sets may_begin[i] if the i-th of them can be
// the first of a turn: a boundary before it would cut no range of a whole member.
static uint32_t *order_members(const struct step_loop *loop, bool *may_begin)
{
    uint32_t *order = ARENA_ARRAY(loop->arena, uint32_t, loop->member_count);
    int64_t until = 0;
    for (uint32_t i = 0; i < loop->member_count; i++) {
        const struct loop_member *member = &loop->members[i];
        order[i] = i;
        if (is_indivisible(member) && member->to - loop->period_ns > until)
            until = member->to - loop->period_ns; // lasts into the next turn
    }
    sort_ids(order, loop->member_count, compare_members, loop->members, loop->arena);
    for (size_t i = 0; i < loop->member_count; i++) {
        const struct loop_member *member = &loop->members[order[i]];
        may_begin[i] = member->from >= until && is_indivisible(member);
        if (is_indivisible(member) && member->to > until)
            until = member->to;
    }
    return order;
}

static int64_t first_start(const struct step_loop *loop, const struct loop_member *member)
{
    return AT(ranges_of(loop)->start, member->rows[0]);
}

// Finds the member that begins a turn. The last member of a turn is the optimizer, else the
// backward, else unknown. The search begins after it and ends at the first member that either
// appears in the file before it, or whose role (input, forward) says that it begins a turn. Without
// a known end the earliest member of the file begins the turn.
static void find_first_member(struct step_loop *loop)
{
    size_t count = loop->member_count, end = 0, begin = SIZE_MAX, named = SIZE_MAX, earliest = 0;
    bool *may_begin = ARENA_ARRAY(loop->arena, bool, count);
    uint32_t *order = order_members(loop, may_begin);
    enum step_role best = ROLE_NOTHING;
    for (size_t i = 0; i < count; i++) {
        enum step_role role = loop->members[order[i]].family->role;
        bool is_end = role == ROLE_OPTIMIZER || role == ROLE_BACKWARD;
        if (is_end && role >= best) {
            end = i;
            best = role;
        }
        if (first_start(loop, &loop->members[order[i]]) <
            first_start(loop, &loop->members[order[earliest]]))
            earliest = i;
    }
    int64_t end_start = first_start(loop, &loop->members[order[end]]);
    for (size_t n = 1; n < count && begin == SIZE_MAX && named == SIZE_MAX; n++) {
        size_t i = (end + n) % count;
        const struct loop_member *member = &loop->members[order[i]];
        if (!may_begin[i])
            continue;
        if (first_start(loop, member) < end_start)
            begin = i;
        if (member->family->role == ROLE_INPUT || member->family->role == ROLE_FORWARD)
            named = i;
    }
    if (best == ROLE_NOTHING && may_begin[earliest])
        begin = earliest;
    if (begin == SIZE_MAX)
        begin = named != SIZE_MAX ? named : may_begin[earliest] ? earliest : 0;
    loop->first_member = order[begin];
    loop->last_member = order[begin > 0 ? begin - 1 : count - 1];
    for (size_t i = 0; i < count; i++)
        loop->members[order[i]].follows_anchor = i < begin || begin == 0;
}

// ---- turns -------------------------------------------------------------------------------------

struct member_cursor {
    uint32_t next; // index in the member's rows: the first one that no turn has used
};

// Finds the rows [*first, *end) of a member in a turn.
static void member_part(const struct step_loop *loop, const struct loop_member *member,
                        uint32_t turn, struct member_cursor *cursor, uint32_t *first, uint32_t *end)
{
    struct column64 start = ranges_of(loop)->start;
    int64_t at = AT(start, loop->rows[turn]);
    int64_t next = turn + 1 < loop->count ? AT(start, loop->rows[turn + 1]) : INT64_MAX;
    while (cursor->next < member->count && AT(start, member->rows[cursor->next]) < at &&
           member->follows_anchor)
        cursor->next++;
    *first = cursor->next;
    int64_t until = member->follows_anchor ? next : at;
    while (cursor->next < member->count && AT(start, member->rows[cursor->next]) < until)
        cursor->next++;
    *end = cursor->next;
    if (*end - *first <= member->times)
        return;
    if (member->follows_anchor)
        *end = *first + member->times;
    else
        *first = *end - member->times;
}

static void add_turns(struct step_loop *loop, struct split_marks *marks)
{
    const struct ranges *ranges = ranges_of(loop);
    struct member_cursor *cursors =
        ARENA_ARRAY(loop->arena, struct member_cursor, loop->member_count);
    int64_t covered = INT64_MIN;
    for (uint32_t turn = 0; turn < loop->count; turn++) {
        uint32_t row = loop->rows[turn];
        struct split_mark mark = {loop->anchor->process, turn, AT(ranges->start, row),
                                  AT(ranges->end, row),
                                  range_label(ranges, row)->ending == RANGE_OPEN};
        for (size_t m = 1; m < loop->member_count; m++) {
            const struct loop_member *member = &loop->members[m];
            uint32_t first, end;
            member_part(loop, member, turn, &cursors[m], &first, &end);
            // The capture began or ended inside the turn.
            bool is_edge = turn == 0 ? !member->follows_anchor : turn + 1 == loop->count;
            mark.is_cut |=
                is_edge && end - first < member->times && is_indivisible(member) &&
                (member->family->role == ROLE_FORWARD || member->family->role == ROLE_BACKWARD ||
                 member->family->role == ROLE_OPTIMIZER);
            for (uint32_t i = first; i < end; i++) {
                int64_t from = AT(ranges->start, member->rows[i]),
                        to = AT(ranges->end, member->rows[i]);
                mark.start = from < mark.start ? from : mark.start;
                mark.stop = to > mark.stop ? to : mark.stop;
            }
        }
        mark.start = mark.start > covered ? mark.start : covered;
        mark.stop = mark.stop > mark.start ? mark.stop : mark.start;
        covered = mark.stop;
        ARENA_PUSH(loop->finder->arena, marks->items, marks->count, marks->capacity) = mark;
    }
    marks->slot_count = loop->count > marks->slot_count ? loop->count : marks->slot_count;
}

// Extends turns backwards over the work before them that no member marks, such as the copies of the
// batch. A gap of usual length and number of launches is added completely to the turn after it.
static void add_usual_gaps(struct step_loop *loop, struct split_mark *marks, uint32_t count)
{
    struct arena *arena = loop->arena;
    const struct launch_order *order =
        launch_order_of(&loop->finder->launches, loop->anchor->process);
    int64_t *gap = ARENA_ARRAY(arena, int64_t, count), *sorted = ARENA_ARRAY(arena, int64_t, count);
    int64_t *launches = ARENA_ARRAY(arena, int64_t, count);
    for (uint32_t i = 1; i < count; i++) {
        struct launch_span span = launches_within(order, marks[i - 1].stop, marks[i].start);
        gap[i - 1] = marks[i].start - marks[i - 1].stop;
        launches[i - 1] = (int64_t)(span.end - span.first);
    }
    for (uint32_t i = 0; i + 1 < count; i++)
        sorted[i] = gap[i];
    sort_values(sorted, count - 1);
    int64_t usual_gap = sorted[(count - 1) / 2];
    for (uint32_t i = 0; i + 1 < count; i++)
        sorted[i] = launches[i];
    sort_values(sorted, count - 1);
    int64_t usual_launches = sorted[(count - 1) / 2];
    for (uint32_t i = 0; i < count; i++) {
        bool is_usual = i && launches[i - 1] <= usual_launches + usual_launches / 4 + 1 &&
                        (gap[i - 1] <= 2 * usual_gap || gap[i - 1] <= loop->period_ns / 4);
        if (is_usual) {
            marks[i].start = marks[i - 1].stop;
            continue;
        }
        // Before the first turn and after a longer gap: only the last launches, as many as usual.
        int64_t from = marks[i].start - 2 * usual_gap;
        if (i && from < marks[i - 1].stop)
            from = marks[i - 1].stop;
        struct launch_span span = launches_within(order, from, marks[i].start);
        if (usual_launches > 0 && span.end - span.first >= (size_t)usual_launches)
            marks[i].start = order->time[span.end - (size_t)usual_launches];
    }
}

// ---- one process after the other ---------------------------------------------------------------

static int compare_periods(const void *context, uint32_t a, uint32_t b)
{
    const struct step_loop *loop = context;
    struct column64 start = loop->finder->profile->ranges.start;
    int64_t x = AT(start, loop->rows[a + 1]) - AT(start, loop->rows[a]);
    int64_t y = AT(start, loop->rows[b + 1]) - AT(start, loop->rows[b]);
    return (x > y) - (x < y);
}

static void find_sample(struct step_loop *loop)
{
    const struct ranges *ranges = ranges_of(loop);
    uint32_t *order = ARENA_ARRAY(loop->arena, uint32_t, loop->count);
    for (uint32_t i = 0; i + 1 < loop->count; i++)
        order[i] = i;
    sort_ids(order, loop->count - 1, compare_periods, loop, loop->arena);
    loop->sample = order[(loop->count - 1) / 2];
    loop->period_ns = AT(ranges->start, loop->rows[loop->sample + 1]) -
                      AT(ranges->start, loop->rows[loop->sample]);
}

static void describe(const struct step_loop *loop, struct step_plan *plan)
{
    struct arena *arena = loop->finder->arena;
    const char *first = loop->members[loop->first_member].family->text;
    const char *last = loop->members[loop->last_member].family->text;
    const char *anchor = loop->members[0].family->text;
    plan->text = loop->member_count == 1
                     ? arena_format(arena, "start of \"%s\"", anchor)
                     : arena_format(arena, "loop of \"%s\" to \"%s\"", first, last);
    for (size_t i = 1; i < loop->member_count; i++) {
        const struct loop_member *member = &loop->members[i];
        enum step_role role = member->family->role;
        // An enclosing range that names a warm-up or a validation: these turns are no training.
        plan->is_other |= role == ROLE_NOT_STEP && member->times == 1 && member->outlasts_turn;
        if (member->times > plan->inner && member->times > 1 &&
            (role == ROLE_BACKWARD || role == ROLE_FORWARD || role == ROLE_MICRO)) {
            plan->inner = member->times;
            plan->inner_text = member->family->text;
        }
    }
}

struct loop_job {
    struct step_finder *finder;
    const struct step_part *part; // of the anchor
    struct step_plan *plan;
};

static void plan_process(void *context, struct arena *scratch)
{
    struct loop_job *job = context;
    struct split_marks *marks = &job->plan->marks;
    struct step_loop loop = {.finder = job->finder,
                             .arena = scratch,
                             .anchor = job->part,
                             .rows = job->finder->families.rows + job->part->first,
                             .count = job->part->count};
    find_sample(&loop);
    find_members(&loop);
    find_first_member(&loop);
    size_t from = marks->count;
    add_turns(&loop, marks);
    add_usual_gaps(&loop, marks->items + from, loop.count);
    if (!job->plan->text)
        describe(&loop, job->plan);
}

bool step_loop_plan(struct step_finder *finder, const struct step_family *anchor,
                    struct step_plan *plan)
{
    const struct step_families *families = &finder->families;
    *plan = (struct step_plan){.source = CANDIDATE_LOOP, .unit = "iteration", .why = ""};
    for (uint32_t p = anchor->first_part; p < anchor->first_part + anchor->parts; p++) {
        struct loop_job job = {finder, &families->parts[p], plan};
        if (job.part->count >= MIN_TURNS)
            scratch_run(finder->arena, plan_process, &job);
    }
    if (!plan->marks.count)
        return false;
    plan->key = arena_format(finder->arena, "loop:%s", anchor->text);
    step_figures_fill(finder, plan);
    return true;
}
