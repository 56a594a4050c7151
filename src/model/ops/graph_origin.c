// SPDX-License-Identifier: Apache-2.0
// Finds the range in which the graph node of a piece of work was captured. nsys records the node of
// each piece of work, and for each node when and by which thread it was created. For a trace of the
// PyTorch Profiler, graph_match.h finds the capturing call.
//
// An instantiated graph is a clone: its nodes refer to the original nodes, possibly in several
// steps (a chain of clones).
#include "base/scratch.h"
#include "base/search.h"
#include "model/ops/tree_build.h"

enum {
    HOPS = 64,          // maximum length of a chain of clones
    MAX_SKIPPED = 4096, // ranges that may cross threads skipped in one look-up
};

// Returns the first row of a node id; several processes may use the same id.
static uint32_t find_row(const struct graph_nodes *rows, int64_t node)
{
    return search_from(rows->node, 0, rows->count, node);
}

static uint32_t process_of(const struct profile *profile, uint32_t row)
{
    uint32_t thread = profile->graph_nodes.thread[row];
    return thread == ROW_NONE ? ROW_NONE : profile->threads[thread].process;
}

// Returns the row of a node id in a process; if there is none, the first row without a thread, or
// ROW_NONE.
static uint32_t row_of(const struct profile *profile, int64_t node, uint32_t process)
{
    const struct graph_nodes *rows = &profile->graph_nodes;
    uint32_t unnamed = ROW_NONE;
    for (uint32_t i = find_row(rows, node), tried = 0;
         i < rows->count && rows->node[i] == node && tried < 4096; i++, tried++) {
        uint32_t owner = process_of(profile, i);
        if (owner == process)
            return i;
        if (owner == ROW_NONE && unnamed == ROW_NONE)
            unnamed = i;
    }
    return unnamed;
}

uint32_t tree_range_at(const struct profile *profile, uint32_t row, int64_t time)
{
    const struct ranges *ranges = &profile->ranges;
    const struct thread *thread = &profile->threads[row];
    uint32_t low = column_above(ranges->start, thread->first_range, thread->end_range, time);
    for (int skipped = 0; low > thread->first_range && range_is_cross_thread(ranges, low - 1) &&
                          skipped < MAX_SKIPPED;
         skipped++)
        low--; // may cross threads: neither has a parent nor is one
    // If any range is open, it is the last one that started before `time`, or an ancestor of it.
    for (uint32_t range = low > thread->first_range ? low - 1 : ROW_NONE; range != ROW_NONE;
         range = AT(ranges->parent, range))
        if (AT(ranges->end, range) >= time && !range_is_cross_thread(ranges, range))
            return range;
    return ROW_NONE;
}

// Returns the range in which a graph node was captured; ROW_NONE when the capture is unknown.
static uint32_t node_range(struct graph_origins *origins, int64_t node, uint32_t process)
{
    struct id_key key = {.a = (uint64_t)node, .b = process};
    uint32_t *slot = id_map_slot(&origins->known, key);
    if (*slot)
        return *slot - 2; // ROW_NONE is stored as 1
    const struct profile *profile = origins->profile;
    const struct graph_nodes *rows = &profile->graph_nodes;
    uint32_t row = row_of(profile, node, process), found = ROW_NONE;
    for (int hop = 0; row != ROW_NONE && hop < HOPS; hop++) {
        // A clone may be created in another range. So the last node of the chain that was created
        // in a range is used.
        if (rows->thread[row] != ROW_NONE && rows->start[row] != UNKNOWN) {
            uint32_t range = tree_range_at(profile, rows->thread[row], rows->start[row]);
            if (range == ROW_NONE && origins->adopters)
                range = origins->adopters[row] - 1; // 0 becomes ROW_NONE
            if (range != ROW_NONE)
                found = range;
        }
        if (!rows->original || rows->original[row] == 0 || rows->original[row] == rows->node[row])
            break;
        row = row_of(profile, rows->original[row], process);
    }
    *slot = found + 2;
    return found;
}

uint32_t graph_origin(struct graph_origins *origins, uint32_t work)
{
    const struct profile *profile = origins->profile;
    const struct gpu_work *all = &profile->work;
    uint32_t call = HAS(all->capture) ? AT(all->capture, work) : ROW_NONE;
    if (call != ROW_NONE)
        return AT(profile->api.range, call);
    int64_t node = HAS(all->graph_node) ? AT(all->graph_node, work) : 0;
    if (!node || !profile->graph_nodes.count)
        return ROW_NONE;
    return node_range(origins, node, work_process(profile, work));
}

static void find_origins(void *context, struct arena *scratch)
{
    struct profile *profile = context;
    uint32_t count = profile->work.count, found = 0;
    struct graph_origins origins = {.profile = profile, .known = {.arena = scratch}};
    uint32_t *origin = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        origin[i] = graph_origin(&origins, i);
        found += origin[i] != ROW_NONE;
    }
    if (found)
        profile->work.origin = profile_pack32(profile, origin, count);
}

void graph_origins_find(struct profile *profile)
{
    if ((HAS(profile->work.capture) && HAS(profile->api.range)) || profile->graph_nodes.count)
        scratch_run(profile->arena, find_origins, profile);
}
