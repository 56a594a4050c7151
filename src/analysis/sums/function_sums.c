// SPDX-License-Identifier: Apache-2.0
// Two values of the memo: partial sums by function, and lists of the work of each name, shortest
// first, from which minimum, median and maximum of a selection are read.
#include "analysis/sums/function_sums.h"

#include <string.h>

#include "analysis/report/partial_sums.h"
#include "base/scratch.h"
#include "base/sort.h"

// ---- sums by function ---------------------------------------------------------------------------

// A sum of squares is stored as PARTS columns of 20 bits each, lowest first, since figures of
// partial sums should fit into 32 bits even for thousands of launches.
enum { PART_BITS = 20, PARTS = 4 };
enum { SUM_COUNT, SUM_TOTAL, SUM_EXCLUSIVE, SUM_SQUARES, SUM_COLUMNS = SUM_SQUARES + PARTS };

struct function_sums_build {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    void *result;
};

static void add_work(struct partial_sums_builder *partial, const void *context, uint32_t work)
{
    const struct profile *profile = context;
    uint32_t function = AT(profile->work.function, work);
    int64_t ns = work_duration(profile, work);
    struct squares squares = {0};
    squares_add(&squares, ns);
    partial_sums_add(partial, function, SUM_COUNT, 1);
    partial_sums_add(partial, function, SUM_TOTAL, ns);
    partial_sums_add(partial, function, SUM_EXCLUSIVE, AT(profile->work.exclusive, work));
    for (uint32_t part = 0; part < PARTS; part++) {
        unsigned __int128 rest = squares.sum >> (PART_BITS * part);
        bool is_last = part + 1 == PARTS;
        partial_sums_add(partial, function, SUM_SQUARES + part,
                         is_last ? (int64_t)rest : (int64_t)(rest & ((1u << PART_BITS) - 1)));
    }
}

static void build_function_sums(void *context, struct arena *scratch)
{
    struct function_sums_build *build = context;
    struct partial_sums *result = build->result;
    *result = (struct partial_sums){
        .groups = build->profile->function_count, .columns = SUM_COLUMNS, .sums = SUM_COLUMNS};
    partial_sums_of_work(result, build->profile, build->selection, add_work, build->profile,
                         build->arena, scratch);
}

static void *make_function_sums(const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    struct function_sums_build build = {profile, selection, arena,
                                        ARENA_NEW(arena, struct partial_sums)};
    scratch_run(arena, build_function_sums, &build);
    return build.result;
}

static const struct memo_kind function_sums_memo = {.fields = MEMO_PROCESS | MEMO_DEVICE,
                                                    .make = make_function_sums};

struct function_sum *function_sums_of(const struct profile *profile,
                                      const struct selection *selection, struct arena *arena)
{
    if (!selection_is_unfiltered(selection) || !HAS(profile->work.exclusive))
        return NULL;
    const struct partial_sums *partial = memo_get(&function_sums_memo, profile, selection, arena);
    if (!partial)
        return NULL;
    size_t count = (size_t)profile->function_count + 1;
    int64_t *figures = ARENA_ARRAY(arena, int64_t, count * SUM_COLUMNS);
    struct function_sum *sums = ARENA_ARRAY(arena, struct function_sum, count);
    partial_sums_total(partial, selection, figures, arena);
    for (uint32_t f = 0; f < profile->function_count; f++) {
        const int64_t *row = &figures[(size_t)f * SUM_COLUMNS];
        sums[f] = (struct function_sum){row[SUM_COUNT], row[SUM_TOTAL], row[SUM_EXCLUSIVE], {0}};
        for (uint32_t part = 0; part < PARTS; part++)
            sums[f].squares.sum += (unsigned __int128)row[SUM_SQUARES + part] << (PART_BITS * part);
    }
    return sums;
}

// ---- work of a name in order of duration --------------------------------------------------------
//
// The median of the selected work of a name is found by reading its list up to the middle, skipping
// work of steps that are not selected.

struct name_order_lists {
    uint32_t *group_of; // by function: group of its name
    size_t *first;      // by group: index in `work` of its first entry
    uint32_t *work;     // shortest first within a group
    uint32_t *step_of;  // by index in `work`: step of the partial sums
};

// Groups the functions by (kind, name). Returns the number of groups.
static uint32_t group_names(const struct function_sums_build *build, uint32_t *group_of,
                            struct arena *scratch)
{
    const struct profile *profile = build->profile;
    struct id_map map = {.arena = scratch};
    uint32_t count = 0;
    for (uint32_t f = 0; f < profile->function_count; f++) {
        struct id_key key = {profile->functions[f].kind,
                             selection_name(profile, build->selection, f), 0};
        uint32_t *slot = id_map_slot(&map, key);
        *slot = *slot ? *slot : ++count;
        group_of[f] = *slot - 1;
    }
    return count;
}

// Groups the work by name, each group in order of duration (a counting sort of the sorted work).
static void build_name_orders(void *context, struct arena *scratch)
{
    struct function_sums_build *build = context;
    const struct profile *profile = build->profile;
    uint32_t count = profile->work.count;
    struct name_order_lists *result = build->result;
    result->group_of = ARENA_ARRAY(build->arena, uint32_t, (size_t)profile->function_count + 1);
    uint32_t groups = group_names(build, result->group_of, scratch);
    result->first = ARENA_ARRAY(build->arena, size_t, (size_t)groups + 2);
    result->work = ARENA_ARRAY(build->arena, uint32_t, (size_t)count + 1);
    result->step_of = ARENA_ARRAY(build->arena, uint32_t, (size_t)count + 1);
    const uint32_t *step_of = partial_sums_work_steps(profile, build->selection, scratch);
    int64_t *durations = ARENA_ARRAY(scratch, int64_t, (size_t)count + 1);
    size_t *next = result->first + 1; // in the end, next[g] is the first entry of group g + 1
    for (uint32_t w = 0; w < count; w++) {
        durations[w] = work_duration(profile, w);
        if (step_of[w] != ROW_NONE)
            next[result->group_of[AT(profile->work.function, w)]]++;
    }
    for (uint32_t g = 0; g < groups; g++)
        next[g] += result->first[g];
    for (uint32_t g = groups; g-- > 0;)
        next[g] = result->first[g];
    const uint32_t *order = sort_by_time(scratch, durations, NULL, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t w = order[i];
        if (step_of[w] == ROW_NONE)
            continue;
        size_t at = next[result->group_of[AT(profile->work.function, w)]]++;
        result->work[at] = w;
        result->step_of[at] = step_of[w];
    }
}

static void *make_name_orders(const struct profile *profile, const struct selection *selection,
                              struct arena *arena)
{
    struct function_sums_build build = {profile, selection, arena,
                                        ARENA_NEW(arena, struct name_order_lists)};
    scratch_run(arena, build_name_orders, &build);
    return build.result;
}

static const struct memo_kind name_order_lists = {.fields = MEMO_PROCESS | MEMO_DEVICE | MEMO_NAMES,
                                                  .make = make_name_orders};

struct name_orders name_orders_of(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena)
{
    struct name_orders orders = {.profile = profile};
    if (selection_is_unfiltered(selection))
        orders.kept = memo_get(&name_order_lists, profile, selection, arena);
    size_t count = selection->split->count;
    if (selection->iterations) { // work outside of all steps is not selected
        bool *lines = ARENA_ARRAY(arena, bool, count + 1);
        memcpy(lines, selection->iterations, count * sizeof *lines);
        orders.lines = lines;
    }
    return orders;
}

void name_order_fill(const struct name_orders *orders, uint32_t function, struct stats *stats)
{
    const struct name_order_lists *lists = orders->kept;
    size_t first = lists->first[lists->group_of[function]], half = stats->count / 2;
    size_t end = lists->first[lists->group_of[function] + 1], seen = 0, below = end, middle = end;
    const uint32_t *step_of = lists->step_of;
    if (stats->count == 0)
        return;
    while (orders->lines && !orders->lines[step_of[first]])
        first++;
    while (orders->lines && !orders->lines[step_of[end - 1]])
        end--;
    if (!orders->lines) {
        middle = first + half;
        below = middle - 1;
    }
    for (size_t i = first; orders->lines && seen <= half; i++) {
        below = orders->lines[step_of[i]] && seen < half ? i : below;
        middle = i;
        seen += orders->lines[step_of[i]];
    }
    stats->min = work_duration(orders->profile, lists->work[first]);
    stats->max = work_duration(orders->profile, lists->work[end - 1]);
    stats->median = (double)work_duration(orders->profile, lists->work[middle]);
    if (stats->count % 2 == 0)
        stats->median =
            ((double)work_duration(orders->profile, lists->work[below]) + stats->median) / 2;
}
