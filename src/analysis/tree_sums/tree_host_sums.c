// SPDX-License-Identifier: Apache-2.0
// The host's part of the sums over the op tree, as partial sums per step.
//
// Nearly every figure belongs to one step and is a partial sum. The rest depends on which steps are
// selected together, so it is added up anew for each selection:
//   knots       groups of overlapping API calls of one thread that belong to several steps
//   straddlers  ranges that enclose work of several steps; their gaps (tree_gaps.h)
//
// The exclusive time of a call is the part that no earlier call of its thread covers.
#include "analysis/breakdown/cover.h"
#include "analysis/report/memo.h"
#include "analysis/report/partial_sums.h"
#include "analysis/tree_sums/tree_gaps.h"
#include "base/scratch.h"

enum { SUM_CALLS, SUM_CPU_NS, SUM_API_NS, SUM_IDLE_NS, SUM_COLUMNS };

struct knot_call {
    uint32_t api, line; // row of api; step of the partial sums
    bool is_first;      // the first call of its knot
    struct call_places places;
};

struct tree_host_sums {
    struct partial_sums partial; // by node
    size_t knot_count, knot_capacity;
    struct knot_call *knots;
    const struct tree_gaps *gaps;
};

struct tree_host_build {
    const struct profile *profile;
    const struct selection *selection;
    struct tree_host_sums *cached;
    struct arena *arena, *scratch;
    struct tree_host host;
    uint32_t *range_step, *call_step; // step of the partial sums; ROW_NONE: not a part of them
    int64_t *exclusive_ns;            // by API call
    struct call_places *places;
    struct range_gaps gaps;
};

static uint32_t step_at(const struct tree_host_build *build, uint32_t thread, int64_t time)
{
    const struct split *split = build->selection->split;
    return partial_sums_step_of(split,
                                split_at(split, build->profile->threads[thread].process, time));
}

// ---- ranges and calls --------------------------------------------------------------------------

static void find_ranges(struct tree_host_build *build)
{
    const struct ranges *ranges = &build->profile->ranges;
    for (uint32_t r = 0; r < ranges->count; r++) {
        uint32_t node = selection_range_node(build->profile, build->selection, r);
        bool counts = node != ROW_NONE && selection_has_range(build->profile, build->selection, r);
        build->range_step[r] =
            counts ? step_at(build, range_thread(ranges, r), AT(ranges->start, r)) : ROW_NONE;
    }
}

// Ends the group of calls [first, end) of one thread, which overlap no other calls. If its calls
// belong to several steps it is a knot: its calls are stored instead of counted in partial sums.
static void close_group(struct tree_host_build *build, uint32_t first, uint32_t end)
{
    const struct api_calls *api = &build->profile->api;
    struct tree_host_sums *cached = build->cached;
    uint32_t line = ROW_NONE;
    bool is_knot = false;
    for (uint32_t a = first; a < end; a++) {
        if (build->call_step[a] == ROW_NONE)
            continue;
        is_knot |= line != ROW_NONE && build->call_step[a] != line;
        line = build->call_step[a];
    }
    int64_t covered_to = INT64_MIN;
    bool is_first = true;
    for (uint32_t a = first; a < end; a++) {
        if (build->call_step[a] == ROW_NONE)
            continue;
        build->exclusive_ns[a] =
            interval_union_add(&covered_to, AT(api->start, a), AT(api->end, a));
        if (!is_knot)
            continue;
        ARENA_PUSH(build->arena, cached->knots, cached->knot_count, cached->knot_capacity) =
            (struct knot_call){a, build->call_step[a], is_first, build->places[a]};
        build->call_step[a] = ROW_NONE;
        is_first = false;
    }
}

// Finds the step and exclusive time of each call; groups calls that overlap.
static void find_calls(struct tree_host_build *build)
{
    const struct api_calls *api = &build->profile->api;
    uint32_t first = 0;
    int64_t covered_to = INT64_MIN;
    for (uint32_t a = 0; a < api->count; a++) {
        bool counts = selection_has_api(build->profile, build->selection, a);
        bool is_new_thread = a > first && AT(api->thread, a) != AT(api->thread, a - 1);
        if (is_new_thread || (counts && AT(api->start, a) >= covered_to)) {
            close_group(build, first, a);
            first = a;
            covered_to = INT64_MIN;
        }
        build->call_step[a] =
            counts ? step_at(build, AT(api->thread, a), AT(api->start, a)) : ROW_NONE;
        if (!counts)
            continue;
        build->places[a] = tree_host_call(&build->host, a);
        covered_to = AT(api->end, a) > covered_to ? AT(api->end, a) : covered_to;
    }
    close_group(build, first, api->count);
}

// ---- building -----------------------------------------------------------------------------------

// Builds the partial sums from ranges, gaps and calls that belong to one step.
static void fill_sums(struct tree_host_build *build)
{
    const struct profile *profile = build->profile;
    const struct ranges *ranges = &profile->ranges;
    struct tree_host_sums *cached = build->cached;
    struct arena *scratch = build->scratch;
    uint32_t step_count = build->selection->split->count + 1;
    struct grouped_rows rows =
        grouped_rows_build(build->range_step, ranges->count, step_count, scratch);
    ARENA_RELEASE(scratch, build->range_step, ranges->count + 1);
    struct grouped_rows gaps =
        grouped_rows_build(build->gaps.line, ranges->count, step_count, scratch);
    ARENA_RELEASE(scratch, build->gaps.line, ranges->count + 1);
    struct grouped_rows calls =
        grouped_rows_build(build->call_step, profile->api.count, step_count, scratch);
    cached->partial = (struct partial_sums){.groups = build->host.tree->count,
                                            .columns = SUM_COLUMNS,
                                            .sums = SUM_COLUMNS,
                                            .threads = build->profile->workers,
                                            .step_count = step_count};
    struct partial_sums_builder partial =
        partial_sums_begin(&cached->partial, build->arena, scratch);
    for (uint32_t step = 0; step < step_count; step++) {
        for (uint32_t i = rows.first[step]; i < rows.first[step + 1]; i++) {
            uint32_t r = rows.rows[i];
            uint32_t node = selection_range_node(profile, build->selection, r);
            partial_sums_add(&partial, node, SUM_CALLS, 1);
            partial_sums_add(&partial, node, SUM_CPU_NS, AT(ranges->end, r) - AT(ranges->start, r));
        }
        for (uint32_t i = calls.first[step]; i < calls.first[step + 1]; i++) {
            uint32_t a = calls.rows[i];
            if (build->places[a].node != ROW_NONE)
                partial_sums_add(&partial, build->places[a].node, SUM_API_NS,
                                 build->exclusive_ns[a]);
            if (build->places[a].waits != ROW_NONE)
                partial_sums_add(&partial, build->places[a].waits, SUM_API_NS,
                                 -build->exclusive_ns[a]);
        }
        for (uint32_t i = gaps.first[step]; i < gaps.first[step + 1]; i++) {
            uint32_t r = gaps.rows[i];
            uint32_t node = selection_range_node(profile, build->selection, r);
            if (node != ROW_NONE)
                partial_sums_add(&partial, node, SUM_IDLE_NS, build->gaps.idle_ns[r]);
        }
        partial_sums_step(&partial, step);
    }
    partial_sums_end(&partial);
}

static void build_host_sums(void *context, struct arena *scratch)
{
    struct tree_host_build *build = context;
    const struct profile *profile = build->profile;
    size_t ranges = (size_t)profile->ranges.count + 1, calls = (size_t)profile->api.count + 1;
    build->scratch = scratch;
    build->host = tree_host_open(profile, build->selection, scratch);
    // first, because it needs most temporary memory
    build->cached->gaps = tree_gaps_make(&build->host, &build->gaps, build->arena, scratch);
    build->range_step = ARENA_ARRAY(scratch, uint32_t, ranges);
    build->call_step = ARENA_ARRAY(scratch, uint32_t, calls);
    build->exclusive_ns = ARENA_ARRAY(scratch, int64_t, calls);
    build->places = ARENA_ARRAY(scratch, struct call_places, calls);
    find_ranges(build);
    find_calls(build);
    fill_sums(build);
}

static void *make_host_sums(const struct profile *profile, const struct selection *selection,
                            struct arena *arena)
{
    struct tree_host_build build = {.profile = profile,
                                    .selection = selection,
                                    .cached = ARENA_NEW(arena, struct tree_host_sums),
                                    .arena = arena};
    scratch_run(arena, build_host_sums, &build);
    return build.cached;
}

static const struct memo_kind host_memo = {
    .fields = MEMO_PROCESS | MEMO_DEVICE | MEMO_FOLDED | MEMO_ADOPTION,
    .make = make_host_sums,
};

// ---- sums of a selection ------------------------------------------------------------------------

// Adds the time of the calls in knots, given the set of selected steps.
static void add_knots(const struct tree_host_sums *cached, const struct profile *profile,
                      const struct selection *selection, struct tree_sum *sums)
{
    int64_t covered_to = INT64_MIN;
    for (size_t i = 0; i < cached->knot_count; i++) {
        const struct knot_call *call = &cached->knots[i];
        covered_to = call->is_first ? INT64_MIN : covered_to;
        if (!partial_sums_has_step(selection, call->line))
            continue;
        int64_t exclusive = interval_union_add(&covered_to, AT(profile->api.start, call->api),
                                               AT(profile->api.end, call->api));
        if (call->places.node != ROW_NONE)
            sums[call->places.node].api_ns += exclusive;
        if (call->places.waits != ROW_NONE)
            sums[call->places.waits].api_ns -= exclusive;
    }
}

bool tree_host_sums_add(const struct profile *profile, const struct selection *selection,
                        struct tree_sum *sums, struct arena *arena)
{
    if (!selection_is_unfiltered(selection))
        return false;
    const struct tree_host_sums *cached = memo_get(&host_memo, profile, selection, arena);
    if (!cached)
        return false;
    uint32_t count = selection_tree(profile, selection)->count;
    int64_t *figures = ARENA_ARRAY(arena, int64_t, (size_t)count * SUM_COLUMNS + 1);
    partial_sums_total(&cached->partial, selection, figures, arena);
    for (uint32_t n = 0; n < count; n++) {
        const int64_t *row = &figures[(size_t)n * SUM_COLUMNS];
        sums[n].calls += row[SUM_CALLS];
        sums[n].below += row[SUM_CALLS];
        sums[n].cpu_ns += row[SUM_CPU_NS];
        sums[n].api_ns += row[SUM_API_NS];
        sums[n].idle_ns += row[SUM_IDLE_NS];
    }
    add_knots(cached, profile, selection, sums);
    tree_gaps_add(cached->gaps, profile, selection, sums, arena);
    return true;
}
