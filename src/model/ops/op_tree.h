// SPDX-License-Identifier: Apache-2.0
// The op tree: all runs of an op or range with the same path are one node.
//
// The path consists of the enclosing ranges, outermost first (user ranges, also those named
// "layer:..."), then the part of the funcStack or module path that these layers do not contain,
// then the op. Nodes are numbered in pre-order: node x is n or below it if n <= x < subtree_end[n].
// Node 0 is the root; GPU work outside all ranges is below OUTSIDE nodes.
#ifndef MODEL_OPS_OP_TREE_H
#define MODEL_OPS_OP_TREE_H

#include "model/profile/profile.h"

enum node_kind {
    NODE_ROOT,
    NODE_RANGE, // a user range
    NODE_STEP,  // a numbered step; all steps of one family are one node
    NODE_LAYER,
    NODE_OP,
    NODE_BACKWARD, // autograd nodes and the autograd engine
    NODE_OUTSIDE,  // "(outside ranges)"
};

struct op_tree {
    uint32_t count;
    uint32_t *parent; // ROW_NONE for the root
    uint32_t *subtree_end;
    uint16_t *depth;        // 0 for the root
    string_id *name;        // "layers.3", "aten::mm(2)"; folded: "layers.*"
    uint8_t *kind;          // enum node_kind
    uint32_t *op;           // row of ops if the node is exactly one op, or ROW_NONE
    uint32_t *marker;       // of its first range, or ROW_NONE
    uint32_t *adopted_tid;  // tid of the thread whose work it adopted; 0: none
    uint32_t *member_count; // in the folded tree: number of siblings merged into this node; 1: none
    uint32_t outside;       // the OUTSIDE node
    // In the captured tree: the node of the folded tree that contains it. In the folded tree: NULL.
    uint32_t *folded;
};

// Builds profile->tree and profile->folded_tree and fills ranges.node, work.node and
// work.forward_node; applies adoption and graph capture. Must be called after ops_build().
void op_tree_build(struct profile *profile);

#endif
