// SPDX-License-Identifier: Apache-2.0
// Adoption: who owns what autograd threads launch.
//
// backward() runs the graph's nodes on a thread of its own, on which no range of the user is open,
// while the calling thread waits inside one. A launch outside every range belongs to the innermost
// range open at that moment on another thread of its process, provided that this thread is the
// only one with an open range, or the only one of them that is blocked: it makes no CUDA call
// around that moment. Root ranges of autograd threads (their engine's and what libraries push
// there) are adopted by the same rule, and so are nodes of CUDA graphs that they captured, and what the
// executors of TensorFlow and XLA run.
//
// One sweep per process over its root ranges and the questions, both in order of time.
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "model/ops/tree_build.h"

enum {
    OPEN_LIMIT = 64,  // threads with an open range at one moment; above it nothing is adopted
    CALLS_AROUND = 8, // a blocked thread is silent while the other makes so many calls
};

enum asking { ASK_RANGE, ASK_CALL, ASK_GRAPH_NODE, ASKING_COUNT };

struct question {
    int64_t time;
    uint32_t row; // of what asks
    enum asking asking;
};

struct sweep {
    const struct profile *profile;
    struct arena *scratch;
    bool *is_autograd; // of each thread: runs nodes of the backward graph at its root
    uint32_t *cursor;  // of each thread: next range to open
    uint32_t *depth;   // of each thread: open ranges
    struct open_range {
        uint32_t row;
        int64_t end;
    } * stack;        // thread t has [first_range, end_range)
    uint32_t *listed; // threads that may have an open range
    size_t listed_count;
    bool *is_listed;
    int64_t *until; // of each thread: end of its root ranges so far
    struct question *questions;
    size_t question_count, question_capacity;
};

static bool is_graph_node(enum marker_kind kind)
{
    return kind == MARKER_ENGINE || kind == MARKER_BACKWARD;
}

// What a framework's executor runs on threads of its own while the program waits for it.
static bool is_of_executor(const struct marker *marker)
{
    return marker->kind != MARKER_LIBRARY &&
           (marker->dialect == DIALECT_TENSORFLOW || marker->dialect == DIALECT_XLA);
}

// A backward that says so itself, where nothing marks the graph's nodes.
static bool is_told_backward(const struct marker *marker)
{
    return marker->dialect == DIALECT_MEGATRON && marker->is_backward;
}

// What runs for the graph's nodes on their thread, also forward functions that run again.
static bool is_of_autograd(const struct sweep *sweep, const struct marker *marker, uint32_t thread)
{
    return sweep->is_autograd[thread] &&
           (marker->kind == MARKER_OP || marker->dialect == DIALECT_MEGATRON);
}

// Ranges that may adopt: not those of the backward graph, of executors or of libraries, nor what runs
// for the graph's nodes on their thread.
static bool may_adopt(const struct sweep *sweep, uint32_t range)
{
    const struct profile *profile = sweep->profile;
    const struct range_label *label = range_label(&profile->ranges, range);
    const struct marker *marker = &profile->markers[label->marker];
    enum marker_kind kind = marker->kind;
    if (label->ending == RANGE_AWAY || kind == MARKER_LIBRARY || !marker_is_place(kind) ||
        is_graph_node(kind) || is_of_executor(marker))
        return false;
    return !is_of_autograd(sweep, marker, label->thread);
}

// Of root ranges: those that look for an adopter.
static bool is_orphan(const struct sweep *sweep, uint32_t range)
{
    const struct profile *profile = sweep->profile;
    if (range_is_away(&profile->ranges, range))
        return false;
    const struct marker *marker = range_marker(profile, range);
    enum marker_kind kind = marker->kind;
    return kind == MARKER_LIBRARY || is_graph_node(kind) || is_of_executor(marker) ||
           is_of_autograd(sweep, marker, range_thread(&profile->ranges, range));
}

static uint32_t thread_of(const struct profile *profile, const struct question *question)
{
    return question->asking == ASK_RANGE  ? range_thread(&profile->ranges, question->row)
           : question->asking == ASK_CALL ? AT(profile->api.thread, question->row)
                                          : profile->graph_nodes.thread[question->row];
}

static void ask(struct sweep *sweep, int64_t time, uint32_t row, enum asking asking)
{
    struct question question = {time, row, asking};
    ARENA_PUSH(sweep->scratch, sweep->questions, sweep->question_count, sweep->question_capacity) =
        question;
}

static void collect(struct sweep *sweep)
{
    const struct profile *profile = sweep->profile;
    const struct ranges *ranges = &profile->ranges;
    const struct api_calls *api = &profile->api;
    for (uint32_t i = 0; i < ranges->count; i++) {
        const struct marker *marker = range_marker(profile, i);
        if (AT(ranges->parent, i) == ROW_NONE &&
            (is_graph_node(marker->kind) || is_told_backward(marker)))
            sweep->is_autograd[range_thread(ranges, i)] = true;
    }
    for (uint32_t i = 0; i < ranges->count; i++)
        if (AT(ranges->parent, i) == ROW_NONE && is_orphan(sweep, i))
            ask(sweep, AT(ranges->start, i), i, ASK_RANGE);
    for (uint32_t i = 0; i < api->count; i++)
        if (AT(api->range, i) == ROW_NONE && AT(api->first_work, i + 1) > AT(api->first_work, i))
            ask(sweep, AT(api->start, i), i, ASK_CALL);
    const struct graph_nodes *nodes = &profile->graph_nodes;
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->thread[i] != ROW_NONE && nodes->start[i] != UNKNOWN &&
            tree_range_at(profile, nodes->thread[i], nodes->start[i]) == ROW_NONE)
            ask(sweep, nodes->start[i], i, ASK_GRAPH_NODE);
}

// ---- which ranges are open ---------------------------------------------------------------------

static void list_thread(struct sweep *sweep, uint32_t thread, int64_t until)
{
    if (!sweep->is_listed[thread] || until > sweep->until[thread])
        sweep->until[thread] = until;
    if (!sweep->is_listed[thread]) {
        sweep->is_listed[thread] = true;
        sweep->listed[sweep->listed_count++] = thread;
    }
}

// The innermost range of a thread that is open at `time` and may adopt, or ROW_NONE. Times of one
// thread only grow.
static uint32_t innermost(struct sweep *sweep, uint32_t thread, int64_t time)
{
    const struct ranges *ranges = &sweep->profile->ranges;
    const struct thread *row = &sweep->profile->threads[thread];
    struct open_range *stack = sweep->stack + row->first_range;
    uint32_t *cursor = &sweep->cursor[thread], *depth = &sweep->depth[thread];
    for (; *cursor < row->end_range; ++*cursor) {
        int64_t start = AT(ranges->start, *cursor);
        if (start >= time)
            break;
        while (*depth && stack[*depth - 1].end <= start)
            --*depth;
        if (may_adopt(sweep, *cursor))
            stack[(*depth)++] = (struct open_range){*cursor, AT(ranges->end, *cursor)};
    }
    while (*depth && stack[*depth - 1].end <= time)
        --*depth;
    return *depth ? stack[*depth - 1].row : ROW_NONE;
}

// First API call of a thread that starts at or after `time`.
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

// Whether `other` makes no CUDA call while the asking thread makes its calls before or after the
// moment. One side is enough: at the edges of a burst the other side is long ago.
static bool is_blocked(const struct profile *profile, const struct question *question,
                       uint32_t other)
{
    const struct thread *asking = &profile->threads[thread_of(profile, question)];
    const struct thread *waiting = &profile->threads[other];
    if (asking->first_api == asking->end_api)
        return is_silent(profile, waiting, question->time, question->time);
    uint32_t at = call_at(profile, asking, question->time);
    uint32_t first = at - asking->first_api > CALLS_AROUND ? at - CALLS_AROUND : asking->first_api;
    uint32_t last = asking->end_api - at > CALLS_AROUND ? at + CALLS_AROUND : asking->end_api - 1;
    int64_t from = first < asking->end_api && AT(profile->api.start, first) < question->time
                       ? AT(profile->api.start, first)
                       : question->time;
    int64_t to =
        AT(profile->api.end, last) > question->time ? AT(profile->api.end, last) : question->time;
    return is_silent(profile, waiting, from, question->time) ||
           is_silent(profile, waiting, question->time, to);
}

static uint32_t answer(struct sweep *sweep, const struct question *question)
{
    uint32_t open[OPEN_LIMIT], ranges[OPEN_LIMIT];
    size_t count = 0;
    uint32_t asking = thread_of(sweep->profile, question);
    for (size_t i = 0; i < sweep->listed_count;) {
        uint32_t thread = sweep->listed[i];
        uint32_t range = thread == asking ? ROW_NONE : innermost(sweep, thread, question->time);
        if (range != ROW_NONE) {
            if (count == OPEN_LIMIT)
                return ROW_NONE;
            open[count] = thread;
            ranges[count++] = range;
        }
        if (sweep->until[thread] <= question->time) {
            sweep->is_listed[thread] = false; // until its next root range
            sweep->listed[i] = sweep->listed[--sweep->listed_count];
            continue;
        }
        i++;
    }
    if (count <= 1)
        return count ? ranges[0] : ROW_NONE;
    uint32_t found = ROW_NONE;
    for (size_t i = 0; i < count; i++) {
        if (!is_blocked(sweep->profile, question, open[i]))
            continue;
        if (found != ROW_NONE)
            return ROW_NONE;
        found = ranges[i];
    }
    return found;
}

// ---- per process, in order of time -------------------------------------------------------------

struct events { // sort keys of questions
    const struct profile *profile;
    const struct question *questions;
};

struct root { // a range in no other one
    uint32_t row, process;
    int64_t start;
};

static int compare_questions(const void *context, uint32_t a, uint32_t b)
{
    const struct events *events = context;
    const struct question *x = &events->questions[a], *y = &events->questions[b];
    uint32_t p = events->profile->threads[thread_of(events->profile, x)].process;
    uint32_t q = events->profile->threads[thread_of(events->profile, y)].process;
    if (p != q)
        return p < q ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

static int compare_roots(const void *context, uint32_t a, uint32_t b)
{
    const struct root *roots = context, *x = &roots[a], *y = &roots[b];
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

struct adoption adoption_find(const struct profile *profile, struct arena *scratch)
{
    struct adoption adoption = {NULL, NULL, NULL};
    const struct ranges *ranges = &profile->ranges;
    struct sweep sweep = {.profile = profile, .scratch = scratch};
    sweep.is_autograd = ARENA_ARRAY(scratch, bool, profile->thread_count);
    collect(&sweep);
    if (!sweep.question_count || !ranges->count)
        return adoption;
    sweep.cursor = ARENA_ARRAY(scratch, uint32_t, profile->thread_count);
    sweep.depth = ARENA_ARRAY(scratch, uint32_t, profile->thread_count);
    sweep.stack = ARENA_ARRAY(scratch, struct open_range, ranges->count);
    sweep.listed = ARENA_ARRAY(scratch, uint32_t, profile->thread_count);
    sweep.is_listed = ARENA_ARRAY(scratch, bool, profile->thread_count);
    sweep.until = ARENA_ARRAY(scratch, int64_t, profile->thread_count);
    for (uint32_t t = 0; t < profile->thread_count; t++)
        sweep.cursor[t] = profile->threads[t].first_range;
    // Of few rows: the pages of the others are never touched.
    adoption.of_range = ARENA_ARRAY(scratch, uint32_t, ranges->count);
    adoption.of_call = ARENA_ARRAY(scratch, uint32_t, profile->api.count);
    adoption.of_graph_node = ARENA_ARRAY(scratch, uint32_t, profile->graph_nodes.count);
    uint32_t *const adopters[ASKING_COUNT] = {adoption.of_range, adoption.of_call,
                                              adoption.of_graph_node};

    struct events events = {profile, sweep.questions};
    struct root *roots = NULL;
    size_t root_count = 0, root_capacity = 0;
    for (uint32_t i = 0; i < ranges->count; i++) {
        if (AT(ranges->parent, i) != ROW_NONE || range_is_away(ranges, i))
            continue;
        uint32_t process = profile->threads[range_thread(ranges, i)].process;
        ARENA_PUSH(scratch, roots, root_count, root_capacity) =
            (struct root){i, process, AT(ranges->start, i)};
    }
    uint32_t *root_order = ARENA_ARRAY(scratch, uint32_t, root_count);
    for (uint32_t i = 0; i < root_count; i++)
        root_order[i] = i;
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, sweep.question_count);
    for (uint32_t i = 0; i < sweep.question_count; i++)
        order[i] = i;
    sort_ids(root_order, root_count, compare_roots, roots, scratch);
    sort_ids(order, sweep.question_count, compare_questions, &events, scratch);

    uint32_t process = ROW_NONE;
    size_t next = 0;
    for (size_t i = 0; i < sweep.question_count; i++) {
        const struct question *question = &sweep.questions[order[i]];
        uint32_t of = profile->threads[thread_of(profile, question)].process;
        if (of != process) {
            process = of;
            sweep.listed_count = 0;
        }
        for (; next < root_count; next++) {
            const struct root *root = &roots[root_order[next]];
            if (root->process > process ||
                (root->process == process && root->start >= question->time))
                break;
            if (root->process == process)
                list_thread(&sweep, range_thread(ranges, root->row), AT(ranges->end, root->row));
        }
        uint32_t adopter = answer(&sweep, question);
        if (adopter != ROW_NONE)
            adopters[question->asking][question->row] = adopter + 1;
    }
    ARENA_RELEASE(scratch, sweep.stack, ranges->count);
    ARENA_RELEASE(scratch, sweep.questions, sweep.question_capacity);
    ARENA_RELEASE(scratch, roots, root_capacity);
    ARENA_RELEASE(scratch, root_order, root_count);
    ARENA_RELEASE(scratch, order, sweep.question_count);
    return adoption;
}
