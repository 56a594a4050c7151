// SPDX-License-Identifier: Apache-2.0
// Gaps between the GPU work of ranges, see tree_gaps.h.
#include "analysis/sums/tree_gaps.h"

#include "analysis/report/partial_sums.h"
#include "analysis/report/stats.h"

enum { MAX_RUNS = 4 << 20 }; // limit of runs; above it gaps are computed from the work for each set

// Consecutive work of one step among all work of a straddler on one device.
struct idle_run {
    uint32_t straddler, node, device, line;
    uint32_t first, last; // rows of work
    int64_t from;
    int64_t block_end; // end of the first block of work without a gap
    int64_t covered;   // latest end
    int64_t idle_ns;   // sum of gaps inside the run
};

struct tree_gaps {
    size_t run_count, run_capacity;
    struct idle_run *runs;
    uint32_t straddler_count;
    uint32_t *straddlers; // rows of ranges
    bool walks;           // too many runs to keep: gaps are computed from the work
};

struct tree_gaps_build {
    const struct profile *profile;
    const struct tree_host *host;
    struct tree_gaps *kept;
    struct range_gaps *own; // while searching, `line` may be STRADDLES
    uint32_t *work_step;    // ROW_NONE: not selected
    struct arena *arena, *scratch;
};

// ---- finding gaps -------------------------------------------------------------------------------

enum { STRADDLES = UINT32_MAX - 1 };

// Finds ranges with work of several steps. Returns false if work is nested too deep.
static bool find_straddlers(struct tree_gaps_build *build)
{
    const struct profile *profile = build->profile;
    const struct selection *selection = build->host->selection;
    for (uint32_t r = 0; r < profile->ranges.count; r++)
        build->own->line[r] = ROW_NONE;
    for (uint32_t w = 0; w < profile->work.count; w++) {
        uint32_t line = ROW_NONE;
        if (selection_has_work(profile, selection, w))
            line = partial_sums_step_of(selection->split, selection->split->of_work[w]);
        build->work_step[w] = line;
        uint32_t range = line == ROW_NONE ? ROW_NONE : tree_host_range(build->host, w);
        for (int steps = 0; range != ROW_NONE; range = tree_host_parent(build->host, range)) {
            if (++steps > MAX_CLIMB)
                return false;
            uint32_t *own = &build->own->line[range];
            *own = *own == ROW_NONE || *own == line ? line : STRADDLES;
        }
    }
    return true;
}

struct range_cover { // covered time of a range on the current device
    int64_t covered;
    uint32_t device;
    uint32_t run; // of a straddler: index of its run + 1
};

// Adds the next work of a straddler to its current run or to a new one.
static void run_add(struct tree_gaps_build *build, struct range_cover *span, uint32_t range,
                    uint32_t node, uint32_t work)
{
    const struct gpu_work *rows = &build->profile->work;
    struct tree_gaps *kept = build->kept;
    uint32_t device = work_device(build->profile, work), line = build->work_step[work];
    int64_t end =
        AT(rows->end, work) > AT(rows->start, work) ? AT(rows->end, work) : AT(rows->start, work);
    struct idle_run *run = span->run ? &kept->runs[span->run - 1] : NULL;
    if (!run || run->device != device || run->line != line) {
        ARENA_PUSH(build->arena, kept->runs, kept->run_count, kept->run_capacity) =
            (struct idle_run){.straddler = range,
                              .node = node,
                              .device = device,
                              .line = line,
                              .first = work,
                              .last = work,
                              .from = AT(rows->start, work),
                              .block_end = end,
                              .covered = end};
        span->run = (uint32_t)kept->run_count;
        return;
    }
    if (AT(rows->start, work) > run->covered) {
        if (run->idle_ns == 0)
            run->block_end = run->covered;
        sum_add(&run->idle_ns, AT(rows->start, work) - run->covered);
    }
    run->covered = end > run->covered ? end : run->covered;
    if (run->idle_ns == 0)
        run->block_end = run->covered;
    run->last = work;
}

static void find_gaps(struct tree_gaps_build *build)
{
    const struct profile *profile = build->profile;
    const struct gpu_work *work = &profile->work;
    struct tree_gaps *kept = build->kept;
    struct range_cover *spans =
        ARENA_ARRAY(build->scratch, struct range_cover, (size_t)profile->ranges.count + 1);
    for (uint32_t r = 0; r < profile->ranges.count; r++)
        spans[r].device = ROW_NONE;
    for (uint32_t w = 0; w < work->count; w++) {
        if (build->work_step[w] == ROW_NONE)
            continue;
        uint32_t device = work_device(profile, w), range = tree_host_range(build->host, w);
        for (; range != ROW_NONE; range = tree_host_parent(build->host, range)) {
            struct range_cover *span = &spans[range];
            if (build->own->line[range] == STRADDLES) {
                uint32_t node = selection_range_node(profile, build->host->selection, range);
                if (node != ROW_NONE)
                    run_add(build, span, range, node, w);
                if (kept->run_count > MAX_RUNS) {
                    kept->walks = true;
                    ARENA_RELEASE(build->scratch, spans, profile->ranges.count + 1);
                    return;
                }
                continue;
            }
            if (span->device != device)
                *span = (struct range_cover){AT(work->start, w), device, 0};
            else if (AT(work->start, w) > span->covered)
                sum_add(&build->own->idle_ns[range], AT(work->start, w) - span->covered);
            span->covered = AT(work->end, w) > span->covered ? AT(work->end, w) : span->covered;
        }
    }
    ARENA_RELEASE(build->scratch, spans, profile->ranges.count + 1);
}

// Replaces the range of each run by the number of its straddler.
static void number_straddlers(struct tree_gaps_build *build)
{
    struct tree_gaps *kept = build->kept;
    uint32_t *number =
        ARENA_ARRAY(build->scratch, uint32_t, (size_t)build->profile->ranges.count + 1);
    for (size_t i = 0; i < kept->run_count; i++) {
        uint32_t *own = &number[kept->runs[i].straddler];
        *own = *own ? *own : ++kept->straddler_count;
    }
    kept->straddlers = ARENA_ARRAY(build->arena, uint32_t, (size_t)kept->straddler_count + 1);
    for (size_t i = 0; i < kept->run_count; i++) {
        uint32_t *straddler = &kept->runs[i].straddler;
        kept->straddlers[number[*straddler] - 1] = *straddler;
        *straddler = number[*straddler] - 1;
    }
    ARENA_RELEASE(build->scratch, number, build->profile->ranges.count + 1);
}

struct tree_gaps *tree_gaps_make(const struct tree_host *host, struct range_gaps *own,
                                 struct arena *arena, struct arena *scratch)
{
    const struct profile *profile = host->profile;
    size_t ranges = (size_t)profile->ranges.count + 1;
    *own = (struct range_gaps){ARENA_ARRAY(scratch, uint32_t, ranges),
                               ARENA_ARRAY(scratch, int64_t, ranges)};
    struct tree_gaps_build build = {
        .profile = profile,
        .host = host,
        .kept = ARENA_NEW(arena, struct tree_gaps),
        .own = own,
        .work_step = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->work.count + 1),
        .arena = arena,
        .scratch = scratch,
    };
    struct tree_gaps *kept = build.kept;
    kept->walks = !find_straddlers(&build);
    if (!kept->walks)
        find_gaps(&build);
    if (kept->walks)
        kept->run_count = 0;
    for (uint32_t r = 0; r < profile->ranges.count; r++)
        if (own->line[r] == STRADDLES || kept->walks || own->idle_ns[r] == 0)
            own->line[r] = ROW_NONE;
    number_straddlers(&build);
    ARENA_RELEASE(scratch, build.work_step, profile->work.count + 1);
    return kept;
}

// ---- sums of a selection ------------------------------------------------------------------------

static bool work_is_below(const struct tree_host *host, uint32_t work, uint32_t range)
{
    uint32_t at = tree_host_range(host, work);
    while (at != ROW_NONE && at != range)
        at = tree_host_parent(host, at);
    return at == range;
}

// Adds the gaps of a run work by work, because earlier work reaches beyond its first gap.
static void run_walk(const struct tree_host *host, const struct idle_run *run, uint32_t range,
                     int64_t *covered, int64_t *idle_ns)
{
    const struct profile *profile = host->profile;
    const struct gpu_work *work = &profile->work;
    const struct split *split = host->selection->split;
    for (uint32_t w = run->first; w <= run->last; w++) {
        if (partial_sums_step_of(split, split->of_work[w]) != run->line ||
            !selection_has_work(profile, host->selection, w) || !work_is_below(host, w, range))
            continue;
        if (AT(work->start, w) > *covered)
            sum_add(idle_ns, AT(work->start, w) - *covered);
        *covered = AT(work->end, w) > *covered ? AT(work->end, w) : *covered;
    }
}

static void add_runs(const struct tree_gaps *gaps, const struct profile *profile,
                     const struct selection *selection, struct tree_sum *sums, struct arena *arena)
{
    struct tree_host host = {.profile = profile, .selection = selection};
    struct range_cover *spans =
        ARENA_ARRAY(arena, struct range_cover, (size_t)gaps->straddler_count + 1);
    for (uint32_t i = 0; i < gaps->straddler_count; i++)
        spans[i].device = ROW_NONE;
    for (size_t i = 0; i < gaps->run_count; i++) {
        const struct idle_run *run = &gaps->runs[i];
        struct range_cover *span = &spans[run->straddler];
        if (!partial_sums_has_step(selection, run->line))
            continue;
        int64_t *idle_ns = &sums[run->node].idle_ns;
        if (span->device != run->device)
            *span = (struct range_cover){run->from, run->device, 0};
        if (span->covered > run->block_end && span->covered < run->covered) {
            run_walk(&host, run, gaps->straddlers[run->straddler], &span->covered, idle_ns);
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

void tree_gaps_add(const struct tree_gaps *gaps, const struct profile *profile,
                   const struct selection *selection, struct tree_sum *sums, struct arena *arena)
{
    if (!gaps->walks) {
        add_runs(gaps, profile, selection, sums, arena);
        return;
    }
    struct tree_host host = tree_host_open(profile, selection, arena);
    tree_host_idle(&host, sums, arena);
}
