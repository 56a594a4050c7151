// SPDX-License-Identifier: Apache-2.0
// Walks the ranges inside each node of the backward graph and marks those that are recomputed
// there. A row is numbered if its range has a sequence number of autograd; the rules that are
// applied to these numbers are explained in reruns.h.
#include "model/ops/reruns.h"

#include "base/parallel.h"
#include "model/markers/markers.h"
#include "model/ops/backward_pairs.h"

struct rerun_walk { // state of a walk over the ranges inside a node, except inside nested nodes
    const struct profile *profile;
    uint32_t node;
    uint32_t end;        // end of the rows of its thread
    uint32_t last;       // last numbered row, or ROW_NONE
    int64_t python_end;  // end of the last op with a Python marker
    bool has_forward;    // a numbered row is the op whose backward the node is
    bool is_python;      // this row is inside a Python marker
    bool has_unnumbered; // an op without a number follows the last numbered row
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

static void visit_row(struct rerun_walk *walk, uint32_t row)
{
    const struct profile *profile = walk->profile;
    const struct ranges *ranges = &profile->ranges;
    const struct marker *marker = range_marker(profile, row);
    if (marker->kind == MARKER_OP && marker->dialect == DIALECT_DLPROF) {
        if (walk->python_end < AT(ranges->end, row))
            walk->python_end = AT(ranges->end, row);
    } else if (range_seq(ranges, row) > 0) { // up to PyTorch 1.5 all in a backward has number 0
        walk->last = row;
        walk->has_unnumbered = false;
        if (backward_name_fits(profile, range_marker(profile, walk->node), marker)) {
            walk->has_forward = true;
            walk->is_python = AT(ranges->start, row) < walk->python_end;
        }
    } else if (marker->kind == MARKER_OP && AT(ranges->parent, row) == walk->node) {
        walk->has_unnumbered = walk->last != ROW_NONE;
    }
}

// Walks over the node. Returns the last recomputed row, which is the last numbered one, or ROW_NONE
// if the node recomputes nothing.
static uint32_t find_last(struct rerun_walk *walk)
{
    for (uint32_t row = walk->node; (row = next_below(walk, row)) != ROW_NONE;)
        visit_row(walk, row);
    return walk->has_forward && (walk->has_unnumbered || walk->is_python) ? walk->last : ROW_NONE;
}

// Marks every row of the node up to the last numbered one, and the ranges inside that one.
static void mark_rows(const struct rerun_walk *walk, uint8_t *reruns)
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
    // Sequentially, since two nodes may mark the same row: a range that begins as one node ends.
    for (uint32_t row = 0; reruns && row < ranges->count; row++) {
        if (!job.found[row])
            continue;
        struct rerun_walk walk = walk_open(profile, row);
        find_last(&walk);
        mark_rows(&walk, reruns);
    }
    ARENA_RELEASE(arena, job.found, ranges->count);
    return reruns;
}
