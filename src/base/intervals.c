// SPDX-License-Identifier: Apache-2.0
// The rows are the nodes of a binary search tree that needs no pointers: a row whose number ends in
// k one bits is the root of a subtree of level k, which has 2^(k+1) - 1 rows, half of them on each
// side. Rows from `count` on do not exist. A subtree whose root is missing consists of its left
// child's subtree only.
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

// Returns the latest end in the subtree of `root`, which may be missing; INT64_MIN if the subtree
// is empty.
static int64_t latest_end(const struct intervals *tree, uint64_t root, int level)
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
            int64_t latest = end[root];
            if (level) {
                int64_t left_end = latest_end(tree, left_child(root, level), level - 1);
                int64_t right_end = latest_end(tree, right_child(root, level), level - 1);
                latest = left_end > latest ? left_end : latest;
                latest = right_end > latest ? right_end : latest;
            }
            tree->max_end[root] = latest;
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
        if (latest_end(tree, visit.root, visit.level) < to)
            continue;
        bool starts_before = visit.root < tree->count && tree->start[visit.root] <= from;
        if (visit.right_done || !starts_before || !visit.level) {
            if (starts_before && tree->end[visit.root] >= to)
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
