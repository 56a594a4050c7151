// SPDX-License-Identifier: Apache-2.0
// The loop that a family of ranges marks the turns of.
//
// Whatever comes as often in every turn is a member of the loop: `forward` and `backward` four
// times each before one `optimizer.step`. A turn lasts from the first range of its members to the
// last, so that what lies between turns now and then, as a validation, is in none, although the
// same `forward` runs there. Where a turn begins follows from what its members are (loading a
// batch, forward) and from which of them the file shows first.
#include <stdlib.h>

#include "base/scratch.h"
#include "base/sort.h"
#include "model/steps/step_plan.h"

enum {
    TURNS_LEAST = 3,
    TIMES_MOST = 1024, // of a member in one turn
};

struct member {
    const struct step_family *family;
    const uint32_t *rows; // in order of start
    uint32_t count, times;
    int64_t from, to; // in the sample turn, after the start of its anchor
    bool is_around;   // the anchor
    bool is_after;    // of the turn whose anchor comes before it
};

struct loop {
    struct step_finder *finder;
    struct arena *arena; // gone when its turns are known
    const struct step_part *anchor;
    const uint32_t *rows; // of the anchor
    uint32_t count;
    uint32_t sample; // a turn as most are
    int64_t period_ns;
    struct member *members; // the anchor is the first
    size_t member_count, member_capacity;
    size_t first, last; // members with which a turn begins and ends
};

static const struct ranges *ranges_of(const struct loop *loop)
{
    return &loop->finder->profile->ranges;
}

// ---- what comes in every turn ------------------------------------------------------------------

static int compare_counts(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// How often a family comes in a turn; 0: now so, now so. A validation adds to some turns, so that
// the usual number is a low one.
static uint32_t times_in_turns(const struct loop *loop, const uint32_t *rows, uint32_t count,
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
    return is_steady && usual == in_sample && usual <= TIMES_MOST ? usual : 0;
}

static void add_member(struct loop *loop, const struct step_part *part, uint32_t times)
{
    const struct ranges *ranges = ranges_of(loop);
    const struct step_families *families = &loop->finder->families;
    struct member member = {.family = &families->items[part->family],
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
    member.is_around = member.to > loop->period_ns;
    ARENA_PUSH(loop->arena, loop->members, loop->member_count, loop->member_capacity) = member;
}

static void find_members(struct loop *loop)
{
    const struct step_families *families = &loop->finder->families;
    uint32_t *in_turn = ARENA_ARRAY(loop->arena, uint32_t, loop->count);
    add_member(loop, loop->anchor, 1);
    for (size_t i = 0; i < families->part_count; i++) {
        const struct step_part *part = &families->parts[i];
        if (part->thread != loop->anchor->thread || part->family == loop->anchor->family ||
            families->items[part->family].is_place || part->count < loop->count / 2)
            continue;
        uint32_t times = times_in_turns(loop, families->rows + part->first, part->count, in_turn);
        if (times)
            add_member(loop, part, times);
    }
}

// ---- where a turn begins -----------------------------------------------------------------------

static int compare_members(const void *context, uint32_t a, uint32_t b)
{
    const struct member *members = context;
    int64_t x = members[a].from, y = members[b].from;
    return x != y ? (x > y) - (x < y)
                  : (members[a].to < members[b].to) - (members[a].to > members[b].to);
}

// What is once in a turn, or known by its name, is not cut in two.
static bool is_whole(const struct member *member)
{
    return member->times == 1 || member->family->role != ROLE_NOTHING;
}

// In order of their place in the turn; marks those before which a turn may begin.
static uint32_t *order_members(const struct loop *loop, bool *may_begin)
{
    uint32_t *order = ARENA_ARRAY(loop->arena, uint32_t, loop->member_count);
    int64_t until = 0;
    for (uint32_t i = 0; i < loop->member_count; i++) {
        const struct member *member = &loop->members[i];
        order[i] = i;
        if (is_whole(member) && member->to - loop->period_ns > until)
            until = member->to - loop->period_ns; // lasts on into the next turn
    }
    sort_ids(order, loop->member_count, compare_members, loop->members, loop->arena);
    for (size_t i = 0; i < loop->member_count; i++) {
        const struct member *member = &loop->members[order[i]];
        may_begin[i] = member->from >= until && is_whole(member);
        if (is_whole(member) && member->to > until)
            until = member->to;
    }
    return order;
}

static int64_t first_start(const struct loop *loop, const struct member *member)
{
    return AT(ranges_of(loop)->start, member->rows[0]);
}

// After the optimizer (else the backward, else the anchor) the first member that the file shows
// before it, up to the one that by its name begins a turn; else that one; else the one that the
// file shows first.
static void find_begin(struct loop *loop)
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
        const struct member *member = &loop->members[order[i]];
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
    loop->first = order[begin];
    loop->last = order[begin > 0 ? begin - 1 : count - 1];
    for (size_t i = 0; i < count; i++)
        loop->members[order[i]].is_after = i < begin || begin == 0;
}

// ---- the turns ---------------------------------------------------------------------------------

struct cursor {
    uint32_t next; // row of a member that no turn has taken
};

// The part of a member in a turn that has its anchor at `row`: [*first, *end) of its rows.
static void member_part(const struct loop *loop, const struct member *member, uint32_t turn,
                        struct cursor *cursor, uint32_t *first, uint32_t *end)
{
    struct column64 start = ranges_of(loop)->start;
    int64_t at = AT(start, loop->rows[turn]);
    int64_t next = turn + 1 < loop->count ? AT(start, loop->rows[turn + 1]) : INT64_MAX;
    while (cursor->next < member->count && AT(start, member->rows[cursor->next]) < at &&
           member->is_after)
        cursor->next++;
    *first = cursor->next;
    int64_t until = member->is_after ? next : at;
    while (cursor->next < member->count && AT(start, member->rows[cursor->next]) < until)
        cursor->next++;
    *end = cursor->next;
    if (*end - *first <= member->times)
        return;
    if (member->is_after)
        *end = *first + member->times;
    else
        *first = *end - member->times;
}

static void add_turns(struct loop *loop, struct split_marks *marks)
{
    const struct ranges *ranges = ranges_of(loop);
    struct cursor *cursors = ARENA_ARRAY(loop->arena, struct cursor, loop->member_count);
    int64_t covered = INT64_MIN;
    for (uint32_t turn = 0; turn < loop->count; turn++) {
        uint32_t row = loop->rows[turn];
        struct split_mark mark = {loop->anchor->process, turn, AT(ranges->start, row),
                                  AT(ranges->end, row),
                                  range_label(ranges, row)->ending == RANGE_OPEN};
        for (size_t m = 1; m < loop->member_count; m++) {
            const struct member *member = &loop->members[m];
            uint32_t first, end;
            member_part(loop, member, turn, &cursors[m], &first, &end);
            // The capture began, or ended, inside of the turn.
            bool is_edge = turn == 0 ? !member->is_after : turn + 1 == loop->count;
            mark.is_cut |=
                is_edge && end - first < member->times && is_whole(member) &&
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

// What no member marks lies between the turns; where it is as usual it belongs to the next one, as
// the copies of its batch do.
static void take_usual_gaps(struct loop *loop, struct split_mark *marks, uint32_t count)
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
    int64_t usual = sorted[(count - 1) / 2];
    for (uint32_t i = 0; i < count; i++) {
        bool is_usual = i && launches[i - 1] <= usual + usual / 4 + 1 &&
                        (gap[i - 1] <= 2 * usual_gap || gap[i - 1] <= loop->period_ns / 4);
        if (is_usual) {
            marks[i].start = marks[i - 1].stop;
            continue;
        }
        // After a longer one, and before the first turn: the last that was launched in it.
        int64_t from = marks[i].start - 2 * usual_gap;
        if (i && from < marks[i - 1].stop)
            from = marks[i - 1].stop;
        struct launch_span span = launches_within(order, from, marks[i].start);
        if (usual > 0 && span.end - span.first >= (size_t)usual)
            marks[i].start = order->time[span.end - (size_t)usual];
    }
}

// ---- one process after the other ---------------------------------------------------------------

static int compare_periods(const void *context, uint32_t a, uint32_t b)
{
    const struct loop *loop = context;
    struct column64 start = loop->finder->profile->ranges.start;
    int64_t x = AT(start, loop->rows[a + 1]) - AT(start, loop->rows[a]);
    int64_t y = AT(start, loop->rows[b + 1]) - AT(start, loop->rows[b]);
    return (x > y) - (x < y);
}

static void find_sample(struct loop *loop)
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

static void tell(const struct loop *loop, struct step_plan *plan)
{
    struct arena *arena = loop->finder->arena;
    const char *first = loop->members[loop->first].family->text;
    const char *last = loop->members[loop->last].family->text;
    const char *anchor = loop->members[0].family->text;
    plan->text = loop->member_count == 1
                     ? arena_format(arena, "start of \"%s\"", anchor)
                     : arena_format(arena, "loop of \"%s\" to \"%s\"", first, last);
    for (size_t i = 1; i < loop->member_count; i++) {
        const struct member *member = &loop->members[i];
        enum step_role role = member->family->role;
        // Turns of a warm-up, a validation: what is around the anchor says so.
        plan->is_other |= role == ROLE_NOT_STEP && member->times == 1 && member->is_around;
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
    struct loop loop = {.finder = job->finder,
                        .arena = scratch,
                        .anchor = job->part,
                        .rows = job->finder->families.rows + job->part->first,
                        .count = job->part->count};
    find_sample(&loop);
    find_members(&loop);
    find_begin(&loop);
    size_t from = marks->count;
    add_turns(&loop, marks);
    take_usual_gaps(&loop, marks->items + from, loop.count);
    if (!job->plan->text)
        tell(&loop, job->plan);
}

bool step_loop_plan(struct step_finder *finder, const struct step_family *anchor,
                    struct step_plan *plan)
{
    const struct step_families *families = &finder->families;
    *plan = (struct step_plan){.source = CANDIDATE_LOOP, .unit = "iteration", .why = ""};
    for (uint32_t p = anchor->first_part; p < anchor->first_part + anchor->parts; p++) {
        struct loop_job job = {finder, &families->parts[p], plan};
        if (job.part->count >= TURNS_LEAST)
            scratch_run(finder->arena, plan_process, &job);
    }
    if (!plan->marks.count)
        return false;
    plan->key = arena_format(finder->arena, "loop:%s", anchor->text);
    step_figures_fill(finder, plan);
    return true;
}
