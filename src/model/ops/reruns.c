// SPDX-License-Identifier: Apache-2.0
#include "model/ops/reruns.h"

#include "base/parallel.h"
#include "model/markers/markers.h"
#include "model/ops/backward_pairs.h"

struct looking { // at what lies in a node and in no other node in it
    const struct profile *profile;
    uint32_t node;
    uint32_t end;       // of the rows of its thread
    uint32_t last;      // of what is numbered; ROW_NONE
    int64_t python_end; // of the last op with a marker of Python's
    bool has_forward;   // what the node is the backward of is among what is numbered,
    bool is_python;     // and called from Python
    bool has_own;       // behind the last number an op without one
};

static bool is_of_backward(const struct marker *marker)
{
    return marker->kind == MARKER_BACKWARD || marker->kind == MARKER_ENGINE;
}

// The next row below the node, where those of nodes within it are passed over; ROW_NONE: that was all.
static uint32_t next_below(const struct looking *looking, uint32_t row)
{
    const struct ranges *ranges = &looking->profile->ranges;
    int64_t skip_end = INT64_MIN;
    while (++row < looking->end) {
        uint32_t parent = AT(ranges->parent, row);
        if (range_is_away(ranges, row) || AT(ranges->start, row) < skip_end)
            continue;
        if (parent == ROW_NONE || parent < looking->node)
            return ROW_NONE;
        if (!is_of_backward(range_marker(looking->profile, row)))
            return row;
        skip_end = AT(ranges->end, row);
    }
    return ROW_NONE;
}

static void look_at(struct looking *looking, uint32_t row)
{
    const struct profile *profile = looking->profile;
    const struct ranges *ranges = &profile->ranges;
    const struct marker *marker = range_marker(profile, row);
    if (marker->kind == MARKER_OP && marker->dialect == DIALECT_DLPROF) {
        if (looking->python_end < AT(ranges->end, row))
            looking->python_end = AT(ranges->end, row);
    } else if (range_seq(ranges, row) > 0) { // up to PyTorch 1.5 all in a backward has number 0
        looking->last = row;
        looking->has_own = false;
        if (backward_name_fits(profile, range_marker(profile, looking->node), marker)) {
            looking->has_forward = true;
            looking->is_python = AT(ranges->start, row) < looking->python_end;
        }
    } else if (marker->kind == MARKER_OP && AT(ranges->parent, row) == looking->node) {
        looking->has_own = looking->last != ROW_NONE;
    }
}

// The last numbered row of what is run again in a node; ROW_NONE: nothing is.
static uint32_t find_last(struct looking *looking)
{
    for (uint32_t row = looking->node; (row = next_below(looking, row)) != ROW_NONE;)
        look_at(looking, row);
    return looking->has_forward && (looking->has_own || looking->is_python) ? looking->last
                                                                            : ROW_NONE;
}

// All that begins before the last number, and what lies in that.
static void mark(const struct looking *looking, uint8_t *reruns)
{
    const struct ranges *ranges = &looking->profile->ranges;
    for (uint32_t row = looking->node; (row = next_below(looking, row)) != ROW_NONE;)
        reruns[row] = row <= looking->last || reruns[AT(ranges->parent, row)];
}

struct finding {
    const struct profile *profile;
    size_t parts;   // of the ranges
    uint8_t *found; // by range: 1 for a node in which something is run again
    atomic_bool any;
};

static struct looking looking_at(const struct profile *profile, uint32_t node)
{
    uint32_t thread = range_thread(&profile->ranges, node);
    return (struct looking){.profile = profile,
                            .node = node,
                            .end = profile->threads[thread].end_range,
                            .last = ROW_NONE,
                            .python_end = INT64_MIN};
}

static void find_part(void *context, size_t part)
{
    struct finding *finding = context;
    const struct profile *profile = finding->profile;
    const struct ranges *ranges = &profile->ranges;
    uint32_t end = (uint32_t)parallel_first(ranges->count, part + 1, finding->parts);
    bool any = false;
    for (uint32_t row = (uint32_t)parallel_first(ranges->count, part, finding->parts); row < end;
         row++) {
        const struct range_label *label = range_label(ranges, row);
        if (label->ending == RANGE_AWAY || profile->markers[label->marker].kind != MARKER_BACKWARD)
            continue;
        struct looking looking = looking_at(profile, row);
        finding->found[row] = find_last(&looking) != ROW_NONE;
        any |= finding->found[row];
    }
    if (any)
        atomic_store(&finding->any, true);
}

uint8_t *reruns_find(const struct profile *profile, struct arena *arena)
{
    const struct ranges *ranges = &profile->ranges;
    if (!HAS(ranges->seq))
        return NULL;
    struct finding finding = {.profile = profile,
                              .parts = parallel_parts(ranges->count),
                              .found = ARENA_ARRAY(arena, uint8_t, ranges->count)};
    parallel_run(profile->workers, finding.parts, find_part, &finding);
    uint8_t *reruns = NULL;
    if (atomic_load(&finding.any))
        reruns = ARENA_ARRAY(arena, uint8_t, ranges->count);
    // In their order: ranges that begin as a node ends may be taken for those of two.
    for (uint32_t row = 0; reruns && row < ranges->count; row++) {
        if (!finding.found[row])
            continue;
        struct looking looking = looking_at(profile, row);
        find_last(&looking);
        mark(&looking, reruns);
    }
    ARENA_RELEASE(arena, finding.found, ranges->count);
    return reruns;
}
