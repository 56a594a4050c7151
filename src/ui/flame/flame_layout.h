// SPDX-License-Identifier: Apache-2.0
// An icicle of a tree: a box for each node, as wide as the time of the node and its subtree. The
// root is on top, its children below it.
//
//      |all-----------------------------------|     children keep the order of the tree; the
//      |forward----------|backward------|+3|        space at their right is the node's own time
//      |attn----|mlp---| |mlp-----|                 "+3": children narrower than a cell, in one box
//
// The layout knows neither reports nor the screen. flame_tree_make() runs once per set of rows. The
// cost of flame_layout() is proportional to the cells filled, whatever the size of the tree:
// children are sorted by size with suffix sums, so children narrower than a cell are never visited.
#ifndef UI_FLAME_FLAME_LAYOUT_H
#define UI_FLAME_FLAME_LAYOUT_H

#include "base/arena.h"

enum { FLAME_WHOLE = 0 }; // the root: all rows together; row r of the tree is node r + 1

struct flame_tree {
    uint32_t count;   // number of nodes, in pre-order
    uint32_t *parent; // UINT32_MAX for the root
    uint32_t *end;    // the subtree of n consists of the nodes n to end[n] - 1
    uint32_t *depth;  // 0 for the root
    // Height of the subtree, counting only nodes that take time; 1: no child takes time.
    uint32_t *levels;
    int64_t *ns;       // time including the subtree; never negative
    uint32_t *first;   // children of n are by_size[first[n] .. first[n + 1]), ...
    uint32_t *by_size; // ... the largest first; ties keep the order of the tree
    int64_t *rest_ns;  // sum of by_size[i] and the smaller children after it
};

// Builds the tree from rows in pre-order, with depths starting at 0 and times in ns (negative:
// none). The root takes `whole_ns` or the sum of its children, whichever is more.
struct flame_tree flame_tree_make(uint32_t count, const uint32_t *depth, const int64_t *ns,
                                  int64_t whole_ns, struct arena *arena);

enum { FLAME_ALL = -1 };
struct flame_root { // the box that fills the width: a node ...
    uint32_t node;
    // ... or, after zooming into a shared box, only its children that take at most this time;
    // FLAME_ALL: the node itself.
    int64_t most_ns;
};

struct flame_box {
    uint32_t node;    // its node; for a shared box: the parent of the children that share it
    uint32_t more;    // 0: a single box; otherwise the number of children that share the box
    uint32_t largest; // index in by_size; for a shared box: of the largest child that shares it
    int64_t ns;
    int x, width;   // cells, width at least 1
    uint32_t above; // index of the box above it, in the level above
};

struct flame_level {
    uint32_t count;
    struct flame_box *boxes; // from left to right, without overlap
};

struct flame {
    uint32_t count; // number of levels that have boxes
    struct flame_level *levels;
};

// Lays out at most `levels` levels over `width` cells; memory is from `arena`. The result is empty
// if the root takes no time.
struct flame flame_layout(const struct flame_tree *tree, struct flame_root root, int width,
                          uint32_t levels, struct arena *arena);

// Returns true if the node is part of the layout of this root, with a single or in a shared box.
bool flame_has(const struct flame_tree *tree, struct flame_root root, uint32_t node);
// Returns the level of the node's box, counted from the root. flame_has() must be true.
uint32_t flame_level_of(const struct flame_tree *tree, struct flame_root root, uint32_t node);

struct flame_position { // position of a box in a layout
    uint32_t level, box;
};
// Returns the box of a node: its single box, its shared box, or, if its level was not laid out, the
// nearest box above it. flame_has() must be true.
struct flame_position flame_find(const struct flame_tree *tree, const struct flame *flame,
                                 struct flame_root root, uint32_t node, struct arena *arena);

#endif
