// SPDX-License-Identifier: Apache-2.0
// The op tree while it is made: op_tree.c, tree_nodes.c, adoption.c, graph_origin.c,
// graph_capture.c, tree_fold.c.
#ifndef MODEL_TREE_BUILD_H
#define MODEL_TREE_BUILD_H

#include "base/id_map.h"
#include "model/markers/markers.h"
#include "model/ops/op_tree.h"
#include "model/ops/ops.h"

// ---- nodes in order of creation; a parent comes before its children ----------------------------

struct tree_node {
    uint32_t parent;
    uint16_t depth;
    enum node_kind kind;
    string_id name;
    uint32_t marker; // of its first range, or ROW_NONE
    uint32_t op;     // ROW_NONE: none so far, or several
    bool has_several_ops;
    uint32_t adopted_tid;
    uint32_t layers;      // LAYER ranges down to here
    string_id layer_path; // module path of the layers down to here, STRING_NONE
    string_id func_path;  // funcStack down to here, STRING_NONE
};

struct tree_nodes {
    struct profile *profile;
    struct arena *scratch;
    struct tree_node *items;
    size_t count, capacity;
    size_t most;            // that there may be
    int64_t left_out;       // children asked for beyond
    struct id_map by_name;  // (parent, name) -> node
    struct id_map by_range; // (parent, marker), trace, occurrence -> node
};

static inline bool tree_is_full(const struct tree_nodes *nodes)
{
    return nodes->count >= nodes->most;
}

// The child of that name, made when it is new. In a tree that is too deep or too large already: the
// parent.
uint32_t tree_child(struct tree_nodes *nodes, uint32_t parent, string_id name, enum node_kind kind,
                    uint32_t marker);

// The node of a range under `parent`: its path split into components, without what the path of the
// parent holds already. `trace` is the marker of the traceMarker around a DLProf op (or ROW_NONE),
// `occurrence` counts runs of one name at one place, from 0.
uint32_t tree_range_node(struct tree_nodes *nodes, uint32_t parent, uint32_t marker, uint32_t trace,
                         uint32_t occurrence);

// The node of the module that a LAYER marker names, under `parent`.
uint32_t tree_module_node(struct tree_nodes *nodes, uint32_t parent, uint32_t marker);

// ---- adoption ----------------------------------------------------------------------------------

struct adoption {
    // Range that adopts it + 1, 0: none; all three NULL when nothing asks.
    uint32_t *of_range;      // of a root range of an autograd thread
    uint32_t *of_call;       // of an API call outside all ranges
    uint32_t *of_graph_node; // of a graph node made outside all ranges
};

struct adoption adoption_find(const struct profile *profile, struct arena *scratch);

// What the tree needs that follows from ranges and calls alone: it is found while ops are made. Memory is
// the arena's.
struct tree_ahead {
    struct adoption adoption;
    uint32_t
        *pairs; // of each range: the forward range whose backward it is or lies in + 1, 0: none;
                // NULL: of none
};

struct tree_ahead tree_look_ahead(const struct profile *profile, struct arena *arena);
void op_tree_build_with(struct profile *profile, const struct tree_ahead *ahead);

// ---- CUDA graphs -------------------------------------------------------------------------------

// The innermost range that is open on a thread at a time (greatest start), or ROW_NONE.
uint32_t tree_range_at(const struct profile *profile, uint32_t thread, int64_t time);

// Looks up where nodes were captured.
struct graph_origins {
    const struct profile *profile;
    const uint32_t *adopters; // adoption.of_graph_node; NULL: nothing adopts
    struct id_map known;      // (graph node, process) -> innermost range of its capture
};

// The innermost range that captured the work, following the originals of cloned nodes; ROW_NONE.
uint32_t graph_origin(struct graph_origins *origins, uint32_t work);
// Fills work.origin, by what lies in ranges itself. After links and before ops.
void graph_origins_find(struct profile *profile);

// Moves work of replayed graphs from the node around its launch to nodes below it: the layers
// around its capture (or of the range that adopts it), or its place in the graph. `node_of_range`
// gives the node of the innermost range that has one; `node` and `flags` are of each work.
void graph_capture_apply(struct tree_nodes *nodes, const struct adoption *adoption,
                         const uint32_t *node_of_range, uint32_t *node, uint32_t *flags);

// ---- finishing ---------------------------------------------------------------------------------

// Numbers nodes in pre-order, siblings in order of creation, OUTSIDE last. `number_of` (one per
// node) gets the new numbers.
struct op_tree *tree_finish(const struct tree_nodes *nodes, struct arena *arena,
                            uint32_t *number_of);

// Makes the folded tree and tree->folded.
struct op_tree *tree_fold(struct profile *profile, struct op_tree *tree, struct arena *scratch);

#endif
