// SPDX-License-Identifier: Apache-2.0
// Walks the contents of each node of the backward graph and marks what is recomputed there.
#include "model/ops/reruns.h"

#include "base/parallel.h"
#include "model/markers/markers.h"
#include "model/ops/backward_pairs.h"

struct rerun_walk { // state while walking over the contents of a node, without nested nodes
    const struct profile *profile;
    uint32_t node;
    uint32_t end;       // end of the rows of its thread
    uint32_t last;      // last numbered row, or ROW_NONE
    int64_t python_end; // end of the last op with a Python marker
    bool has_forward;   // the op whose backward the node is occurs among the numbered rows
    bool is_python;     // and a Python marker is around it
    bool has_own;       // an op without a number follows the last number
};

static bool is_of_backward(const struct marker *marker)
{
    return marker->kind == MARKER_BACKWARD || marker->kind == MARKER_ENGINE;
}

// Returns the next row below the node, skipping nested nodes; ROW_NONE when there are no more.
static uint32_t next_below(const struct rerun_walk *walk, uint32_t row)
{
    const struct ranges *ranges = &walk->profile->ranges;
    int64_t skip_end = INT64_MIN;
    while (++row < walk->end) {
        uint32_t parent = AT(ranges->parent, row);
        if (range_is_cross_thread(ranges, row) || AT(ranges->start, row) < skip_end)
            continue;
        if (parent == ROW_NONE || parent < walk->node)
            return ROW_NONE;
        if (!is_of_backward(range_marker(walk->profile, row)))
            return row;
        skip_end = AT(ranges->end, row);
    }
    return ROW_NONE;
}

static void visit(struct rerun_walk *walk, uint32_t row)
{
    const struct profile *profile = walk->profile;
    const struct ranges *ranges = &profile->ranges;
    const struct marker *marker = range_marker(profile, row);
    if (marker->kind == MARKER_OP && marker->dialect == DIALECT_DLPROF) {
        if (walk->python_end < AT(ranges->end, row))
            walk->python_end = AT(ranges->end, row);
    } else if (range_seq(ranges, row) > 0) { // up to PyTorch 1.5 all in a backward has number 0
        walk->last = row;
        walk->has_own = false;
        if (backward_name_fits(profile, range_marker(profile, walk->node), marker)) {
            walk->has_forward = true;
            walk->is_python = AT(ranges->start, row) < walk->python_end;
        }
    } else if (marker->kind == MARKER_OP && AT(ranges->parent, row) == walk->node) {
        walk->has_own = walk->last != ROW_NONE;
    }
}

// Returns the last numbered row that is recomputed in the node; ROW_NONE when there is none.
static uint32_t find_last(struct rerun_walk *walk)
{
    for (uint32_t row = walk->node; (row = next_below(walk, row)) != ROW_NONE;)
        visit(walk, row);
    return walk->has_forward && (walk->has_own || walk->is_python) ? walk->last : ROW_NONE;
}

// Marks every row up to the last number, and their descendants.
static void mark(const struct rerun_walk *walk, uint8_t *reruns)
{
    const struct ranges *ranges = &walk->profile->ranges;
    for (uint32_t row = walk->node; (row = next_below(walk, row)) != ROW_NONE;)
        reruns[row] = row <= walk->last || reruns[AT(ranges->parent, row)];
}

struct rerun_job {
    const struct profile *profile;
    size_t parts;   // number of jobs that share the ranges
    uint8_t *found; // per range: 1 for a node with recomputed contents
    atomic_bool any;
};

static struct rerun_walk walk_open(const struct profile *profile, uint32_t node)
{
    uint32_t thread = range_thread(&profile->ranges, node);
    return (struct rerun_walk){.profile = profile,
                               .node = node,
                               .end = profile->threads[thread].end_range,
                               .last = ROW_NONE,
                               .python_end = INT64_MIN};
}

static void find_part(void *context, size_t part)
{
    struct rerun_job *job = context;
    const struct profile *profile = job->profile;
    const struct ranges *ranges = &profile->ranges;
    uint32_t end = (uint32_t)parallel_first(ranges->count, part + 1, job->parts);
    bool any = false;
    for (uint32_t row = (uint32_t)parallel_first(ranges->count, part, job->parts); row < end;
         row++) {
        const struct range_label *label = range_label(ranges, row);
        if (label->ending == RANGE_CROSS_THREAD ||
            profile->markers[label->marker].kind != MARKER_BACKWARD)
            continue;
        struct rerun_walk walk = walk_open(profile, row);
        job->found[row] = find_last(&walk) != ROW_NONE;
        any |= job->found[row];
    }
    if (any)
        atomic_store(&job->any, true);
}

uint8_t *reruns_find(const struct profile *profile, struct arena *arena)
{
    const struct ranges *ranges = &profile->ranges;
    if (!HAS(ranges->seq))
        return NULL;
    struct rerun_job job = {.profile = profile,
                            .parts = parallel_parts(ranges->count),
                            .found = ARENA_ARRAY(arena, uint8_t, ranges->count)};
    parallel_run(profile->workers, job.parts, find_part, &job);
    uint8_t *reruns = NULL;
    if (atomic_load(&job.any))
        reruns = ARENA_ARRAY(arena, uint8_t, ranges->count);
    // In row order: ranges that begin as one node ends may be claimed by two nodes.
    for (uint32_t row = 0; reruns && row < ranges->count; row++) {
        if (!job.found[row])
            continue;
        struct rerun_walk walk = walk_open(profile, row);
        find_last(&walk);
        mark(&walk, reruns);
    }
    ARENA_RELEASE(arena, job.found, ranges->count);
    return reruns;
}
