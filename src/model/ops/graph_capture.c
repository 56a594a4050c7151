// SPDX-License-Identifier: Apache-2.0
// Finds the nodes of the op tree for the work of replayed CUDA graphs.
//
// A kernel of a replay has the correlation id of cudaGraphLaunch. Its node is therefore at first
// the node of the range around the replay. A node below it is then used instead:
// - if the capture is known (graph_origin.c): "(captured under)", and below it a copy of the path
//   of the ranges that were open at the capture, or of the range that adopts it (adoption.c);
// - otherwise: "[graph 12]", and below it the name of the kernel.
#include "model/ops/tree_build.h"

struct graph_placement {
    struct tree_nodes *nodes;
    struct graph_origins origins;
    struct id_map places; // (node of the replay, node of the capture or an ancestor of it) -> node
    size_t path_capacity; // of `path`, which holds one path at a time
    uint32_t *path;
    struct id_map by_graph; // (graph, node of the replay) -> its "[graph 12]" node
    string_id captured;
};

// Returns the lowest common ancestor of both; it may be one of them.
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

// Returns the copy of the capture's node below the node of the replay. The path is copied without
// the ancestors that both nodes have in common. Copies made for other captures are reused.
static uint32_t place_captured(struct graph_placement *graphs, uint32_t replay, uint32_t captured)
{
    struct tree_nodes *nodes = graphs->nodes;
    struct id_key key = {.a = replay, .b = captured};
    uint32_t place = id_map_get(&graphs->places, key);
    if (place != ROW_NONE)
        return place;
    if (tree_is_full(nodes)) { // before a path is built that cannot be used
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

// Returns the graph of a piece of work. Old schemas record it for kernels only: other work has the
// graph of a kernel of the same launch.
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

static uint32_t place_by_graph(struct graph_placement *graphs, uint32_t replay, uint32_t work)
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
    struct graph_placement graphs = {
        .nodes = nodes, .origins = {.profile = profile, .adopters = adoption->of_graph_node}};
    graphs.origins.known.arena = graphs.places.arena = graphs.by_graph.arena = nodes->scratch;
    graphs.captured = strings_intern_text(profile->strings, "(captured under)");
    int64_t nameless = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        bool is_node = HAS(work->graph_node) && AT(work->graph_node, i);
        if (!is_node && !(flags[i] & WORK_IN_GRAPH))
            continue;
        flags[i] |= WORK_IN_GRAPH;
        uint32_t range = graph_origin(&graphs.origins, i);
        uint32_t captured = range != ROW_NONE ? node_of_range[range] : ROW_NONE;
        if (captured == ROW_NONE) {
            node[i] = place_by_graph(&graphs, node[i], i);
            // Otherwise the loader has reported the reason.
            nameless += work_capture_lack(profile, i) == CAPTURE_KNOWN;
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
