// SPDX-License-Identifier: Apache-2.0
// Segment trees over the calls of a thread, see projection.h.
#include "analysis/breakdown/projection.h"

#include "base/search.h"

static void merge(struct projector *p, uint32_t into, uint32_t a, uint32_t b)
{
    p->call_end[into] = p->call_end[a] > p->call_end[b] ? p->call_end[a] : p->call_end[b];
    p->gpu_start[into] = p->gpu_start[a] < p->gpu_start[b] ? p->gpu_start[a] : p->gpu_start[b];
    p->gpu_end[into] = p->gpu_end[a] > p->gpu_end[b] ? p->gpu_end[a] : p->gpu_end[b];
    p->ops[into] = p->ops[a] + p->ops[b];
}

// Returns true if a call launched selected work, and the time extent of that work.
static bool call_extent(const struct profile *profile, const struct selection *selection,
                        uint32_t call, int64_t *start, int64_t *end)
{
    const struct api_calls *api = &profile->api;
    const struct gpu_work *work = &profile->work;
    bool is_found = false;
    struct row_span span = api_work(api, call);
    for (uint32_t i = span.first; i < span.end; i++) {
        uint32_t w = AT(api->work_rows, i);
        if (!selection_has_work(profile, selection, w))
            continue;
        if (!is_found || AT(work->start, w) < *start)
            *start = AT(work->start, w);
        if (!is_found || AT(work->end, w) > *end)
            *end = AT(work->end, w);
        is_found = true;
    }
    return is_found;
}

// Builds the segment tree over the `calls` calls of a thread that launched work.
static void projector_fill(struct projector *p, const struct profile *profile,
                           const struct selection *selection, const struct thread *thread,
                           uint32_t calls, struct arena *arena)
{
    p->size = 1;
    while (p->size < calls)
        p->size *= 2;
    p->call_start = ARENA_ARRAY(arena, int64_t, calls);
    p->call_end = ARENA_ARRAY(arena, int64_t, 2 * (size_t)p->size);
    p->gpu_start = ARENA_ARRAY(arena, int64_t, 2 * (size_t)p->size);
    p->gpu_end = ARENA_ARRAY(arena, int64_t, 2 * (size_t)p->size);
    p->ops = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)p->size);
    for (uint32_t call = thread->first_api; call < thread->end_api; call++) {
        uint32_t leaf = p->size + p->count;
        int64_t start, end;
        if (!call_extent(profile, selection, call, &start, &end))
            continue;
        p->call_start[p->count++] = AT(profile->api.start, call);
        p->call_end[leaf] = AT(profile->api.end, call);
        p->gpu_start[leaf] = start;
        p->gpu_end[leaf] = end;
        p->ops[leaf] = 1;
    }
    for (uint32_t leaf = p->size + p->count; leaf < 2 * p->size; leaf++) {
        p->call_end[leaf] = p->gpu_end[leaf] = INT64_MIN;
        p->gpu_start[leaf] = INT64_MAX;
    }
    for (uint32_t node = p->size; node-- > 1;)
        merge(p, node, 2 * node, 2 * node + 1);
}

struct projector *projectors_new(const struct profile *profile, const struct selection *selection,
                                 struct arena *arena)
{
    struct projector *projectors = ARENA_ARRAY(arena, struct projector, profile->thread_count + 1);
    if (!HAS(profile->api.first_work))
        return projectors;
    struct selection work_selection = *selection;
    work_selection.iterations = NULL;
    work_selection.node = work_selection.op = ROW_NONE;
    work_selection.op_type = STRING_NONE;
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        const struct thread *thread = &profile->threads[t];
        uint32_t calls = 0;
        int64_t start, end;
        for (uint32_t call = thread->first_api; call < thread->end_api; call++)
            calls += call_extent(profile, &work_selection, call, &start, &end);
        if (calls > 0)
            projector_fill(&projectors[t], profile, &work_selection, thread, calls, arena);
    }
    return projectors;
}

static void add_node(const struct projector *p, uint32_t node, struct projection *found)
{
    if (p->ops[node] == 0)
        return;
    if (found->ops == 0 || p->gpu_start[node] < found->start)
        found->start = p->gpu_start[node];
    if (found->ops == 0 || p->gpu_end[node] > found->end)
        found->end = p->gpu_end[node];
    found->ops += p->ops[node];
}

// Adds the calls below node `top` that end at or before `end`.
static void take_inside(const struct projector *p, uint32_t top, int64_t end,
                        struct projection *found)
{
    uint32_t stack[64];
    size_t depth = 0;
    stack[depth++] = top;
    while (depth > 0) {
        uint32_t node = stack[--depth];
        if (p->call_end[node] <= end) {
            add_node(p, node, found);
        } else if (node < p->size) {
            stack[depth++] = 2 * node;
            stack[depth++] = 2 * node + 1;
        }
    }
}

struct projection projector_find(const struct projector *projector, int64_t start, int64_t end)
{
    struct projection found = {0};
    const struct projector *p = projector;
    if (p->count == 0 || end < start)
        return found;
    // Calls [low, high) start inside; the few that end outside are skipped on the way.
    uint32_t low = search_from(p->call_start, 0, p->count, start) + p->size;
    uint32_t high = search_above(p->call_start, 0, p->count, end) + p->size;
    for (; low < high; low /= 2, high /= 2) {
        if (low & 1)
            take_inside(p, low++, end, &found);
        if (high & 1)
            take_inside(p, --high, end, &found);
    }
    return found;
}
