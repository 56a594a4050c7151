// SPDX-License-Identifier: Apache-2.0
// Links GPU work to API calls, and API calls and ranges to their enclosing ranges.
//
// Work is linked to the call of its process with the same correlation id. The calls of a process
// are found by id in an array, or in a hash table if its ids are too sparse.
#include <string.h>

#include "base/parallel.h"
#include "base/scratch.h"
#include "base/text/format.h"
#include "base/tuples.h"
#include "model/derive/derive.h"
#include "model/derive/derive_turns.h"
#include "model/profile/copy_kinds.h"
#include "model/profile/lost_work.h"

// ---- joining by correlation id -----------------------------------------------------------------

// The correlation ids of one process. Ids are consecutive with few gaps.
struct call_ids {
    uint32_t least, count; // ids are in [least, least + count)
    uint32_t calls;        // number of calls with an id
    uint32_t *rows; // by id - least: row + 1, 0: no call; NULL: the ids are in call_join.slots
};

struct call_slot {
    uint32_t process, correlation, row; // `row` is row + 1; 0: free slot
};

struct call_join {
    const struct profile *profile;
    const uint32_t *process, *correlation;
    uint32_t count;
    uint32_t *api;
    int64_t duplicates; // calls with the same (process, correlation) as another call
    uint32_t process_count;
    struct call_ids *ids; // by process
    struct call_slot *slots;
    int bits; // the number of slots is 1 << bits
};

static uint32_t call_process(const struct call_join *join, uint32_t call)
{
    return join->profile->threads[AT(join->profile->api.thread, call)].process;
}

static void ids_measure(struct call_join *join)
{
    const struct api_calls *api = &join->profile->api;
    for (uint32_t row = 0; row < api->count; row++) {
        uint32_t id = AT(api->correlation, row);
        struct call_ids *ids = &join->ids[call_process(join, row)];
        if (!id)
            continue;
        uint32_t last = ids->calls ? ids->least + (ids->count - 1) : id;
        ids->least = ids->calls && ids->least < id ? ids->least : id;
        ids->count = (last > id ? last : id) - ids->least + 1; // no overflow: ids are above 0
        ids->calls++;
    }
}

static void ids_reserve(struct call_join *join, struct arena *scratch)
{
    enum { GAPS = 8 }; // ids per call at most, for an array
    uint64_t hashed = 0;
    for (uint32_t p = 0; p < join->process_count; p++) {
        struct call_ids *ids = &join->ids[p];
        if (ids->count / GAPS <= ids->calls)
            ids->rows = ARENA_ARRAY(scratch, uint32_t, ids->count);
        else
            hashed += ids->calls;
    }
    join->bits = 1;
    while (UINT64_C(1) << join->bits < hashed * 2)
        join->bits++;
    join->slots = arena_alloc(scratch, UINT64_C(1) << join->bits, sizeof *join->slots);
}

// Returns the cell for the row + 1 of an id, which is 0 if no call with it was stored. Returns NULL
// if no call of the process has such a low or high id.
static uint32_t *join_row(const struct call_join *join, uint32_t process, uint32_t correlation)
{
    const struct call_ids *ids = process < join->process_count ? &join->ids[process] : NULL;
    if (!ids || correlation < ids->least || correlation - ids->least >= ids->count)
        return NULL;
    if (ids->rows)
        return &ids->rows[correlation - ids->least];
    uint64_t key = (uint64_t)process << 32 | correlation, mask = (UINT64_C(1) << join->bits) - 1;
    uint64_t at = (key ^ key >> 29) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - join->bits);
    while (join->slots[at].row &&
           (join->slots[at].correlation != correlation || join->slots[at].process != process))
        at = (at + 1) & mask;
    join->slots[at].process = process;
    join->slots[at].correlation = correlation;
    return &join->slots[at].row;
}

static void join_body(void *context, struct arena *scratch)
{
    struct call_join *join = context;
    const struct api_calls *api = &join->profile->api;
    join->process_count = join->profile->process_count;
    join->ids = ARENA_ARRAY(scratch, struct call_ids, join->process_count);
    ids_measure(join);
    ids_reserve(join, scratch);
    for (uint32_t row = 0; row < api->count; row++) {
        if (!AT(api->correlation, row))
            continue;
        uint32_t *at = join_row(join, call_process(join, row), AT(api->correlation, row));
        join->duplicates += *at != 0;
        if (!*at || AT(api->start, row) < AT(api->start, *at - 1))
            *at = row + 1;
    }
    for (uint32_t i = 0; i < join->count; i++) {
        const uint32_t *at =
            join->correlation[i] ? join_row(join, join->process[i], join->correlation[i]) : NULL;
        join->api[i] = at && *at ? *at - 1 : ROW_NONE;
    }
}

int64_t profile_join(const struct profile *profile, const uint32_t *process,
                     const uint32_t *correlation, uint32_t count, uint32_t *api)
{
    struct call_join join = {.profile = profile,
                             .process = process,
                             .correlation = correlation,
                             .count = count,
                             .api = api};
    scratch_run(profile->arena, join_body, &join);
    return join.duplicates;
}

// ---- GPU work and its launches -----------------------------------------------------------------

static void launches_body(void *context, struct arena *scratch)
{
    struct profile *profile = context;
    struct gpu_work *work = &profile->work;
    uint32_t *process = ARENA_ARRAY(scratch, uint32_t, work->count);
    for (uint32_t i = 0; i < work->count; i++)
        process[i] = work_process(profile, i);
    struct call_join join = {.profile = profile,
                             .process = process,
                             .correlation =
                                 column32_unpack(scratch, work->correlation, work->count),
                             .count = work->count,
                             .api = ARENA_ARRAY(scratch, uint32_t, work->count)};
    join_body(&join, scratch);
    int64_t turned = join.duplicates ? launches_follow_turns(profile, process, join.correlation,
                                                             join.api, scratch)
                                     : 0;
    work->launch = profile_pack32(profile, join.api, work->count);
    if (turned)
        profile_note(profile, NOTE_INFO, "correlation_turns", turned, NULL,
                     "correlation ids came round: %lld rows of GPU work belong to the latest call "
                     "with their id before them",
                     (long long)turned);
    else if (join.duplicates)
        profile_note(profile, NOTE_WARNING, "correlation_duplicates", join.duplicates, NULL,
                     "%lld API calls have a correlation id that another call of their process has "
                     "too; the earlier call owns the GPU work",
                     (long long)join.duplicates);
}

static void work_rows_body(void *context, struct arena *scratch)
{
    struct profile *profile = context;
    struct api_calls *api = &profile->api;
    const struct gpu_work *work = &profile->work;
    uint32_t *first = ARENA_ARRAY(scratch, uint32_t, (size_t)api->count + 1);
    uint32_t *rows = ARENA_ARRAY(scratch, uint32_t, work->count);
    for (uint32_t i = 0; i < work->count; i++)
        if (AT(work->launch, i) != ROW_NONE)
            first[AT(work->launch, i) + 1]++;
    for (uint32_t i = 0; i < api->count; i++)
        first[i + 1] += first[i];
    // Now first[i + 1] is the end of the rows of call i. Filling them from the back decrements it
    // until it is their beginning.
    for (uint32_t i = work->count; i-- > 0;)
        if (AT(work->launch, i) != ROW_NONE)
            rows[--first[AT(work->launch, i) + 1]] = i;
    for (uint32_t i = 0; i < api->count; i++)
        first[i] = first[i + 1];
    uint32_t linked = 0;
    for (uint32_t i = 0; i < work->count; i++)
        linked += AT(work->launch, i) != ROW_NONE;
    first[api->count] = linked;
    api->first_work = profile_pack32(profile, first, (size_t)api->count + 1);
    api->work_rows = profile_pack32(profile, rows, linked);
}

static void fill_kinds(struct profile *profile)
{
    static const uint8_t of_work[WORK_KIND_COUNT] = {
        [WORK_KERNEL] = API_KERNEL,
        [WORK_MEMCPY] = API_MEMCPY,
        [WORK_MEMSET] = API_MEMSET,
        [WORK_GRAPH] = API_GRAPH,
    };
    // If a call has several kinds of work DLProf uses the one with the lowest rank.
    static const uint8_t rank[] = {
        [API_PLAIN] = 9,  [API_KERNEL] = 0, [API_MEMCPY] = 1,
        [API_MEMSET] = 2, [API_SYNC] = 3,   [API_GRAPH] = 4,
    };
    struct api_calls *api = &profile->api;
    api->kind = ARENA_ARRAY(profile->arena, uint8_t, api->count);
    for (uint32_t i = 0; i < profile->syncs.count; i++)
        if (profile->syncs.api[i] != ROW_NONE)
            api->kind[profile->syncs.api[i]] = API_SYNC;
    for (uint32_t i = 0; i < profile->work.count; i++) {
        uint32_t launch = AT(profile->work.launch, i);
        if (launch == ROW_NONE)
            continue;
        uint8_t kind = of_work[profile->functions[AT(profile->work.function, i)].kind];
        if (rank[kind] < rank[api->kind[launch]])
            api->kind[launch] = kind;
    }
}

// The driver migrates unified memory by itself. A copy of a known other kind had a call.
static bool is_migration(const struct profile *profile, uint32_t work)
{
    const struct copy *copy = work_copy(profile, work);
    bool is_other = copy && copy->copy_kind > COPY_UNKNOWN && copy->copy_kind < COPY_UNIFIED_HTOD;
    return profile->functions[AT(profile->work.function, work)].kind == WORK_MEMCPY &&
           !AT(profile->work.correlation, work) && !is_other;
}

static void note_launches(struct profile *profile)
{
    const struct gpu_work *work = &profile->work;
    int64_t without = 0, early = 0, unified = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        if (AT(work->launch, i) != ROW_NONE) {
            early += AT(work->start, i) < AT(profile->api.start, AT(work->launch, i));
            continue;
        }
        if (is_migration(profile, i))
            unified++;
        else
            without++;
    }
    if (without)
        profile_note(profile, NOTE_WARNING, "work_without_launch", without, NULL,
                     "no API call in %s for %lld of %lld rows of GPU work (launched before %s, or "
                     "not traced)",
                     profile->file_window ? "what was read of the file" : "the file",
                     (long long)without, (long long)work->count,
                     profile->file_window ? "that" : "the capture's window");
    if (unified)
        profile_note(profile, NOTE_INFO, NOTE_MIGRATIONS, unified, NULL,
                     "%lld copies were made by unified memory and belong to no API call",
                     (long long)unified);
    if (early)
        profile_note(profile, NOTE_WARNING, "clock_skew", early, NULL,
                     "%lld rows of GPU work begin before their launch does: the clocks of GPU and "
                     "host differ, launch latencies are not to be trusted",
                     (long long)early);
}

void profile_link_calls(struct profile *profile)
{
    if (!HAS(profile->work.launch)) // otherwise the loader knows launches better than correlation
                                    // ids do
        scratch_run(profile->arena, launches_body, profile);
    scratch_run(profile->arena, work_rows_body, profile);
    fill_kinds(profile);
    note_launches(profile);
}

// ---- ranges ------------------------------------------------------------------------------------

// A stack of the ranges that are open at a time, outermost first. Their ends never increase from
// bottom to top, because a range that ends before a new range does, or where it begins, is removed:
// the new range begins later and contains every later call that the removed one could contain. So
// the innermost range that contains a call is the topmost one that does not end before the call
// ends.
struct open_ranges {
    struct open_range {
        uint32_t row;
        int64_t end;
    } * open;
    uint32_t depth;
    int64_t straddling; // number of ranges that begin inside another range and end after it
};

struct range_link_state {
    struct profile *profile;
    struct open_ranges *stacks; // by thread; uses open[first_range .. end_range)
    uint32_t *parent;           // by range
    uint32_t *range_of;         // by call
};

static uint32_t stack_push(struct open_ranges *stack, uint32_t row, int64_t start, int64_t end)
{
    bool straddles = false;
    while (stack->depth &&
           (stack->open[stack->depth - 1].end < end || stack->open[stack->depth - 1].end <= start))
        straddles |= stack->open[--stack->depth].end > start;
    stack->straddling += straddles;
    uint32_t parent = stack->depth ? stack->open[stack->depth - 1].row : ROW_NONE;
    stack->open[stack->depth++] = (struct open_range){row, end};
    return parent;
}

static uint32_t stack_find(const struct open_ranges *stack, int64_t end)
{
    uint32_t low = 0, high = stack->depth; // ranges below `low` reach to `end`
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (stack->open[middle].end >= end)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? stack->open[low - 1].row : ROW_NONE;
}

static void thread_job(void *context, size_t i)
{
    const struct range_link_state *state = context;
    const struct ranges *ranges = &state->profile->ranges;
    const struct api_calls *api = &state->profile->api;
    const struct thread *thread = &state->profile->threads[i];
    struct open_ranges *stack = &state->stacks[i];
    uint32_t call = thread->first_api;
    for (uint32_t row = thread->first_range; row < thread->end_range; row++) {
        int64_t start = AT(ranges->start, row);
        for (; call < thread->end_api && AT(api->start, call) < start; call++)
            state->range_of[call] = stack_find(stack, AT(api->end, call));
        bool is_cross_thread = ranges->labels[AT(ranges->label, row)].ending == RANGE_CROSS_THREAD;
        state->parent[row] =
            is_cross_thread ? ROW_NONE : stack_push(stack, row, start, AT(ranges->end, row));
    }
    for (; call < thread->end_api; call++)
        state->range_of[call] = stack_find(stack, AT(api->end, call));
}

static void ranges_body(void *context, struct arena *scratch)
{
    struct profile *profile = context;
    struct range_link_state state = {
        .profile = profile,
        .stacks = ARENA_ARRAY(scratch, struct open_ranges, profile->thread_count),
        .parent = ARENA_ARRAY(scratch, uint32_t, profile->ranges.count),
        .range_of = ARENA_ARRAY(scratch, uint32_t, profile->api.count),
    };
    struct open_range *open = ARENA_ARRAY(scratch, struct open_range, profile->ranges.count);
    for (uint32_t i = 0; i < profile->thread_count; i++)
        state.stacks[i].open = open + profile->threads[i].first_range;
    parallel_run(profile->workers, profile->thread_count, thread_job, &state);
    profile->ranges.parent = profile_pack32(profile, state.parent, profile->ranges.count);
    profile->api.range = profile_pack32(profile, state.range_of, profile->api.count);
    int64_t straddling = 0;
    for (uint32_t i = 0; i < profile->thread_count; i++)
        straddling += state.stacks[i].straddling;
    if (straddling)
        profile_note(profile, NOTE_INFO, "ranges_straddling", straddling, NULL,
                     "%lld ranges begin inside another range of their thread and end after it; "
                     "they stand beside it, not in it",
                     (long long)straddling);
}

static void note_outside(struct profile *profile)
{
    const struct gpu_work *work = &profile->work;
    int64_t outside = 0;
    for (uint32_t i = 0; i < work->count; i++)
        outside += AT(work->launch, i) != ROW_NONE &&
                   AT(profile->api.range, AT(work->launch, i)) == ROW_NONE;
    char count[FORMAT_SIZE], all[FORMAT_SIZE];
    if (outside && profile->ranges.count)
        profile_note(profile, NOTE_INFO, "work_outside_ranges", outside, NULL,
                     "%s of %s rows of GPU work were launched outside every range of their "
                     "thread",
                     format_count(count, outside), format_count(all, work->count));
}

void profile_link_ranges(struct profile *profile)
{
    scratch_run(profile->arena, ranges_body, profile);
    note_outside(profile);
}
