// SPDX-License-Identifier: Apache-2.0
// An icicle of a tree: a box for every node, as wide as the time that it and all below it take, the
// root above its children.
//
//      |all-----------------------------------|     children stand in the order of the tree; what
//      |forward----------|backward------|+3|        is left at their right is the node's own time
//      |attn----|mlp---| |mlp-----|                 "+3": children of less than a cell, in one box
//
// It knows neither rows nor a screen. flame_tree_make() runs once per set of rows; flame_layout()
// costs the cells that it fills, however large the tree: children are kept by size with sums, so
// that what is narrower than a cell is never visited.
#ifndef UI_FLAME_FLAME_LAYOUT_H
#define UI_FLAME_FLAME_LAYOUT_H

#include "base/arena.h"

enum { FLAME_WHOLE = 0 }; // the root: all rows together; row r of the tree is node r + 1

struct flame_tree {
    uint32_t count;    // nodes, in pre-order
    uint32_t *parent;  // UINT32_MAX: of the root
    uint32_t *end;     // of the subtree of n: [n, end[n])
    uint32_t *depth;   // 0: the root
    uint32_t *levels;  // that a subtree is high, as far as it takes any time; 1: nothing below does
    int64_t *ns;       // with all below; never negative
    uint32_t *first;   // by_size[first[n] .. first[n + 1]): children of n, ...
    uint32_t *by_size; // ... the largest first, equals in the order of the tree
    int64_t *rest_ns;  // of by_size[i] and the smaller children after it
};

// Rows in pre-order with their depths from 0 on and times in ns (negative: none). The root takes
// `whole_ns`, or what its children take together where that is more.
struct flame_tree flame_tree_make(uint32_t count, const uint32_t *depth, const int64_t *ns,
                                  int64_t whole_ns, struct arena *arena);

enum { FLAME_ALL = -1 };
struct flame_root { // what fills the width: a node ...
    uint32_t node;
    int64_t most_ns; // ... or those of its children that take this at most; FLAME_ALL: the node
};

struct flame_box {
    uint32_t node;    // whose it is; of children that share one: their parent
    uint32_t more;    // 0: of one node; else how many share it
    uint32_t largest; // of these: the first in by_size
    int64_t ns;
    int x, width;   // cells, width at least 1
    uint32_t above; // the box in the level above that it hangs below
};

struct flame_level {
    uint32_t count;
    struct flame_box *boxes; // from left to right; they never overlap
};

struct flame {
    uint32_t count; // levels that have boxes
    struct flame_level *levels;
};

// The boxes of `levels` levels at most over `width` cells; in `arena`. Nothing at all where the root
// takes no time.
struct flame flame_layout(const struct flame_tree *tree, struct flame_root root, int width,
                          uint32_t levels, struct arena *arena);

// Whether the root shows the node, in a box of its own or in one that others share.
bool flame_has(const struct flame_tree *tree, struct flame_root root, uint32_t node);
// The level of the node's box below the root that shows it.
uint32_t flame_level_of(const struct flame_tree *tree, struct flame_root root, uint32_t node);

struct flame_at { // a box of a layout
    uint32_t level, box;
};
// The box that holds a node which the root shows: its own, the one it shares, or the nearest above it
// that is there (levels that were not laid out).
struct flame_at flame_find(const struct flame_tree *tree, const struct flame *flame,
                           struct flame_root root, uint32_t node, struct arena *arena);

#endif
