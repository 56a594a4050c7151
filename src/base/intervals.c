// SPDX-License-Identifier: Apache-2.0
// The rows are the nodes of a binary tree in in-order layout: a row whose number ends in k one bits
// is the root of a subtree of 2^(k+1) - 1 rows around it. Rows beyond the last one do not exist;
// the children of a missing root take its place.
#include "base/intervals.h"

enum { MAX_LEVELS = 33 };

// The subtree of level k with root x covers rows x - 2^k + 1 .. x + 2^k - 1; its left child is x -
// 2^(k-1).
static uint64_t left_child(uint64_t root, int level)
{
    return root - ((uint64_t)1 << (level - 1));
}

static uint64_t right_child(uint64_t root, int level)
{
    return root + ((uint64_t)1 << (level - 1));
}

// Returns the latest end in the subtree of `root`, whose root may be missing, or INT64_MIN if it is
// empty.
static int64_t latest(const struct intervals *tree, uint64_t root, int level)
{
    while (root >= tree->count) {
        if (level == 0)
            return INT64_MIN;
        root = left_child(root, level--);
    }
    return tree->max_end[root];
}

void intervals_build(struct intervals *tree, struct arena *arena, const int64_t *start,
                     const int64_t *end, uint32_t count)
{
    *tree = (struct intervals){.start = start, .end = end, .count = count};
    tree->max_end = ARENA_ARRAY(arena, int64_t, count);
    while (tree->levels < MAX_LEVELS && ((uint64_t)2 << tree->levels) - 1 < count)
        tree->levels++;
    for (int level = 0; level <= tree->levels; level++) {
        uint64_t step = (uint64_t)2 << level;
        for (uint64_t root = ((uint64_t)1 << level) - 1; root < count; root += step) {
            int64_t most = end[root];
            if (level) {
                int64_t left = latest(tree, left_child(root, level), level - 1);
                int64_t right = latest(tree, right_child(root, level), level - 1);
                most = left > most ? left : most;
                most = right > most ? right : most;
            }
            tree->max_end[root] = most;
        }
    }
}

struct tree_visit {
    uint64_t root;
    int level;
    bool right_done; // the right subtree has been searched
};

uint32_t intervals_innermost(const struct intervals *tree, int64_t from, int64_t to)
{
    struct tree_visit stack[MAX_LEVELS * 2 + 2];
    int depth = 0;
    if (tree->count)
        stack[depth++] =
            (struct tree_visit){((uint64_t)1 << tree->levels) - 1, tree->levels, false};
    // Searches from the right, so that the first match is the last row that matches.
    while (depth) {
        struct tree_visit visit = stack[--depth];
        if (latest(tree, visit.root, visit.level) < to)
            continue;
        bool is_here = visit.root < tree->count && tree->start[visit.root] <= from;
        if (visit.right_done || !is_here || !visit.level) {
            if (is_here && tree->end[visit.root] >= to)
                return (uint32_t)visit.root;
            if (visit.level)
                stack[depth++] = (struct tree_visit){left_child(visit.root, visit.level),
                                                     visit.level - 1, false};
            continue;
        }
        stack[depth++] = (struct tree_visit){visit.root, visit.level, true};
        stack[depth++] =
            (struct tree_visit){right_child(visit.root, visit.level), visit.level - 1, false};
    }
    return UINT32_MAX;
}
