// SPDX-License-Identifier: Apache-2.0
// Finds the captures of CUDA graphs in a trace.
//
// A capture lasts from cudaStreamBeginCapture to cudaStreamEndCapture on one thread (its interval).
// Its nodes are the calls in this time that launch something but put no work on a GPU. They may be
// on any thread of the process: a captured backward pass runs on the engine's thread. The place of
// a node is a number of the names of its enclosing ranges; equal names have equal numbers.
#include "base/sort.h"
#include "model/kineto/load_kineto_graphs.h"

// Returns true if a call is, or may be, a node of a captured graph.
static bool is_node(const struct graph_search *graphs, uint32_t call)
{
    enum call_kind kind = graphs_kind_of(graphs, call);
    return kind >= CALL_LAUNCH && kind <= CALL_CHILD && !graphs->has_work[call];
}

// ---- ranges around a launch ---------------------------------------------------------------------

struct enclosing_range {
    int64_t end;
    uint32_t range;
    uint32_t place; // index in `places` + 1; 0: not computed yet
};

// Returns the place of nested ranges by their names and sizes, outermost first; 0: none.
static uint32_t place_of(const struct ranges *ranges, struct tuples *places,
                         struct enclosing_range *open, size_t depth)
{
    size_t known = depth;
    while (known && !open[known - 1].place)
        known--;
    for (; known < depth; known++) {
        const struct range_label *label = range_label(ranges, open[known].range);
        int64_t key[3] = {known ? open[known - 1].place : 0, label->name, label->sizes};
        open[known].place = tuples_put(places, key) + 1;
    }
    return depth ? open[depth - 1].place : 0;
}

static void find_places(const struct graph_search *graphs, const struct thread *thread,
                        struct tuples *places, uint32_t *place)
{
    const struct api_calls *api = &graphs->kineto->profile->api;
    const struct ranges *ranges = &graphs->kineto->profile->ranges;
    struct enclosing_range *open = NULL;
    size_t depth = 0, capacity = 0;
    uint32_t next = thread->first_range;
    for (uint32_t call = thread->first_api; call < thread->end_api; call++) {
        if (!is_node(graphs, call))
            continue;
        int64_t time = AT(api->start, call);
        for (; next < thread->end_range && AT(ranges->start, next) <= time; next++) {
            while (depth && open[depth - 1].end <= AT(ranges->start, next))
                depth--;
            ARENA_PUSH(graphs->scratch, open, depth, capacity) =
                (struct enclosing_range){AT(ranges->end, next), next, 0};
        }
        while (depth && open[depth - 1].end <= time)
            depth--;
        place[call] = place_of(ranges, places, open, depth);
    }
    ARENA_RELEASE(graphs->scratch, open, capacity);
}

// ---- time of captures ---------------------------------------------------------------------------

struct capture_interval { // host time of a capture
    int64_t start, end;
    uint32_t process;
    bool is_mixed; // overlaps another capture
};

struct capture_intervals {
    struct capture_interval *items;
    size_t count, capacity;
};

static void add_intervals(struct capture_intervals *intervals, const struct graph_search *graphs,
                          const struct thread *thread)
{
    const struct api_calls *api = &graphs->kineto->profile->api;
    int64_t begin = UNKNOWN;
    bool is_mixed = false;
    for (uint32_t call = thread->first_api; call < thread->end_api; call++) {
        enum call_kind kind = graphs_kind_of(graphs, call);
        if (kind == CALL_BEGIN) {
            is_mixed = begin != UNKNOWN; // two streams capture at once
            begin = begin == UNKNOWN ? AT(api->start, call) : begin;
        } else if (kind == CALL_END && begin != UNKNOWN) {
            ARENA_PUSH(graphs->scratch, intervals->items, intervals->count, intervals->capacity) =
                (struct capture_interval){begin, AT(api->end, call), thread->process, is_mixed};
            begin = UNKNOWN;
        }
    }
}

static int compare_intervals(const void *context, uint32_t a, uint32_t b)
{
    const struct capture_interval *items = context, *x = &items[a], *y = &items[b];
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

// Returns the intervals in order of (process, start) and marks those that overlap.
static uint32_t *order_intervals(const struct capture_intervals *intervals, struct arena *scratch)
{
    struct capture_interval *items = intervals->items;
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, intervals->count + 1);
    for (uint32_t i = 0; i < intervals->count; i++)
        order[i] = i;
    sort_ids(order, intervals->count, compare_intervals, items, scratch);
    struct capture_interval *last = NULL; // of those so far, the one with the latest end
    for (uint32_t i = 0; i < intervals->count; i++) {
        struct capture_interval *interval = &items[order[i]];
        bool is_first = !last || last->process != interval->process;
        if (!is_first && interval->start < last->end)
            interval->is_mixed = last->is_mixed = true;
        if (is_first || interval->end > last->end)
            last = interval;
    }
    return order;
}

// ---- launches of a capture ----------------------------------------------------------------------

// Calls that may be nodes, and waits for other streams, by (process, start, longest first).
struct node_candidates {
    const struct profile *profile;
    uint32_t *items;
    size_t count, capacity;
};

static uint32_t process_of(const struct profile *profile, uint32_t call)
{
    return profile->threads[AT(profile->api.thread, call)].process;
}

static int compare_nodes(const void *context, uint32_t a, uint32_t b)
{
    const struct profile *profile = context;
    const struct api_calls *api = &profile->api;
    uint32_t p = process_of(profile, a), q = process_of(profile, b);
    int64_t x = AT(api->start, a), y = AT(api->start, b);
    if (p != q)
        return p < q ? -1 : 1;
    if (x != y)
        return x < y ? -1 : 1;
    x = AT(api->end, a), y = AT(api->end, b);
    return (x < y) - (x > y);
}

static struct node_candidates find_nodes(const struct graph_search *graphs)
{
    struct node_candidates nodes = {.profile = graphs->kineto->profile};
    for (uint32_t call = 0; call < nodes.profile->api.count; call++)
        if (is_node(graphs, call) || graphs_kind_of(graphs, call) == CALL_WAIT)
            ARENA_PUSH(graphs->scratch, nodes.items, nodes.count, nodes.capacity) = call;
    sort_ids(nodes.items, nodes.count, compare_nodes, nodes.profile, graphs->scratch);
    return nodes;
}

static struct graph_node launch_of(const struct graph_search *graphs, uint32_t call, uint32_t place)
{
    static const enum work_kind kinds[] = {
        [CALL_LAUNCH] = WORK_KERNEL, [CALL_COPY] = WORK_MEMCPY, [CALL_SET] = WORK_MEMSET,
        [CALL_REPLAY] = WORK_GRAPH,  [CALL_CHILD] = WORK_GRAPH,
    };
    const struct kineto_call *record = &graphs->kineto->calls[graphs->call_order[call]];
    return (struct graph_node){
        .kernel = record->kernel == STRING_NONE ? INT64_C(-1) : record->kernel,
        .grid = record->grid == ROW_NONE ? INT64_C(-1) : record->grid,
        .kind = kinds[graphs_kind_of(graphs, call)],
        .row = call,
        .place = place,
    };
}

// Reads the capture of an interval from candidate *next on and moves *next after it. A call inside
// another call of its thread is part of the same launch (a driver call in a runtime call). If
// launches of two threads overlap, their order is unknown, and the capture is marked as mixed.
static struct graph_capture read_capture(struct graph_search *graphs,
                                         const struct capture_interval *interval,
                                         const struct node_candidates *nodes, const uint32_t *place,
                                         size_t *next)
{
    const struct api_calls *api = &nodes->profile->api;
    struct graph_capture capture = {
        .end = interval->end, .process = interval->process, .is_mixed = interval->is_mixed};
    uint32_t last = ROW_NONE;
    capture.first = (uint32_t)graphs->launch_count;
    for (; *next < nodes->count; ++*next) {
        uint32_t call = nodes->items[*next], process = process_of(nodes->profile, call);
        int64_t start = AT(api->start, call);
        bool is_before = process < interval->process ||
                         (process == interval->process && start < interval->start);
        if (is_before)
            continue;
        if (process > interval->process || start > interval->end)
            break;
        if (graphs_kind_of(graphs, call) == CALL_WAIT) {
            capture.has_branches = true;
            continue;
        }
        if (last != ROW_NONE && start < AT(api->end, last)) {
            capture.is_mixed |= AT(api->thread, last) != AT(api->thread, call);
            continue;
        }
        ARENA_PUSH(graphs->scratch, graphs->match.launches, graphs->launch_count,
                   graphs->launch_capacity) = launch_of(graphs, call, place[call]);
        last = call;
    }
    capture.count = (uint32_t)graphs->launch_count - capture.first;
    return capture;
}

void graphs_find_captures(struct graph_search *graphs)
{
    const struct profile *profile = graphs->kineto->profile;
    struct capture_intervals intervals = {NULL, 0, 0};
    for (uint32_t t = 0; t < profile->thread_count; t++)
        add_intervals(&intervals, graphs, &profile->threads[t]);
    if (!intervals.count)
        return;
    struct tuples places;
    tuples_open(&places, graphs->scratch, 3);
    uint32_t *place = ARENA_ARRAY(graphs->scratch, uint32_t, (size_t)profile->api.count + 1);
    for (uint32_t t = 0; t < profile->thread_count; t++)
        find_places(graphs, &profile->threads[t], &places, place);
    const uint32_t *order = order_intervals(&intervals, graphs->scratch);
    struct node_candidates nodes = find_nodes(graphs);
    size_t next = 0, count = 0;
    for (size_t i = 0; i < intervals.count; i++) {
        struct graph_capture capture =
            read_capture(graphs, &intervals.items[order[i]], &nodes, place, &next);
        ARENA_PUSH(graphs->scratch, graphs->match.captures, count, graphs->capture_capacity) =
            capture;
    }
    graphs->match.capture_count = (uint32_t)count;
}
