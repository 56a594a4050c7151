// SPDX-License-Identifier: Apache-2.0
// Gaps between the GPU work of ranges, see tree_gaps.h.
#include "analysis/tree_sums/tree_gaps.h"

#include "analysis/report/partial_sums.h"
#include "analysis/report/stats.h"

// limit of runs; above it gaps are computed from the work for each selection
enum { MAX_RUNS = 4 << 20 };

// Consecutive work of one step among all work of a straddler on one device, in order of start.
struct idle_run {
    uint32_t straddler, node, device, step;
    uint32_t first, last; // rows of work
    int64_t from;
    int64_t block_end;  // end of the work before the first gap; without gaps the same as covered_to
    int64_t covered_to; // latest end of its work
    int64_t idle_ns;    // sum of gaps inside the run
};

struct tree_gaps {
    size_t run_count, run_capacity;
    struct idle_run *runs;
    uint32_t straddler_count;
    uint32_t *straddlers; // rows of ranges
    bool
        reads_work; // no runs are stored (see MAX_RUNS, MAX_CLIMB): gaps are computed from the work
};

struct tree_gaps_build {
    const struct profile *profile;
    const struct tree_host *host;
    struct tree_gaps *gaps;
    struct range_gaps *own; // while searching, `line` may be STRADDLES
    uint32_t *work_step;    // ROW_NONE: not selected
    struct arena *arena, *scratch;
};

// ---- finding gaps -------------------------------------------------------------------------------

enum { SEVERAL_STEPS = UINT32_MAX - 1 };

// Fills own->line with the step of each range's work, or SEVERAL_STEPS. Returns false if ranges
// nest too deeply.
static bool find_straddlers(struct tree_gaps_build *build)
{
    const struct profile *profile = build->profile;
    const struct selection *selection = build->host->selection;
    for (uint32_t r = 0; r < profile->ranges.count; r++)
        build->own->line[r] = ROW_NONE;
    for (uint32_t w = 0; w < profile->work.count; w++) {
        uint32_t step = ROW_NONE;
        if (selection_has_work(profile, selection, w))
            step = partial_sums_step_of(selection->split, selection->split->of_work[w]);
        build->work_step[w] = step;
        uint32_t range = step == ROW_NONE ? ROW_NONE : tree_host_range(build->host, w);
        for (int steps = 0; range != ROW_NONE; range = tree_host_parent(build->host, range)) {
            if (++steps > MAX_CLIMB)
                return false;
            uint32_t *range_step = &build->own->line[range];
            *range_step = *range_step == ROW_NONE || *range_step == step ? step : SEVERAL_STEPS;
        }
    }
    return true;
}

struct range_cover {    // how far the work read so far covers a range on the current device
    int64_t covered_to; // latest end of the work
    uint32_t device;
    uint32_t run; // of a straddler: index of its run + 1
};

// Adds the next work of a straddler to its current run or to a new one.
static void add_to_run(struct tree_gaps_build *build, struct range_cover *cover, uint32_t range,
                       uint32_t node, uint32_t work)
{
    const struct gpu_work *rows = &build->profile->work;
    struct tree_gaps *gaps = build->gaps;
    uint32_t device = work_device(build->profile, work), step = build->work_step[work];
    int64_t end =
        AT(rows->end, work) > AT(rows->start, work) ? AT(rows->end, work) : AT(rows->start, work);
    struct idle_run *run = cover->run ? &gaps->runs[cover->run - 1] : NULL;
    if (!run || run->device != device || run->step != step) {
        ARENA_PUSH(build->arena, gaps->runs, gaps->run_count, gaps->run_capacity) =
            (struct idle_run){.straddler = range,
                              .node = node,
                              .device = device,
                              .step = step,
                              .first = work,
                              .last = work,
                              .from = AT(rows->start, work),
                              .block_end = end,
                              .covered_to = end};
        cover->run = (uint32_t)gaps->run_count;
        return;
    }
    if (AT(rows->start, work) > run->covered_to) {
        if (run->idle_ns == 0)
            run->block_end = run->covered_to;
        sum_add(&run->idle_ns, AT(rows->start, work) - run->covered_to);
    }
    run->covered_to = end > run->covered_to ? end : run->covered_to;
    if (run->idle_ns == 0)
        run->block_end = run->covered_to;
    run->last = work;
}

// Reads the work in order: sums up gaps of ranges, and makes the runs of straddlers.
static void find_gaps(struct tree_gaps_build *build)
{
    const struct profile *profile = build->profile;
    const struct gpu_work *work = &profile->work;
    struct tree_gaps *gaps = build->gaps;
    struct range_cover *covers =
        ARENA_ARRAY(build->scratch, struct range_cover, (size_t)profile->ranges.count + 1);
    for (uint32_t r = 0; r < profile->ranges.count; r++)
        covers[r].device = ROW_NONE;
    for (uint32_t w = 0; w < work->count; w++) {
        if (build->work_step[w] == ROW_NONE)
            continue;
        uint32_t device = work_device(profile, w), range = tree_host_range(build->host, w);
        for (; range != ROW_NONE; range = tree_host_parent(build->host, range)) {
            struct range_cover *cover = &covers[range];
            if (build->own->line[range] == SEVERAL_STEPS) {
                uint32_t node = selection_range_node(profile, build->host->selection, range);
                if (node != ROW_NONE)
                    add_to_run(build, cover, range, node, w);
                if (gaps->run_count > MAX_RUNS) {
                    gaps->reads_work = true;
                    ARENA_RELEASE(build->scratch, covers, profile->ranges.count + 1);
                    return;
                }
                continue;
            }
            if (cover->device != device)
                *cover = (struct range_cover){AT(work->start, w), device, 0};
            else if (AT(work->start, w) > cover->covered_to)
                sum_add(&build->own->idle_ns[range], AT(work->start, w) - cover->covered_to);
            cover->covered_to =
                AT(work->end, w) > cover->covered_to ? AT(work->end, w) : cover->covered_to;
        }
    }
    ARENA_RELEASE(build->scratch, covers, profile->ranges.count + 1);
}

// Replaces the range of each run by the number of its straddler.
static void number_straddlers(struct tree_gaps_build *build)
{
    struct tree_gaps *gaps = build->gaps;
    uint32_t *number =
        ARENA_ARRAY(build->scratch, uint32_t, (size_t)build->profile->ranges.count + 1);
    for (size_t i = 0; i < gaps->run_count; i++) {
        uint32_t *straddler_number = &number[gaps->runs[i].straddler];
        *straddler_number = *straddler_number ? *straddler_number : ++gaps->straddler_count;
    }
    gaps->straddlers = ARENA_ARRAY(build->arena, uint32_t, (size_t)gaps->straddler_count + 1);
    for (size_t i = 0; i < gaps->run_count; i++) {
        uint32_t *straddler = &gaps->runs[i].straddler;
        gaps->straddlers[number[*straddler] - 1] = *straddler;
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
        .gaps = ARENA_NEW(arena, struct tree_gaps),
        .own = own,
        .work_step = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->work.count + 1),
        .arena = arena,
        .scratch = scratch,
    };
    struct tree_gaps *gaps = build.gaps;
    gaps->reads_work = !find_straddlers(&build);
    if (!gaps->reads_work)
        find_gaps(&build);
    if (gaps->reads_work)
        gaps->run_count = 0;
    for (uint32_t r = 0; r < profile->ranges.count; r++)
        if (own->line[r] == SEVERAL_STEPS || gaps->reads_work || own->idle_ns[r] == 0)
            own->line[r] = ROW_NONE;
    number_straddlers(&build);
    ARENA_RELEASE(scratch, build.work_step, profile->work.count + 1);
    return gaps;
}

// ---- sums of a selection ------------------------------------------------------------------------

static bool range_encloses_work(const struct tree_host *host, uint32_t work, uint32_t range)
{
    uint32_t ancestor = tree_host_range(host, work);
    while (ancestor != ROW_NONE && ancestor != range)
        ancestor = tree_host_parent(host, ancestor);
    return ancestor == range;
}

// Adds the gaps of a run whose first gap is partly covered by work of earlier runs: reads its work.
static void add_run_by_work(const struct tree_host *host, const struct idle_run *run,
                            uint32_t range, int64_t *covered_to, int64_t *idle_ns)
{
    const struct profile *profile = host->profile;
    const struct gpu_work *work = &profile->work;
    const struct split *split = host->selection->split;
    for (uint32_t w = run->first; w <= run->last; w++) {
        if (partial_sums_step_of(split, split->of_work[w]) != run->step ||
            !selection_has_work(profile, host->selection, w) ||
            !range_encloses_work(host, w, range))
            continue;
        if (AT(work->start, w) > *covered_to)
            sum_add(idle_ns, AT(work->start, w) - *covered_to);
        *covered_to = AT(work->end, w) > *covered_to ? AT(work->end, w) : *covered_to;
    }
}

// Adds the gaps inside the runs of selected steps, and the gaps between them.
static void add_runs(const struct tree_gaps *gaps, const struct profile *profile,
                     const struct selection *selection, struct tree_sum *sums, struct arena *arena)
{
    struct tree_host host = {.profile = profile, .selection = selection};
    struct range_cover *covers =
        ARENA_ARRAY(arena, struct range_cover, (size_t)gaps->straddler_count + 1);
    for (uint32_t i = 0; i < gaps->straddler_count; i++)
        covers[i].device = ROW_NONE;
    for (size_t i = 0; i < gaps->run_count; i++) {
        const struct idle_run *run = &gaps->runs[i];
        struct range_cover *cover = &covers[run->straddler];
        if (!partial_sums_has_step(selection, run->step))
            continue;
        int64_t *idle_ns = &sums[run->node].idle_ns;
        if (cover->device != run->device)
            *cover = (struct range_cover){run->from, run->device, 0};
        if (cover->covered_to > run->block_end && cover->covered_to < run->covered_to) {
            add_run_by_work(&host, run, gaps->straddlers[run->straddler], &cover->covered_to,
                            idle_ns);
            continue;
        }
        if (run->from > cover->covered_to)
            sum_add(idle_ns, run->from - cover->covered_to);
        if (run->covered_to <= cover->covered_to)
            continue;
        sum_add(idle_ns, run->idle_ns);
        cover->covered_to = run->covered_to;
    }
}

void tree_gaps_add(const struct tree_gaps *gaps, const struct profile *profile,
                   const struct selection *selection, struct tree_sum *sums, struct arena *arena)
{
    if (!gaps->reads_work) {
        add_runs(gaps, profile, selection, sums, arena);
        return;
    }
    struct tree_host host = tree_host_open(profile, selection, arena);
    tree_host_idle(&host, sums, arena);
}
