// SPDX-License-Identifier: Apache-2.0
// Finds windows of runs without steps: replays of one graph, bursts between idle intervals, slices
// of time.
#include <inttypes.h>
#include <stdlib.h>

#include "base/id_map.h"
#include "base/sort.h"
#include "base/text/format.h"
#include "model/steps/step_plan.h"

enum {
    MIN_REPLAYS = 3,
    MAX_GRAPHS = 16, // listed graphs
    MIN_BURSTS = 3,
    MAX_BURSTS = 2000,
    USUAL_SLICES = 40,
    MIN_IDLE_NS = 20000, // ns between bursts; shorter idle times are normal between two kernels
};

struct step_plan *step_plan_add(struct step_finder *finder)
{
    struct step_plan *plan =
        &ARENA_PUSH(finder->arena, finder->plans, finder->count, finder->capacity);
    *plan = (struct step_plan){.unit = "iteration", .why = ""};
    return plan;
}

// ---- replays -----------------------------------------------------------------------------------

struct replayed_graph { // the replays of one graph in one process
    int64_t graph, exclusive_ns;
    uint32_t process, count;
    uint32_t first, last; // API calls: ends of a list linked by graph_replays.next
};

struct graph_replays {
    struct replayed_graph *items;
    size_t count, capacity;
    uint32_t *next; // per API call: the next one, + 1
};

static void find_replays(struct step_finder *finder, struct graph_replays *replays)
{
    const struct profile *profile = finder->profile;
    const struct gpu_work *work = &profile->work;
    const struct launch_order *all = &finder->launches.all;
    struct id_map rows = {.arena = finder->arena};
    uint32_t *seen = ARENA_ARRAY(finder->arena, uint32_t, (size_t)profile->api.count + 1);
    replays->next = ARENA_ARRAY(finder->arena, uint32_t, (size_t)profile->api.count + 1);
    for (size_t i = 0; i < all->count; i++) {
        uint32_t w = all->work[i], call = AT(work->launch, w);
        if (!AT(work->graph, w) || call == ROW_NONE)
            continue;
        uint32_t process = work_process(profile, w);
        struct id_key key = {.a = (uint64_t)AT(work->graph, w), .b = process};
        uint32_t *slot = id_map_slot(&rows, key);
        if (!*slot) {
            *slot = (uint32_t)replays->count + 1;
            ARENA_PUSH(finder->arena, replays->items, replays->count, replays->capacity) =
                (struct replayed_graph){.graph = AT(work->graph, w), .process = process};
        }
        struct replayed_graph *graph = &replays->items[*slot - 1];
        graph->exclusive_ns += HAS(work->exclusive) ? AT(work->exclusive, w) : 0;
        if (seen[call])
            continue;
        seen[call] = 1;
        if (graph->count++)
            replays->next[graph->last] = call + 1;
        else
            graph->first = call;
        graph->last = call;
    }
}

static int compare_replayed(const void *context, uint32_t a, uint32_t b)
{
    const struct replayed_graph *items = context;
    return (items[a].exclusive_ns < items[b].exclusive_ns) -
           (items[a].exclusive_ns > items[b].exclusive_ns);
}

static void add_replays(struct step_finder *finder, const struct graph_replays *replays,
                        const struct replayed_graph *graph)
{
    const struct profile *profile = finder->profile;
    struct step_plan *plan = step_plan_add(finder);
    struct split_marks *marks = &plan->marks;
    marks->has_own_ends = true;
    for (uint32_t call = graph->first;; call = replays->next[call] - 1) {
        struct split_mark mark = {graph->process, marks->slot_count, AT(profile->api.start, call),
                                  AT(profile->api.end, call), false};
        // A call of zero length launches its work at its start.
        mark.stop += mark.stop <= mark.start ? mark.start + 1 - mark.stop : 0;
        if (!marks->count || mark.start >= marks->items[marks->count - 1].stop) {
            ARENA_PUSH(finder->arena, marks->items, marks->count, marks->capacity) = mark;
            marks->slot_count++;
        }
        if (!replays->next[call])
            break;
    }
    plan->source = CANDIDATE_REPLAYS;
    plan->confidence = CONFIDENCE_CERTAIN;
    plan->unit = "replay";
    uint32_t pid = profile->processes[graph->process].pid;
    plan->key = profile->process_count > 1
                    ? arena_format(finder->arena, "replay:%" PRId64 "@%u", graph->graph, pid)
                    : arena_format(finder->arena, "replay:%" PRId64, graph->graph);
    plan->text =
        profile->process_count > 1
            ? arena_format(finder->arena, "graph %" PRId64 " of process %u", graph->graph, pid)
            : arena_format(finder->arena, "graph %" PRId64, graph->graph);
    plan->why = "each is what one cudaGraphLaunch of that graph ran";
    step_figures_fill(finder, plan);
}

void step_replays_add(struct step_finder *finder)
{
    const struct gpu_work *work = &finder->profile->work;
    enum { FIRST_ROOM = 16 };
    if (!HAS(work->graph) || !HAS(work->launch))
        return;
    struct graph_replays replays = {
        .items = ARENA_ARRAY(finder->arena, struct replayed_graph, FIRST_ROOM),
        .capacity = FIRST_ROOM};
    find_replays(finder, &replays);
    uint32_t *order = ARENA_ARRAY(finder->arena, uint32_t, replays.count + 1);
    for (uint32_t i = 0; i < replays.count; i++)
        order[i] = i;
    sort_ids(order, replays.count, compare_replayed, replays.items, finder->arena);
    size_t added = 0;
    for (size_t i = 0; i < replays.count && added < MAX_GRAPHS; i++) {
        const struct replayed_graph *graph = &replays.items[order[i]];
        if (graph->count < MIN_REPLAYS || graph->count > MAX_PLAN_WINDOWS)
            continue;
        add_replays(finder, &replays, graph);
        added++;
    }
}

// ---- bursts ------------------------------------------------------------------------------------

struct burst_gap {
    int64_t from, to;
};

static int compare_gaps(const void *context, uint32_t a, uint32_t b)
{
    const struct burst_gap *gaps = context;
    int64_t x = gaps[a].to - gaps[a].from, y = gaps[b].to - gaps[b].from;
    return (x < y) - (x > y);
}

// Finds the intervals in which all GPUs are idle.
static struct burst_gap *find_gaps(struct step_finder *finder, size_t *count,
                                   struct burst_gap *whole)
{
    const struct gpu_work *work = &finder->profile->work;
    struct burst_gap *gaps = NULL;
    size_t capacity = 0;
    uint32_t *order = NULL;
    if (finder->profile->device_count > 1) {
        int64_t *starts = column64_unpack(finder->arena, work->start, work->count);
        order = sort_by_time(finder->arena, starts, NULL, work->count);
        ARENA_RELEASE(finder->arena, starts, work->count);
    }
    *count = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        uint32_t w = order ? order[i] : i;
        if (i && AT(work->start, w) > whole->to) {
            struct burst_gap gap = {whole->to, AT(work->start, w)};
            ARENA_PUSH(finder->arena, gaps, *count, capacity) = gap;
        }
        whole->from = i ? whole->from : AT(work->start, w);
        whole->to = !i || AT(work->end, w) > whole->to ? AT(work->end, w) : whole->to;
    }
    return gaps;
}

// Returns how many gaps are clearly longer than the rest. In descending order of length, the cut is
// where a gap is longer than the next one by the largest factor, which must exceed 2. Returns 0 if
// the lengths vary gradually, so that there are no bursts.
static size_t count_long_gaps(const struct burst_gap *gaps, const uint32_t *order, size_t count)
{
    size_t best = 0;
    double factor = 2;
    for (size_t n = MIN_BURSTS - 1; n < count && n < MAX_BURSTS; n++) {
        const struct burst_gap *last = &gaps[order[n - 1]], *next = &gaps[order[n]];
        double ratio = (double)(last->to - last->from) / (double)(next->to - next->from);
        if (last->to - last->from < MIN_IDLE_NS)
            break;
        if (ratio > factor) {
            factor = ratio;
            best = n;
        }
    }
    return best;
}

void step_bursts_add(struct step_finder *finder)
{
    struct burst_gap whole = {0, 0};
    size_t count;
    if (finder->profile->lacks_times)
        return;
    struct burst_gap *gaps = find_gaps(finder, &count, &whole);
    uint32_t *order = ARENA_ARRAY(finder->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    sort_ids(order, count, compare_gaps, gaps, finder->arena);
    size_t long_gap_count = count_long_gaps(gaps, order, count);
    if (!long_gap_count)
        return;
    const struct burst_gap *shortest = &gaps[order[long_gap_count - 1]];
    int64_t min_gap_ns = shortest->to - shortest->from;
    struct step_plan *plan = step_plan_add(finder);
    struct split_marks *marks = &plan->marks;
    marks->by_gpu = marks->has_own_ends = true;
    int64_t from = whole.from;
    for (size_t i = 0; i <= count; i++) {
        if (i < count && gaps[i].to - gaps[i].from < min_gap_ns)
            continue;
        int64_t to = i < count ? gaps[i].from : whole.to;
        ARENA_PUSH(finder->arena, marks->items, marks->count, marks->capacity) =
            (struct split_mark){ROW_NONE, marks->slot_count++, from, to, false};
        from = i < count ? gaps[i].to : from;
    }
    char idle[FORMAT_SIZE];
    plan->source = CANDIDATE_BURSTS;
    plan->confidence = CONFIDENCE_NONE;
    plan->unit = "burst";
    plan->key = "bursts";
    plan->text = arena_format(finder->arena, "idle of %s or more on all GPUs",
                              format_duration(idle, min_gap_ns, true));
    plan->why = "work between the idle times that stand out by their length";
    step_figures_fill(finder, plan);
}

// ---- slices ------------------------------------------------------------------------------------

static int64_t round_slice(int64_t whole_ns)
{
    static const int64_t steps[] = {1, 2, 5};
    for (int64_t unit = 1000; unit < INT64_MAX / 100; unit *= 10)
        for (size_t i = 0; i < 3; i++)
            if (whole_ns / (unit * steps[i]) <= USUAL_SLICES)
                return unit * steps[i];
    return whole_ns;
}

void step_slices_add(struct step_finder *finder, int64_t slice_ns)
{
    const struct gpu_work *work = &finder->profile->work;
    int64_t from = INT64_MAX, to = INT64_MIN;
    if (finder->profile->lacks_times)
        return;
    for (uint32_t i = 0; i < work->count; i++) {
        from = AT(work->start, i) < from ? AT(work->start, i) : from;
        to = AT(work->end, i) > to ? AT(work->end, i) : to;
    }
    if (to <= from || (uint64_t)to - (uint64_t)from > INT64_MAX / 4)
        return;
    slice_ns = slice_ns > 0 ? slice_ns : round_slice(to - from);
    if ((to - from) / slice_ns >= MAX_PLAN_WINDOWS)
        return;
    char length[FORMAT_SIZE];
    struct step_plan *plan = step_plan_add(finder);
    struct split_marks *marks = &plan->marks;
    marks->by_gpu = true;
    for (int64_t at = from; at < to; at = marks->items[marks->count - 1].stop) {
        bool is_shorter = to - at < slice_ns;
        ARENA_PUSH(finder->arena, marks->items, marks->count, marks->capacity) =
            (struct split_mark){ROW_NONE, marks->slot_count++, at, is_shorter ? to : at + slice_ns,
                                is_shorter};
    }
    format_duration(length, slice_ns, true);
    plan->source = CANDIDATE_SLICES;
    plan->confidence = CONFIDENCE_NONE;
    plan->unit = "slice";
    plan->key = arena_format(finder->arena, "slices:%" PRId64 "ns", slice_ns);
    for (size_t i = 0; i < 4; i++) {
        static const int64_t size[] = {1, 1000, 1000000, 1000000000};
        static const char *const name[] = {"ns", "us", "ms", "s"};
        if (slice_ns % size[i] == 0)
            plan->key =
                arena_format(finder->arena, "slices:%" PRId64 "%s", slice_ns / size[i], name[i]);
    }
    plan->text = arena_format(finder->arena, "time, %s each", plan->key + 7);
    plan->why = "equal slices of time: nothing of the program";
    step_figures_fill(finder, plan);
}
