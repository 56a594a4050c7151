// SPDX-License-Identifier: Apache-2.0
// The op tree under construction: the interface between op_tree.c, tree_nodes.c, adoption.c,
// graph_origin.c, graph_capture.c and tree_fold.c.
#ifndef MODEL_OPS_TREE_BUILD_H
#define MODEL_OPS_TREE_BUILD_H

#include "base/id_map.h"
#include "model/markers/markers.h"
#include "model/ops/op_tree.h"
#include "model/ops/ops.h"

// ---- nodes in creation order; a parent precedes its children -----------------------------------

struct tree_node {
    uint32_t parent;
    uint16_t depth;
    enum node_kind kind;
    string_id name;
    uint32_t marker; // of its first range, or ROW_NONE
    uint32_t op;     // ROW_NONE: none so far
    bool has_several_ops;
    uint32_t adopted_tid;
    uint32_t layers;      // number of LAYER ranges down to here
    string_id layer_path; // module path of the layers down to here, or STRING_NONE
    string_id func_path;  // funcStack down to here, or STRING_NONE
};

struct tree_nodes {
    struct profile *profile;
    struct arena *scratch;
    struct tree_node *items;
    size_t count, capacity;
    size_t limit;           // maximum number of nodes
    int64_t left_out;       // requests for new children when the tree was full
    struct id_map by_name;  // (parent, name) -> node
    struct id_map by_range; // (parent, marker), trace, occurrence -> node
};

static inline bool tree_is_full(const struct tree_nodes *nodes)
{
    return nodes->count >= nodes->limit;
}

// Returns the child of that name and creates it when it is new. Returns `parent` when the tree is
// too deep or full.
uint32_t tree_child(struct tree_nodes *nodes, uint32_t parent, string_id name, enum node_kind kind,
                    uint32_t marker);

// Returns the node of a range under `parent`, with a node for each component of its path that the
// path of the parent does not contain. `trace` is the marker of the traceMarker around a DLProf op,
// or ROW_NONE; `occurrence` is the number of earlier runs with this name and parent.
uint32_t tree_range_node(struct tree_nodes *nodes, uint32_t parent, uint32_t marker, uint32_t trace,
                         uint32_t occurrence);

// Returns the node of the module that a LAYER marker names, under `parent`.
uint32_t tree_module_node(struct tree_nodes *nodes, uint32_t parent, uint32_t marker);

// ---- adoption ----------------------------------------------------------------------------------

struct adoption {
    // Per row the adopting range + 1, 0: none. All three are NULL if no row needs adoption.
    uint32_t *of_range;      // root ranges of autograd threads
    uint32_t *of_call;       // API calls outside all ranges
    uint32_t *of_graph_node; // graph nodes created outside all ranges
};

struct adoption adoption_find(const struct profile *profile, struct arena *scratch);

// The input of the tree that follows from ranges and calls alone. It is computed in parallel with
// the ops. All memory is in `arena`.
struct tree_inputs {
    struct adoption adoption;
    // Per range that is, or is inside, the backward of a forward range: this forward range + 1;
    // 0: none. NULL: no range is.
    uint32_t *pairs;
};

struct tree_inputs tree_inputs_find(const struct profile *profile, struct arena *arena);
void op_tree_build_from(struct profile *profile, const struct tree_inputs *inputs);

// ---- CUDA graphs -------------------------------------------------------------------------------

// Returns the innermost range (greatest start) that is open on a thread at a time, or ROW_NONE.
uint32_t tree_range_at(const struct profile *profile, uint32_t thread, int64_t time);

// Look-up of the captures of graph nodes.
struct graph_origins {
    const struct profile *profile;
    const uint32_t *adopters; // adoption.of_graph_node; NULL: no adoption
    struct id_map known;      // (graph node, process) -> innermost range of its capture
};

// Returns the innermost range in which the work was captured, following the originals of cloned
// nodes; ROW_NONE when unknown.
uint32_t graph_origin(struct graph_origins *origins, uint32_t work);
// Fills work.origin from the ranges alone, without adoption. Must be called after links are made
// and before ops are built.
void graph_origins_find(struct profile *profile);

// Replaces the node of the work of replayed graphs, which is that of its launch, by a node below it
// (graph_capture.c). `node_of_range` has per range the node of the innermost range with one; `node`
// and `flags` are per piece of work.
void graph_capture_apply(struct tree_nodes *nodes, const struct adoption *adoption,
                         const uint32_t *node_of_range, uint32_t *node, uint32_t *flags);

// ---- finishing ---------------------------------------------------------------------------------

// Numbers nodes in pre-order, siblings in creation order, OUTSIDE last. `number_of` (one per node)
// receives the new numbers.
struct op_tree *tree_finish(const struct tree_nodes *nodes, struct arena *arena,
                            uint32_t *number_of);

// Builds the folded tree and sets tree->folded.
struct op_tree *tree_fold(struct profile *profile, struct op_tree *tree, struct arena *scratch);

#endif
