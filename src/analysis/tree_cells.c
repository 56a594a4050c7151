// SPDX-License-Identifier: Apache-2.0
// The host's part of the sums over the op tree, kept per iteration.
//
// Nearly everything lies in one iteration and is a cell. Two things may reach over several, where
// what they add depends on the set: API calls that overlap calls of another iteration (knots), and
// gaps in ranges around several iterations (straddlers). Knots are gone through again call by call;
// of straddlers is kept what each run of work of one iteration does.
#include "analysis/cells.h"
#include "analysis/cover.h"
#include "analysis/memo.h"
#include "analysis/stats.h"
#include "analysis/tree_host.h"
#include "model/scratch.h"

enum { CELL_CALLS, CELL_CPU_NS, CELL_API_NS, CELL_IDLE_NS, CELL_COLUMNS };
enum { RUNS_MAX = 4 << 20 }; // of straddlers: beyond it gaps are found work by work

struct knot_call {
    uint32_t api, line;
    bool begins; // a knot
    struct call_places places;
};

// Work of one iteration in a row, of all work of a straddler on one device.
struct idle_run {
    uint32_t straddler, node, device, line;
    uint32_t first, last; // work
    int64_t from;
    int64_t block_end; // of the work without a gap that it begins with
    int64_t covered;   // its last end
    int64_t idle_ns;   // gaps inside
};

struct kept {
    struct cells cells; // by node
    size_t knot_count, knot_capacity;
    struct knot_call *knots;
    size_t run_count, run_capacity;
    struct idle_run *runs;
    uint32_t straddler_count;
    uint32_t *straddlers; // ranges
    bool walks_idle;      // gaps are too much to be kept
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
    uint32_t *work_line; // ROW_NONE: not in scope
    uint32_t *idle_line; // by range: of all its work, ROW_NONE: none; STRADDLES: of several
    int64_t *idle_ns;
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
            counts ? line_at(making, ranges->thread[r], ranges->start[r]) : ROW_NONE;
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
        making->alone_ns[a] = union_add(&covered, api->start[a], api->end[a]);
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
        bool is_next = a > first && api->thread[a] != api->thread[a - 1];
        if (is_next || (counts && api->start[a] >= covered)) {
            knot_close(making, first, a);
            first = a;
            covered = INT64_MIN;
        }
        making->api_line[a] = counts ? line_at(making, api->thread[a], api->start[a]) : ROW_NONE;
        if (!counts)
            continue;
        making->places[a] = tree_host_call(&making->host, a);
        covered = api->end[a] > covered ? api->end[a] : covered;
    }
    knot_close(making, first, api->count);
}

// ---- gaps --------------------------------------------------------------------------------------

enum { STRADDLES = UINT32_MAX - 1 };

// Which ranges have work of several iterations. False: work lies too deep to say.
static bool find_straddlers(struct making *making)
{
    const struct profile *profile = making->profile;
    for (uint32_t r = 0; r < profile->ranges.count; r++)
        making->idle_line[r] = ROW_NONE;
    for (uint32_t w = 0; w < profile->work.count; w++) {
        uint32_t line = ROW_NONE;
        if (selection_has_work(profile, making->selection, w))
            line = cells_line_of(making->selection->split, making->selection->split->of_work[w]);
        making->work_line[w] = line;
        uint32_t range = line == ROW_NONE ? ROW_NONE : tree_host_range(&making->host, w);
        for (int steps = 0; range != ROW_NONE; range = tree_host_above(&making->host, range)) {
            if (++steps > CLIMB_MAX)
                return false;
            uint32_t *own = &making->idle_line[range];
            *own = *own == ROW_NONE || *own == line ? line : STRADDLES;
        }
    }
    return true;
}

struct span { // of a range on the device being walked
    int64_t covered;
    uint32_t device;
    uint32_t run; // of a straddler
};

// A straddler's next work: into its present run, or a new one.
static void run_add(struct making *making, struct span *span, uint32_t range, uint32_t node,
                    uint32_t work)
{
    const struct gpu_work *rows = &making->profile->work;
    struct kept *kept = making->kept;
    uint32_t device = work_device(making->profile, work), line = making->work_line[work];
    int64_t end = rows->end[work] > rows->start[work] ? rows->end[work] : rows->start[work];
    struct idle_run *run = span->run ? &kept->runs[span->run - 1] : NULL;
    if (!run || run->device != device || run->line != line) {
        ARENA_PUSH(making->arena, kept->runs, kept->run_count, kept->run_capacity) =
            (struct idle_run){.straddler = range,
                              .node = node,
                              .device = device,
                              .line = line,
                              .first = work,
                              .last = work,
                              .from = rows->start[work],
                              .block_end = end,
                              .covered = end};
        span->run = (uint32_t)kept->run_count;
        return;
    }
    if (rows->start[work] > run->covered) {
        if (run->idle_ns == 0)
            run->block_end = run->covered;
        sum_add(&run->idle_ns, rows->start[work] - run->covered);
    }
    run->covered = end > run->covered ? end : run->covered;
    if (run->idle_ns == 0)
        run->block_end = run->covered;
    run->last = work;
}

static void find_gaps(struct making *making)
{
    const struct profile *profile = making->profile;
    const struct gpu_work *work = &profile->work;
    struct kept *kept = making->kept;
    struct span *spans =
        ARENA_ARRAY(making->scratch, struct span, (size_t)profile->ranges.count + 1);
    for (uint32_t r = 0; r < profile->ranges.count; r++)
        spans[r].device = ROW_NONE;
    for (uint32_t w = 0; w < work->count; w++) {
        if (making->work_line[w] == ROW_NONE)
            continue;
        uint32_t device = work_device(profile, w), range = tree_host_range(&making->host, w);
        for (; range != ROW_NONE; range = tree_host_above(&making->host, range)) {
            struct span *span = &spans[range];
            if (making->idle_line[range] == STRADDLES) {
                uint32_t node = selection_range_node(profile, making->selection, range);
                if (node != ROW_NONE)
                    run_add(making, span, range, node, w);
                if (kept->run_count > RUNS_MAX) {
                    kept->walks_idle = true;
                    return;
                }
                continue;
            }
            if (span->device != device)
                *span = (struct span){work->start[w], device, 0};
            else if (work->start[w] > span->covered)
                sum_add(&making->idle_ns[range], work->start[w] - span->covered);
            span->covered = work->end[w] > span->covered ? work->end[w] : span->covered;
        }
    }
}

// ---- making ------------------------------------------------------------------------------------

static void fill_cells(struct making *making)
{
    const struct profile *profile = making->profile;
    const struct ranges *ranges = &profile->ranges;
    struct kept *kept = making->kept;
    struct arena *scratch = making->scratch;
    uint32_t lines = making->selection->split->count + 1;
    for (uint32_t r = 0; r < ranges->count; r++)
        if (making->idle_line[r] == STRADDLES || kept->walks_idle || making->idle_ns[r] == 0)
            making->idle_line[r] = ROW_NONE;
    struct line_rows rows = line_rows_make(making->range_line, ranges->count, lines, scratch);
    struct line_rows gaps = line_rows_make(making->idle_line, ranges->count, lines, scratch);
    struct line_rows calls = line_rows_make(making->api_line, profile->api.count, lines, scratch);
    kept->cells = (struct cells){.groups = making->host.tree->count,
                                 .columns = CELL_COLUMNS,
                                 .sums = CELL_COLUMNS,
                                 .line_count = lines};
    struct cells_builder cells = cells_begin(&kept->cells, making->arena, scratch);
    for (uint32_t l = 0; l < lines; l++) {
        for (uint32_t i = rows.first[l]; i < rows.first[l + 1]; i++) {
            uint32_t r = rows.rows[i];
            uint32_t node = selection_range_node(profile, making->selection, r);
            cells_add(&cells, node, CELL_CALLS, 1);
            cells_add(&cells, node, CELL_CPU_NS, ranges->end[r] - ranges->start[r]);
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
                cells_add(&cells, node, CELL_IDLE_NS, making->idle_ns[r]);
        }
        cells_line(&cells, l);
    }
    cells_end(&cells);
}

// Straddlers by number instead of by range.
static void number_straddlers(struct making *making)
{
    struct kept *kept = making->kept;
    uint32_t *number =
        ARENA_ARRAY(making->scratch, uint32_t, (size_t)making->profile->ranges.count + 1);
    for (size_t i = 0; i < kept->run_count; i++) {
        uint32_t *own = &number[kept->runs[i].straddler];
        *own = *own ? *own : ++kept->straddler_count;
    }
    kept->straddlers = ARENA_ARRAY(making->arena, uint32_t, (size_t)kept->straddler_count + 1);
    for (size_t i = 0; i < kept->run_count; i++) {
        uint32_t *straddler = &kept->runs[i].straddler;
        kept->straddlers[number[*straddler] - 1] = *straddler;
        *straddler = number[*straddler] - 1;
    }
}

static void make_body(void *context, struct arena *scratch)
{
    struct making *making = context;
    const struct profile *profile = making->profile;
    size_t ranges = (size_t)profile->ranges.count + 1, calls = (size_t)profile->api.count + 1;
    making->scratch = scratch;
    making->host = tree_host_open(profile, making->selection, scratch);
    making->range_line = ARENA_ARRAY(scratch, uint32_t, ranges);
    making->idle_line = ARENA_ARRAY(scratch, uint32_t, ranges);
    making->idle_ns = ARENA_ARRAY(scratch, int64_t, ranges);
    making->api_line = ARENA_ARRAY(scratch, uint32_t, calls);
    making->alone_ns = ARENA_ARRAY(scratch, int64_t, calls);
    making->places = ARENA_ARRAY(scratch, struct call_places, calls);
    making->work_line = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->work.count + 1);
    find_ranges(making);
    find_calls(making);
    making->kept->walks_idle = !find_straddlers(making);
    if (!making->kept->walks_idle)
        find_gaps(making);
    if (making->kept->walks_idle)
        making->kept->run_count = 0;
    fill_cells(making);
    number_straddlers(making);
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
            union_add(&covered, profile->api.start[call->api], profile->api.end[call->api]);
        if (call->places.node != ROW_NONE)
            sums[call->places.node].api_ns += alone;
        if (call->places.waits != ROW_NONE)
            sums[call->places.waits].api_ns -= alone;
    }
}

static bool work_is_below(const struct tree_host *host, uint32_t work, uint32_t range)
{
    uint32_t at = tree_host_range(host, work);
    while (at != ROW_NONE && at != range)
        at = tree_host_above(host, at);
    return at == range;
}

// Work before it reaches into the run beyond its first gap: work by work.
static void run_walk(const struct tree_host *host, const struct idle_run *run, uint32_t range,
                     int64_t *covered, int64_t *idle_ns)
{
    const struct profile *profile = host->profile;
    const struct gpu_work *work = &profile->work;
    const struct split *split = host->selection->split;
    for (uint32_t w = run->first; w <= run->last; w++) {
        if (cells_line_of(split, split->of_work[w]) != run->line ||
            !selection_has_work(profile, host->selection, w) || !work_is_below(host, w, range))
            continue;
        if (work->start[w] > *covered)
            sum_add(idle_ns, work->start[w] - *covered);
        *covered = work->end[w] > *covered ? work->end[w] : *covered;
    }
}

static void add_runs(const struct kept *kept, const struct profile *profile,
                     const struct selection *selection, struct tree_sum *sums, struct arena *arena)
{
    struct tree_host host = {.profile = profile, .selection = selection};
    struct span *spans = ARENA_ARRAY(arena, struct span, (size_t)kept->straddler_count + 1);
    for (uint32_t i = 0; i < kept->straddler_count; i++)
        spans[i].device = ROW_NONE;
    for (size_t i = 0; i < kept->run_count; i++) {
        const struct idle_run *run = &kept->runs[i];
        struct span *span = &spans[run->straddler];
        if (!cells_has_line(selection, run->line))
            continue;
        int64_t *idle_ns = &sums[run->node].idle_ns;
        if (span->device != run->device)
            *span = (struct span){run->from, run->device, 0};
        if (span->covered > run->block_end && span->covered < run->covered) {
            run_walk(&host, run, kept->straddlers[run->straddler], &span->covered, idle_ns);
            continue;
        }
        if (run->from > span->covered)
            sum_add(idle_ns, run->from - span->covered);
        if (run->covered <= span->covered)
            continue;
        sum_add(idle_ns, run->idle_ns);
        span->covered = run->covered;
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
    add_runs(kept, profile, selection, sums, arena);
    if (kept->walks_idle) {
        struct tree_host host = tree_host_open(profile, selection, arena);
        tree_host_idle(&host, sums, arena);
    }
    return true;
}
