// SPDX-License-Identifier: Apache-2.0
// Adoption: finds the range to which work launched by autograd threads belongs.
//
// Terms:
// - orphan: a launch, root range or captured graph node on a thread that runs on behalf of another
//   one, which waits. backward() runs the graph's nodes on such a thread, outside of all ranges of
//   the program, while the thread that called it waits inside one;
// - adopter: the range of the waiting thread to which the orphan belongs;
// - root range: a range without a parent.
//
// The adopter is the innermost range that is open when the orphan begins, on another thread of the
// process. If several threads have an open range, exactly one of them must be blocked: it makes no
// CUDA call while the orphan's thread makes its calls. Otherwise the orphan is not adopted.
// Orphans are launches outside every range, root ranges of autograd threads, nodes of CUDA graphs
// that were captured there, and ranges of the executors of TensorFlow and XLA.
//
// Each orphan is a query. One sweep per process visits root ranges and queries in order of time.
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "model/ops/tree_build.h"

enum {
    OPEN_LIMIT = 64,  // if more threads have an open range, the orphan is not adopted
    CALLS_AROUND = 8, // a blocked thread makes no call while the orphan's makes this many
};

enum orphan_kind { ORPHAN_RANGE, ORPHAN_CALL, ORPHAN_GRAPH_NODE, ORPHAN_KINDS };

struct adoption_query {
    int64_t time;
    uint32_t row; // of the table that `orphan` names
    enum orphan_kind orphan;
};

struct adoption_sweep {
    const struct profile *profile;
    struct arena *scratch;
    bool *is_autograd; // per thread: runs nodes of the backward graph as root ranges
    uint32_t *cursor;  // per thread: next range to open
    uint32_t *depth;   // per thread: number of open ranges
    struct swept_range {
        uint32_t row;
        int64_t end;
    } * stack;                // thread t uses [first_range, end_range)
    uint32_t *active_threads; // threads that may have an open range
    size_t active_count;
    bool *is_active;
    int64_t *roots_end; // per thread: latest end of its root ranges so far
    struct adoption_query *queries;
    size_t query_count, query_capacity;
};

static bool is_graph_node(enum marker_kind kind)
{
    return kind == MARKER_ENGINE || kind == MARKER_BACKWARD;
}

// Returns whether the marker belongs to a framework's executor, which runs on its own threads while
// the program waits.
static bool is_of_executor(const struct marker *marker)
{
    return marker->kind != MARKER_LIBRARY &&
           (marker->dialect == DIALECT_TENSORFLOW || marker->dialect == DIALECT_XLA);
}

// Returns whether a marker itself names a backward; used where no markers show the nodes of the
// graph.
static bool is_named_backward(const struct marker *marker)
{
    return marker->dialect == DIALECT_MEGATRON && marker->is_backward;
}

// Returns whether a range runs on behalf of the graph's nodes on their thread, including recomputed
// forward functions.
static bool is_of_autograd(const struct adoption_sweep *sweep, const struct marker *marker,
                           uint32_t thread)
{
    return sweep->is_autograd[thread] &&
           (marker->kind == MARKER_OP || marker->dialect == DIALECT_MEGATRON);
}

// Returns whether a range may adopt: it must not belong to the backward graph, an executor or a
// library, nor run on behalf of the graph's nodes.
static bool may_adopt(const struct adoption_sweep *sweep, uint32_t range)
{
    const struct profile *profile = sweep->profile;
    const struct range_label *label = range_label(&profile->ranges, range);
    const struct marker *marker = &profile->markers[label->marker];
    enum marker_kind kind = marker->kind;
    if (label->ending == RANGE_CROSS_THREAD || kind == MARKER_LIBRARY || !marker_is_place(kind) ||
        is_graph_node(kind) || is_of_executor(marker))
        return false;
    return !is_of_autograd(sweep, marker, label->thread);
}

// Returns whether a root range needs an adopter.
static bool is_orphan(const struct adoption_sweep *sweep, uint32_t range)
{
    const struct profile *profile = sweep->profile;
    if (range_is_cross_thread(&profile->ranges, range))
        return false;
    const struct marker *marker = range_marker(profile, range);
    enum marker_kind kind = marker->kind;
    return kind == MARKER_LIBRARY || is_graph_node(kind) || is_of_executor(marker) ||
           is_of_autograd(sweep, marker, range_thread(&profile->ranges, range));
}

static uint32_t thread_of(const struct profile *profile, const struct adoption_query *query)
{
    return query->orphan == ORPHAN_RANGE  ? range_thread(&profile->ranges, query->row)
           : query->orphan == ORPHAN_CALL ? AT(profile->api.thread, query->row)
                                          : profile->graph_nodes.thread[query->row];
}

static void add_query(struct adoption_sweep *sweep, int64_t time, uint32_t row,
                      enum orphan_kind orphan)
{
    struct adoption_query query = {time, row, orphan};
    ARENA_PUSH(sweep->scratch, sweep->queries, sweep->query_count, sweep->query_capacity) = query;
}

static void collect(struct adoption_sweep *sweep)
{
    const struct profile *profile = sweep->profile;
    const struct ranges *ranges = &profile->ranges;
    const struct api_calls *api = &profile->api;
    for (uint32_t i = 0; i < ranges->count; i++) {
        const struct marker *marker = range_marker(profile, i);
        if (AT(ranges->parent, i) == ROW_NONE &&
            (is_graph_node(marker->kind) || is_named_backward(marker)))
            sweep->is_autograd[range_thread(ranges, i)] = true;
    }
    for (uint32_t i = 0; i < ranges->count; i++)
        if (AT(ranges->parent, i) == ROW_NONE && is_orphan(sweep, i))
            add_query(sweep, AT(ranges->start, i), i, ORPHAN_RANGE);
    for (uint32_t i = 0; i < api->count; i++)
        if (AT(api->range, i) == ROW_NONE && AT(api->first_work, i + 1) > AT(api->first_work, i))
            add_query(sweep, AT(api->start, i), i, ORPHAN_CALL);
    const struct graph_nodes *nodes = &profile->graph_nodes;
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->thread[i] != ROW_NONE && nodes->start[i] != UNKNOWN &&
            tree_range_at(profile, nodes->thread[i], nodes->start[i]) == ROW_NONE)
            add_query(sweep, nodes->start[i], i, ORPHAN_GRAPH_NODE);
}

// ---- which ranges are open ---------------------------------------------------------------------

static void activate_thread(struct adoption_sweep *sweep, uint32_t thread, int64_t root_end)
{
    if (!sweep->is_active[thread] || root_end > sweep->roots_end[thread])
        sweep->roots_end[thread] = root_end;
    if (!sweep->is_active[thread]) {
        sweep->is_active[thread] = true;
        sweep->active_threads[sweep->active_count++] = thread;
    }
}

// Returns the innermost range of a thread that is open at `time` and may adopt, or ROW_NONE. Times
// passed for one thread must not decrease.
static uint32_t innermost_open(struct adoption_sweep *sweep, uint32_t thread, int64_t time)
{
    const struct ranges *ranges = &sweep->profile->ranges;
    const struct thread *row = &sweep->profile->threads[thread];
    struct swept_range *stack = sweep->stack + row->first_range;
    uint32_t *cursor = &sweep->cursor[thread], *depth = &sweep->depth[thread];
    for (; *cursor < row->end_range; ++*cursor) {
        int64_t start = AT(ranges->start, *cursor);
        if (start >= time)
            break;
        while (*depth && stack[*depth - 1].end <= start)
            --*depth;
        if (may_adopt(sweep, *cursor))
            stack[(*depth)++] = (struct swept_range){*cursor, AT(ranges->end, *cursor)};
    }
    while (*depth && stack[*depth - 1].end <= time)
        --*depth;
    return *depth ? stack[*depth - 1].row : ROW_NONE;
}

// Returns the first API call of a thread that starts at or after `time`.
static uint32_t call_at(const struct profile *profile, const struct thread *thread, int64_t time)
{
    return column_from(profile->api.start, thread->first_api, thread->end_api, time);
}

static bool is_silent(const struct profile *profile, const struct thread *thread, int64_t from,
                      int64_t to)
{
    uint32_t next = call_at(profile, thread, from);
    if (next < thread->end_api && AT(profile->api.start, next) <= to)
        return false;
    return next == thread->first_api || AT(profile->api.end, next - 1) <= from;
}

// Returns whether the thread `other` makes no CUDA call while the orphan's thread makes its last
// CALLS_AROUND calls before the query's time, or the next ones after it. One of the two is enough:
// if the orphan is the first or the last call of a burst, the other calls may be far away in time.
static bool is_blocked(const struct profile *profile, const struct adoption_query *query,
                       uint32_t other)
{
    const struct thread *orphan = &profile->threads[thread_of(profile, query)];
    const struct thread *waiting = &profile->threads[other];
    if (orphan->first_api == orphan->end_api)
        return is_silent(profile, waiting, query->time, query->time);
    uint32_t at = call_at(profile, orphan, query->time);
    uint32_t first = at - orphan->first_api > CALLS_AROUND ? at - CALLS_AROUND : orphan->first_api;
    uint32_t last = orphan->end_api - at > CALLS_AROUND ? at + CALLS_AROUND : orphan->end_api - 1;
    int64_t from = first < orphan->end_api && AT(profile->api.start, first) < query->time
                       ? AT(profile->api.start, first)
                       : query->time;
    int64_t to =
        AT(profile->api.end, last) > query->time ? AT(profile->api.end, last) : query->time;
    return is_silent(profile, waiting, from, query->time) ||
           is_silent(profile, waiting, query->time, to);
}

static uint32_t find_adopter(struct adoption_sweep *sweep, const struct adoption_query *query)
{
    uint32_t open[OPEN_LIMIT], ranges[OPEN_LIMIT];
    size_t count = 0;
    uint32_t orphan = thread_of(sweep->profile, query);
    for (size_t i = 0; i < sweep->active_count;) {
        uint32_t thread = sweep->active_threads[i];
        uint32_t range = thread == orphan ? ROW_NONE : innermost_open(sweep, thread, query->time);
        if (range != ROW_NONE) {
            if (count == OPEN_LIMIT)
                return ROW_NONE;
            open[count] = thread;
            ranges[count++] = range;
        }
        if (sweep->roots_end[thread] <= query->time) {
            sweep->is_active[thread] = false; // until its next root range
            sweep->active_threads[i] = sweep->active_threads[--sweep->active_count];
            continue;
        }
        i++;
    }
    if (count <= 1)
        return count ? ranges[0] : ROW_NONE;
    uint32_t found = ROW_NONE;
    for (size_t i = 0; i < count; i++) {
        if (!is_blocked(sweep->profile, query, open[i]))
            continue;
        if (found != ROW_NONE)
            return ROW_NONE;
        found = ranges[i];
    }
    return found;
}

// ---- one process after the other, in order of time ---------------------------------------------

struct query_context { // context of the sort
    const struct profile *profile;
    const struct adoption_query *queries;
};

struct root_range { // a range without a parent
    uint32_t row, process;
    int64_t start;
};

static int compare_queries(const void *context, uint32_t a, uint32_t b)
{
    const struct query_context *events = context;
    const struct adoption_query *x = &events->queries[a], *y = &events->queries[b];
    uint32_t p = events->profile->threads[thread_of(events->profile, x)].process;
    uint32_t q = events->profile->threads[thread_of(events->profile, y)].process;
    if (p != q)
        return p < q ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

static int compare_roots(const void *context, uint32_t a, uint32_t b)
{
    const struct root_range *roots = context, *x = &roots[a], *y = &roots[b];
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

struct adoption adoption_find(const struct profile *profile, struct arena *scratch)
{
    struct adoption adoption = {NULL, NULL, NULL};
    const struct ranges *ranges = &profile->ranges;
    struct adoption_sweep sweep = {.profile = profile, .scratch = scratch};
    sweep.is_autograd = ARENA_ARRAY(scratch, bool, profile->thread_count);
    collect(&sweep);
    if (!sweep.query_count || !ranges->count)
        return adoption;
    sweep.cursor = ARENA_ARRAY(scratch, uint32_t, profile->thread_count);
    sweep.depth = ARENA_ARRAY(scratch, uint32_t, profile->thread_count);
    sweep.stack = ARENA_ARRAY(scratch, struct swept_range, ranges->count);
    sweep.active_threads = ARENA_ARRAY(scratch, uint32_t, profile->thread_count);
    sweep.is_active = ARENA_ARRAY(scratch, bool, profile->thread_count);
    sweep.roots_end = ARENA_ARRAY(scratch, int64_t, profile->thread_count);
    for (uint32_t t = 0; t < profile->thread_count; t++)
        sweep.cursor[t] = profile->threads[t].first_range;
    // Large but cheap: the arena's pages are zero, and few of them are written.
    adoption.of_range = ARENA_ARRAY(scratch, uint32_t, ranges->count);
    adoption.of_call = ARENA_ARRAY(scratch, uint32_t, profile->api.count);
    adoption.of_graph_node = ARENA_ARRAY(scratch, uint32_t, profile->graph_nodes.count);
    uint32_t *const adopters[ORPHAN_KINDS] = {adoption.of_range, adoption.of_call,
                                              adoption.of_graph_node};

    struct query_context events = {profile, sweep.queries};
    struct root_range *roots = NULL;
    size_t root_count = 0, root_capacity = 0;
    for (uint32_t i = 0; i < ranges->count; i++) {
        if (AT(ranges->parent, i) != ROW_NONE || range_is_cross_thread(ranges, i))
            continue;
        uint32_t process = profile->threads[range_thread(ranges, i)].process;
        ARENA_PUSH(scratch, roots, root_count, root_capacity) =
            (struct root_range){i, process, AT(ranges->start, i)};
    }
    uint32_t *root_order = ARENA_ARRAY(scratch, uint32_t, root_count);
    for (uint32_t i = 0; i < root_count; i++)
        root_order[i] = i;
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, sweep.query_count);
    for (uint32_t i = 0; i < sweep.query_count; i++)
        order[i] = i;
    sort_ids(root_order, root_count, compare_roots, roots, scratch);
    sort_ids(order, sweep.query_count, compare_queries, &events, scratch);

    uint32_t process = ROW_NONE;
    size_t next = 0;
    for (size_t i = 0; i < sweep.query_count; i++) {
        const struct adoption_query *query = &sweep.queries[order[i]];
        uint32_t query_process = profile->threads[thread_of(profile, query)].process;
        if (query_process != process) {
            process = query_process;
            sweep.active_count = 0;
        }
        for (; next < root_count; next++) {
            const struct root_range *root = &roots[root_order[next]];
            if (root->process > process || (root->process == process && root->start >= query->time))
                break;
            if (root->process == process)
                activate_thread(&sweep, range_thread(ranges, root->row),
                                AT(ranges->end, root->row));
        }
        uint32_t adopter = find_adopter(&sweep, query);
        if (adopter != ROW_NONE)
            adopters[query->orphan][query->row] = adopter + 1;
    }
    ARENA_RELEASE(scratch, sweep.stack, ranges->count);
    ARENA_RELEASE(scratch, sweep.queries, sweep.query_capacity);
    ARENA_RELEASE(scratch, roots, root_capacity);
    ARENA_RELEASE(scratch, root_order, root_count);
    ARENA_RELEASE(scratch, order, sweep.query_count);
    return adoption;
}
