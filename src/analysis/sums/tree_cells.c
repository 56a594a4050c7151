// SPDX-License-Identifier: Apache-2.0
// The host's part of the sums over the op tree, kept per iteration.
//
// Nearly everything lies in one iteration and is a cell. Two things may reach over several, where
// what they add depends on the set: API calls that overlap calls of another iteration (knots), which
// are gone through again call by call, and gaps in ranges around several iterations (tree_gaps.h).
#include "analysis/breakdown/cover.h"
#include "analysis/report/cells.h"
#include "analysis/report/memo.h"
#include "analysis/sums/tree_gaps.h"
#include "base/scratch.h"

enum { CELL_CALLS, CELL_CPU_NS, CELL_API_NS, CELL_IDLE_NS, CELL_COLUMNS };

struct knot_call {
    uint32_t api, line;
    bool begins; // a knot
    struct call_places places;
};

struct kept {
    struct cells cells; // by node
    size_t knot_count, knot_capacity;
    struct knot_call *knots;
    const struct tree_gaps *gaps;
};

struct making {
    const struct profile *profile;
    const struct selection *selection;
    struct kept *kept;
    struct arena *arena, *scratch;
    struct tree_host host;
    uint32_t *range_line, *api_line; // ROW_NONE: no cell
    int64_t *alone_ns;               // by API call
    struct call_places *places;
    struct range_gaps gaps;
};

static uint32_t line_at(const struct making *making, uint32_t thread, int64_t time)
{
    const struct split *split = making->selection->split;
    return cells_line_of(split, split_at(split, making->profile->threads[thread].process, time));
}

// ---- ranges and calls --------------------------------------------------------------------------

static void find_ranges(struct making *making)
{
    const struct ranges *ranges = &making->profile->ranges;
    for (uint32_t r = 0; r < ranges->count; r++) {
        uint32_t node = selection_range_node(making->profile, making->selection, r);
        bool counts =
            node != ROW_NONE && selection_has_range(making->profile, making->selection, r);
        making->range_line[r] =
            counts ? line_at(making, range_thread(ranges, r), AT(ranges->start, r)) : ROW_NONE;
    }
}

// Calls [first, end) of one thread overlap each other and none else.
static void knot_close(struct making *making, uint32_t first, uint32_t end)
{
    const struct api_calls *api = &making->profile->api;
    struct kept *kept = making->kept;
    uint32_t line = ROW_NONE;
    bool is_knot = false;
    for (uint32_t a = first; a < end; a++) {
        if (making->api_line[a] == ROW_NONE)
            continue;
        is_knot |= line != ROW_NONE && making->api_line[a] != line;
        line = making->api_line[a];
    }
    int64_t covered = INT64_MIN;
    bool begins = true;
    for (uint32_t a = first; a < end; a++) {
        if (making->api_line[a] == ROW_NONE)
            continue;
        making->alone_ns[a] = union_add(&covered, AT(api->start, a), AT(api->end, a));
        if (!is_knot)
            continue;
        ARENA_PUSH(making->arena, kept->knots, kept->knot_count, kept->knot_capacity) =
            (struct knot_call){a, making->api_line[a], begins, making->places[a]};
        making->api_line[a] = ROW_NONE;
        begins = false;
    }
}

static void find_calls(struct making *making)
{
    const struct api_calls *api = &making->profile->api;
    uint32_t first = 0;
    int64_t covered = INT64_MIN;
    for (uint32_t a = 0; a < api->count; a++) {
        bool counts = selection_has_api(making->profile, making->selection, a);
        bool is_next = a > first && AT(api->thread, a) != AT(api->thread, a - 1);
        if (is_next || (counts && AT(api->start, a) >= covered)) {
            knot_close(making, first, a);
            first = a;
            covered = INT64_MIN;
        }
        making->api_line[a] =
            counts ? line_at(making, AT(api->thread, a), AT(api->start, a)) : ROW_NONE;
        if (!counts)
            continue;
        making->places[a] = tree_host_call(&making->host, a);
        covered = AT(api->end, a) > covered ? AT(api->end, a) : covered;
    }
    knot_close(making, first, api->count);
}

// ---- making ------------------------------------------------------------------------------------

static void fill_cells(struct making *making)
{
    const struct profile *profile = making->profile;
    const struct ranges *ranges = &profile->ranges;
    struct kept *kept = making->kept;
    struct arena *scratch = making->scratch;
    uint32_t lines = making->selection->split->count + 1;
    struct line_rows rows = line_rows_make(making->range_line, ranges->count, lines, scratch);
    ARENA_RELEASE(scratch, making->range_line, ranges->count + 1);
    struct line_rows gaps = line_rows_make(making->gaps.line, ranges->count, lines, scratch);
    ARENA_RELEASE(scratch, making->gaps.line, ranges->count + 1);
    struct line_rows calls = line_rows_make(making->api_line, profile->api.count, lines, scratch);
    kept->cells = (struct cells){.groups = making->host.tree->count,
                                 .columns = CELL_COLUMNS,
                                 .sums = CELL_COLUMNS,
                                 .threads = making->profile->workers,
                                 .line_count = lines};
    struct cells_builder cells = cells_begin(&kept->cells, making->arena, scratch);
    for (uint32_t l = 0; l < lines; l++) {
        for (uint32_t i = rows.first[l]; i < rows.first[l + 1]; i++) {
            uint32_t r = rows.rows[i];
            uint32_t node = selection_range_node(profile, making->selection, r);
            cells_add(&cells, node, CELL_CALLS, 1);
            cells_add(&cells, node, CELL_CPU_NS, AT(ranges->end, r) - AT(ranges->start, r));
        }
        for (uint32_t i = calls.first[l]; i < calls.first[l + 1]; i++) {
            uint32_t a = calls.rows[i];
            if (making->places[a].node != ROW_NONE)
                cells_add(&cells, making->places[a].node, CELL_API_NS, making->alone_ns[a]);
            if (making->places[a].waits != ROW_NONE)
                cells_add(&cells, making->places[a].waits, CELL_API_NS, -making->alone_ns[a]);
        }
        for (uint32_t i = gaps.first[l]; i < gaps.first[l + 1]; i++) {
            uint32_t r = gaps.rows[i];
            uint32_t node = selection_range_node(profile, making->selection, r);
            if (node != ROW_NONE)
                cells_add(&cells, node, CELL_IDLE_NS, making->gaps.idle_ns[r]);
        }
        cells_line(&cells, l);
    }
    cells_end(&cells);
}

static void make_body(void *context, struct arena *scratch)
{
    struct making *making = context;
    const struct profile *profile = making->profile;
    size_t ranges = (size_t)profile->ranges.count + 1, calls = (size_t)profile->api.count + 1;
    making->scratch = scratch;
    making->host = tree_host_open(profile, making->selection, scratch);
    // First, as it takes most on the way.
    making->kept->gaps = tree_gaps_make(&making->host, &making->gaps, making->arena, scratch);
    making->range_line = ARENA_ARRAY(scratch, uint32_t, ranges);
    making->api_line = ARENA_ARRAY(scratch, uint32_t, calls);
    making->alone_ns = ARENA_ARRAY(scratch, int64_t, calls);
    making->places = ARENA_ARRAY(scratch, struct call_places, calls);
    find_ranges(making);
    find_calls(making);
    fill_cells(making);
}

static void *make(const struct profile *profile, const struct selection *selection,
                  struct arena *arena)
{
    struct making making = {.profile = profile,
                            .selection = selection,
                            .kept = ARENA_NEW(arena, struct kept),
                            .arena = arena};
    scratch_run(arena, make_body, &making);
    return making.kept;
}

static const struct memo_kind kept_host = {
    .fields = MEMO_PROCESS | MEMO_DEVICE | MEMO_FOLDED | MEMO_ADOPTION,
    .make = make,
};

// ---- adding up ---------------------------------------------------------------------------------

static void add_knots(const struct kept *kept, const struct profile *profile,
                      const struct selection *selection, struct tree_sum *sums)
{
    int64_t covered = INT64_MIN;
    for (size_t i = 0; i < kept->knot_count; i++) {
        const struct knot_call *call = &kept->knots[i];
        covered = call->begins ? INT64_MIN : covered;
        if (!cells_has_line(selection, call->line))
            continue;
        int64_t alone =
            union_add(&covered, AT(profile->api.start, call->api), AT(profile->api.end, call->api));
        if (call->places.node != ROW_NONE)
            sums[call->places.node].api_ns += alone;
        if (call->places.waits != ROW_NONE)
            sums[call->places.waits].api_ns -= alone;
    }
}

bool tree_cells_add(const struct profile *profile, const struct selection *selection,
                    struct tree_sum *sums, struct arena *arena)
{
    if (!selection_is_wide(selection))
        return false;
    const struct kept *kept = memo_get(&kept_host, profile, selection, arena);
    if (!kept)
        return false;
    uint32_t count = selection_tree(profile, selection)->count;
    int64_t *figures = ARENA_ARRAY(arena, int64_t, (size_t)count * CELL_COLUMNS + 1);
    cells_sum(&kept->cells, selection, figures, arena);
    for (uint32_t n = 0; n < count; n++) {
        const int64_t *own = &figures[(size_t)n * CELL_COLUMNS];
        sums[n].calls += own[CELL_CALLS];
        sums[n].below += own[CELL_CALLS];
        sums[n].cpu_ns += own[CELL_CPU_NS];
        sums[n].api_ns += own[CELL_API_NS];
        sums[n].idle_ns += own[CELL_IDLE_NS];
    }
    add_knots(kept, profile, selection, sums);
    tree_gaps_add(kept->gaps, profile, selection, sums, arena);
    return true;
}
