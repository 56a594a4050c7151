// SPDX-License-Identifier: Apache-2.0
// Makes collectives of the groups of runs, see collectives.h and collective_runs.h.
#include "analysis/idle/collectives.h"

#include "analysis/breakdown/breakdown_scheme.h"
#include "analysis/idle/collective_runs.h"
#include "analysis/report/memo.h"
#include "base/scratch.h"

bool work_is_communication(const struct profile *profile, uint32_t work)
{
    return profile->functions[AT(profile->work.function, work)].class == CLASS_COMM;
}

bool work_is_collective(const struct profile *profile, uint32_t work)
{
    return work_is_communication(profile, work) &&
           !profile->functions[AT(profile->work.function, work)].is_paired;
}

// ---- collectives ----------------------------------------------------------------------------

struct collectives_build {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    struct collectives *result;
    size_t capacity;
    struct collective *items;
    uint32_t *of_work;
};

// Adds the run of one GPU to a collective. By durations, the last member is that of the shortest
// run.
static void add_member(struct collectives_build *build, struct collective *collective,
                       uint32_t work, bool by_durations)
{
    const struct gpu_work *rows = &build->profile->work;
    int64_t start = AT(rows->start, work), end = AT(rows->end, work);
    int64_t duration = work_duration(build->profile, work);
    if (collective->members++ == 0)
        *collective = (struct collective){.members = 1,
                                          .by_durations = by_durations,
                                          .latest_start = INT64_MIN,
                                          .first_end = INT64_MAX,
                                          .last_end = INT64_MIN,
                                          .shortest_ns = INT64_MAX};
    if (by_durations ? duration < collective->shortest_ns : start > collective->latest_start) {
        collective->latest_start = start;
        collective->last_work = work;
    }
    collective->shortest_ns =
        duration < collective->shortest_ns ? duration : collective->shortest_ns;
    collective->first_end = end < collective->first_end ? end : collective->first_end;
    collective->last_end = end > collective->last_end ? end : collective->last_end;
}

// Adds places for the collectives of a group. Returns that of the first run of the group's first
// sequence.
static size_t add_places(struct collectives_build *build, const struct run_sequences *all,
                         uint32_t group)
{
    const struct collective_group *of = &all->groups[group];
    int64_t first = 0, end = 0;
    for (uint32_t s = of->first + 1; s != 0; s = all->items[s - 1].next) {
        const struct run_sequence *sequence = &all->items[s - 1];
        if (sequence->group != group)
            continue;
        int64_t last = (int64_t)sequence->count + sequence->shift;
        first = sequence->shift < first ? sequence->shift : first;
        end = last > end ? last : end;
    }
    size_t base = build->result->count;
    for (int64_t n = first; n < end; n++)
        ARENA_PUSH(build->arena, build->items, build->result->count, build->capacity) =
            (struct collective){0};
    return base + (size_t)-first;
}

// Makes the collectives of a function: in each usable group, the runs with the same number (plus
// shift).
static void collect_function(struct collectives_build *build, const struct run_sequences *all,
                             uint32_t function)
{
    for (uint32_t s = all->of_function[function]; s != 0; s = all->items[s - 1].next) {
        uint32_t g = all->items[s - 1].group;
        if (!group_is_usable(all, g) || all->groups[g].first != s - 1)
            continue;
        const struct collective_group *group = &all->groups[g];
        size_t base = build->result->count, first = add_places(build, all, g);
        for (uint32_t m = s; m != 0; m = all->items[m - 1].next) {
            const struct run_sequence *sequence = &all->items[m - 1];
            for (uint32_t n = 0; n < sequence->count && sequence->group == g; n++) {
                uint32_t work = all->runs[sequence->first + n];
                size_t row = (size_t)((int64_t)(first + n) + sequence->shift);
                add_member(build, &build->items[row], work, group->by_durations);
                build->of_work[work] = (uint32_t)row;
            }
        }
        for (size_t i = base; i < build->result->count; i++) {
            struct collective *item = &build->items[i];
            item->is_whole = item->members == group->members;
            // Every end is within MAX_END_SKEW_NS of the first member's.
            item->agrees =
                item->is_whole &&
                (item->by_durations || item->last_end - item->first_end < 2LL * MAX_END_SKEW_NS);
        }
    }
}

static void find_collectives(struct collectives_build *build, struct arena *scratch)
{
    const struct profile *profile = build->profile;
    bool *is_collective = ARENA_ARRAY(scratch, bool, (size_t)profile->work.count + 1);
    uint32_t devices = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        bool any = false;
        for (uint32_t w = profile->devices[d].first_work; w < profile->devices[d].end_work; w++)
            any |= is_collective[w] =
                work_is_collective(profile, w) && work_in_scope(profile, build->selection, w);
        devices += any;
    }
    if (devices < 2)
        return;
    struct group_search search = {
        .profile = profile, .is_collective = is_collective, .scratch = scratch};
    struct run_sequences groupings[] = {runs_make(&search, false), runs_make(&search, true)};
    for (uint32_t f = 0; f < profile->function_count; f++) {
        const struct run_sequences *grouping = runs_group(&search, groupings, f);
        if (grouping)
            collect_function(build, grouping, f);
    }
    // A few short ones that are not told do not say that who waits is not.
    enum { TOLD_SHARE = 32 };
    build->result->has_clock_mismatch = search.offset_ns > search.all_ns / TOLD_SHARE ||
                                        (build->result->count == 0 && search.separate_ns > 0);
}

static void build_collectives(void *context, struct arena *scratch)
{
    struct collectives_build *build = context;
    uint32_t count = build->profile->work.count;
    build->of_work = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    for (uint32_t w = 0; w < count; w++)
        build->of_work[w] = ROW_NONE;
    find_collectives(build, scratch);
    build->result->items = build->items;
    build->result->of_work =
        column32_pack(build->arena, build->profile->workers, build->of_work, NULL, count);
}

static void *make_collectives(const struct profile *profile, const struct selection *selection,
                              struct arena *arena)
{
    struct collectives_build build = {.profile = profile,
                                      .selection = selection,
                                      .arena = arena,
                                      .result = ARENA_NEW(arena, struct collectives)};
    scratch_run(arena, build_collectives, &build);
    return build.result;
}

const struct collectives *collectives_of(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena)
{
    static const struct memo_kind kind = {.fields = MEMO_PROCESS, .make = make_collectives};
    return memo_require(&kind, profile, selection, arena);
}
