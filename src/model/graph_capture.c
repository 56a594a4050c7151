// SPDX-License-Identifier: Apache-2.0
// Work of replayed CUDA graphs: the replay owns its time, the capture gives its layer.
//
// A kernel of a replay carries the correlation id of cudaGraphLaunch, so that its node so far is
// the one around the replay. Where its graph node was made within the capture (following the
// originals of cloned nodes), the path of the ranges open there then, or of the range that adopts
// what an autograd thread captured, hangs below that node, under "(captured under)". Otherwise its
// place is the graph and the name of its function.
#include <string.h>

#include "base/search.h"
#include "model/tree_build.h"

enum {
    HOPS = 64,        // clones of clones that are followed
    AWAY_MOST = 4096, // ranges that may cross threads passed over in one look-up
};

struct graphs {
    struct tree_nodes *nodes;
    const struct adoption *adoption;
    struct id_map origins; // (graph node, process) -> innermost range of its capture
    struct id_map places;  // (replay's node, capture's node or one above it) -> node
    size_t path_capacity;  // of `path`, room for one path at a time
    uint32_t *path;
    struct id_map by_graph; // (graph, replay's node) -> its "[graph 12]" node
    string_id captured;
};

// First row of a node id; rows of one id are those of several processes.
static uint32_t find_row(const struct graph_nodes *rows, int64_t node)
{
    return search_from(rows->node, 0, rows->count, node);
}

static uint32_t process_of(const struct profile *profile, uint32_t row)
{
    uint32_t thread = profile->graph_nodes.thread[row];
    return thread == ROW_NONE ? ROW_NONE : profile->threads[thread].process;
}

// The row of a node id in a process, or ROW_NONE; where no row of it names a thread, the first.
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
    for (int away = 0;
         low > thread->first_range && range_is_away(ranges, low - 1) && away < AWAY_MOST; away++)
        low--; // may cross threads: lies in nothing
    // The last one that began before is open, or lies in one that is, or after all that ended.
    for (uint32_t range = low > thread->first_range ? low - 1 : ROW_NONE; range != ROW_NONE;
         range = AT(ranges->parent, range))
        if (AT(ranges->end, range) >= time && !range_is_away(ranges, range))
            return range;
    return ROW_NONE;
}

// Where a graph node was captured: a range, ROW_NONE when the capture tells nothing.
static uint32_t capture_range(struct graphs *graphs, int64_t node, uint32_t process)
{
    struct id_key key = {.a = (uint64_t)node, .b = process};
    uint32_t *slot = id_map_slot(&graphs->origins, key);
    if (*slot)
        return *slot - 2; // ROW_NONE is kept as 1
    const struct profile *profile = graphs->nodes->profile;
    const struct graph_nodes *rows = &profile->graph_nodes;
    uint32_t row = row_of(profile, node, process), found = ROW_NONE;
    for (int hop = 0; row != ROW_NONE && hop < HOPS; hop++) {
        // The oldest original whose creation lies in a range wins: clones are made elsewhere.
        if (rows->thread[row] != ROW_NONE && rows->start[row] != UNKNOWN) {
            uint32_t range = tree_range_at(profile, rows->thread[row], rows->start[row]);
            if (range == ROW_NONE && graphs->adoption->of_graph_node)
                range = graphs->adoption->of_graph_node[row] - 1; // ROW_NONE of 0
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

// The innermost node above both, or one of them.
static uint32_t shared_node(const struct tree_nodes *nodes, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (nodes->items[b].depth >= nodes->items[a].depth && b)
            b = nodes->items[b].parent;
        else
            a = nodes->items[a].parent;
    }
    return a;
}

// Copies the path of the capture's node below the replay's, without what both share. Of a path some
// is there already for the captures beside it: what is above is not gone through again.
static uint32_t place_captured(struct graphs *graphs, uint32_t replay, uint32_t captured)
{
    struct tree_nodes *nodes = graphs->nodes;
    struct id_key key = {.a = replay, .b = captured};
    uint32_t place = id_map_get(&graphs->places, key);
    if (place != ROW_NONE)
        return place;
    if (tree_is_full(nodes)) { // before ways are gone that lead nowhere
        nodes->left_out++;
        return replay;
    }
    uint32_t shared = shared_node(nodes, replay, captured);
    size_t length = 0;
    for (; key.b != shared && place == ROW_NONE; key.b = nodes->items[key.b].parent) {
        ARENA_PUSH(nodes->scratch, graphs->path, length, graphs->path_capacity) = key.b;
        place = id_map_get(&graphs->places,
                           (struct id_key){.a = replay, .b = nodes->items[key.b].parent});
    }
    if (place == ROW_NONE) {
        place = tree_child(nodes, replay, graphs->captured, NODE_LAYER, ROW_NONE);
        *id_map_slot(&graphs->places, (struct id_key){.a = replay, .b = shared}) = place + 1;
    }
    while (length-- > 0) {
        key.b = graphs->path[length];
        struct tree_node from = nodes->items[key.b];
        place = tree_child(nodes, place, from.name, from.kind, from.marker);
        *id_map_slot(&graphs->places, key) = place + 1;
    }
    return place;
}

// The graph of a work; old schemas tell it of kernels only, then that of its launch's other work.
static int64_t graph_of(const struct profile *profile, uint32_t work)
{
    struct column64 graph = profile->work.graph;
    uint32_t call = AT(profile->work.launch, work);
    int64_t own = HAS(graph) ? AT(graph, work) : 0;
    if (!HAS(graph) || own || call == ROW_NONE)
        return own;
    const struct api_calls *api = &profile->api;
    struct row_span span = api_work(api, call);
    for (uint32_t i = span.first, n = 0; i < span.end && n < 64 && !own; i++, n++)
        own = AT(graph, AT(api->work_rows, i));
    return own;
}

static uint32_t place_by_graph(struct graphs *graphs, uint32_t replay, uint32_t work)
{
    struct tree_nodes *nodes = graphs->nodes;
    struct profile *profile = nodes->profile;
    int64_t graph = graph_of(profile, work);
    uint32_t *slot =
        id_map_slot(&graphs->by_graph, (struct id_key){.a = (uint64_t)graph, .b = replay});
    if (!*slot) {
        char *name = graph ? arena_format(nodes->scratch, "[graph %lld]", (long long)graph)
                           : arena_format(nodes->scratch, "[graph]");
        *slot = tree_child(nodes, replay, strings_intern_text(profile->strings, name), NODE_RANGE,
                           ROW_NONE) +
                1;
    }
    const struct function *function = &profile->functions[AT(profile->work.function, work)];
    return tree_child(nodes, *slot - 1, function->brief ? function->brief : function->full, NODE_OP,
                      ROW_NONE);
}

void graph_capture_apply(struct tree_nodes *nodes, const struct adoption *adoption,
                         const uint32_t *node_of_range, uint32_t *node, uint32_t *flags)
{
    struct profile *profile = nodes->profile;
    struct gpu_work *work = &profile->work;
    if (!HAS(work->graph_node))
        return;
    struct graphs graphs = {.nodes = nodes, .adoption = adoption};
    graphs.origins.arena = graphs.places.arena = graphs.by_graph.arena = nodes->scratch;
    graphs.captured = strings_intern_text(profile->strings, "(captured under)");
    int64_t nameless = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        if (AT(work->graph_node, i) == 0)
            continue;
        flags[i] |= WORK_IN_GRAPH;
        uint32_t range = capture_range(&graphs, AT(work->graph_node, i), work_process(profile, i));
        uint32_t captured = range != ROW_NONE ? node_of_range[range] : ROW_NONE;
        if (captured == ROW_NONE) {
            node[i] = place_by_graph(&graphs, node[i], i);
            nameless++;
        } else {
            uint32_t replay = node[i];
            node[i] = place_captured(&graphs, replay, captured);
            flags[i] |= node[i] == replay ? 0 : WORK_CAPTURED;
        }
    }
    if (nameless)
        profile_note(profile, NOTE_INFO, "graph_nodes_without_capture", nameless,
                     "--cuda-graph-trace=node",
                     "%lld launches inside replayed CUDA graphs have no layer: their graph was "
                     "built before the capture began, or outside every range; they are shown by "
                     "graph and function",
                     (long long)nameless);
}
