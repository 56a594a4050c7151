// SPDX-License-Identifier: Apache-2.0
// Lays out the boxes of the flame view (flame_layout.h shows a picture).
//
// Terms: A level is the row of boxes of one depth. The children of a node (`siblings`) divide the
// cells below its box from left to right: first a single box for each large child, in the order of
// the tree, then one shared box for all smaller children (at least two), then an empty space for
// the time of the node itself. flame_layout() fills one level after the other. Shared boxes get no
// boxes below them, except a root.
#include "ui/flame/flame_layout.h"

#include <string.h>

#include "base/sort.h"
#include "base/sums.h"
#include "base/text/cells.h"

// ---- the tree ----------------------------------------------------------------------------------

// Orders nodes by time, the longest first.
static int compare_sizes(const void *context, uint32_t a, uint32_t b)
{
    const int64_t *ns = context;
    return (ns[a] < ns[b]) - (ns[a] > ns[b]);
}

// Sets the parent, depth, end and levels of every node from the depths of the rows.
static void find_parents(struct flame_tree *tree, const uint32_t *depth)
{
    tree->parent[FLAME_WHOLE] = UINT32_MAX;
    for (uint32_t n = 1; n < tree->count; n++) {
        uint32_t up = n - 1;
        while (up != FLAME_WHOLE && depth[up - 1] >= depth[n - 1])
            up = tree->parent[up];
        tree->parent[n] = up;
        tree->depth[n] = tree->depth[up] + 1;
    }
    // Children follow their parents, so one backward pass completes every subtree.
    for (uint32_t n = tree->count; n-- > 0;) {
        uint32_t up = tree->parent[n];
        tree->end[n] = tree->end[n] ? tree->end[n] : n + 1;
        tree->levels[n]++;
        if (up == UINT32_MAX)
            continue;
        if (!tree->end[up])
            tree->end[up] = tree->end[n];
        if (tree->ns[n] > 0 && tree->levels[up] < tree->levels[n])
            tree->levels[up] = tree->levels[n];
    }
}

// Fills `first`, `by_size` and `rest_ns`: a counting sort by parent, then a sort by time among the
// children of each node.
static void sort_children(struct flame_tree *tree, struct arena *arena)
{
    for (uint32_t n = 1; n < tree->count; n++)
        tree->first[tree->parent[n] + 1]++;
    for (uint32_t n = 0; n < tree->count; n++)
        tree->first[n + 1] += tree->first[n];
    uint32_t *fill = ARENA_ARRAY(arena, uint32_t, tree->count + 1);
    memcpy(fill, tree->first, tree->count * sizeof *fill);
    for (uint32_t n = 1; n < tree->count; n++)
        tree->by_size[fill[tree->parent[n]]++] = n;
    for (uint32_t n = 0; n < tree->count; n++) {
        uint32_t first = tree->first[n], end = tree->first[n + 1];
        if (end - first > 1)
            sort_ids(tree->by_size + first, end - first, compare_sizes, tree->ns, arena);
        for (uint32_t i = end; i-- > first;)
            tree->rest_ns[i] =
                add_saturating(tree->ns[tree->by_size[i]], i + 1 < end ? tree->rest_ns[i + 1] : 0);
    }
}

struct flame_tree flame_tree_make(uint32_t count, const uint32_t *depth, const int64_t *ns,
                                  int64_t whole_ns, struct arena *arena)
{
    size_t nodes = (size_t)count + 1;
    struct flame_tree tree = {
        .count = count + 1,
        .parent = ARENA_ARRAY(arena, uint32_t, nodes),
        .end = ARENA_ARRAY(arena, uint32_t, nodes),
        .depth = ARENA_ARRAY(arena, uint32_t, nodes),
        .levels = ARENA_ARRAY(arena, uint32_t, nodes),
        .ns = ARENA_ARRAY(arena, int64_t, nodes),
        .first = ARENA_ARRAY(arena, uint32_t, nodes + 1),
        .by_size = ARENA_ARRAY(arena, uint32_t, nodes),
        .rest_ns = ARENA_ARRAY(arena, int64_t, nodes),
    };
    for (uint32_t n = 1; n < tree.count; n++)
        tree.ns[n] = ns[n - 1] > 0 ? ns[n - 1] : 0;
    find_parents(&tree, depth);
    sort_children(&tree, arena);
    int64_t children_ns = count ? tree.rest_ns[0] : 0;
    tree.ns[FLAME_WHOLE] = whole_ns > children_ns ? whole_ns : children_ns;
    return tree;
}

// ---- the layout --------------------------------------------------------------------------------

struct level_filling { // the level that is being filled with boxes
    const struct flame_tree *tree;
    struct arena *arena;
    struct flame_level *level;
    uint32_t capacity; // number of boxes for which memory is allocated
};

// The children by_size[from, end) of one node, to be placed in `width` cells that stand for
// `total_ns`: the time of the children and the parent's own time.
struct siblings {
    uint32_t from, end;
    int64_t total_ns;
    int x, width;
    uint32_t min_boxes;   // at least this many get a box, however narrow
    uint32_t node, above; // the parent, and the index of its box in the level above
};

// Returns how many children take at least `ns`, counted from the largest.
static uint32_t count_at_least(const struct flame_tree *tree, const struct siblings *siblings,
                               int64_t ns)
{
    uint32_t low = siblings->from, high = siblings->end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tree->ns[tree->by_size[middle]] >= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low - siblings->from;
}

// Returns how many children get a single box, that is, a box for one child. These are the children
// at least a cell wide. If one other child remains, it gets a single box too, because it would be
// alone in the shared box. One cell is reserved for the shared box. Sets `*timed` to the number of
// children that take any time; the others get no box.
static uint32_t count_single_boxes(const struct flame_tree *tree, const struct siblings *siblings,
                                   uint32_t *timed)
{
    uint32_t width = siblings->width > 1 ? (uint32_t)siblings->width : 1;
    int64_t cell_ns = siblings->total_ns / width + (siblings->total_ns % width != 0);
    uint32_t single = count_at_least(tree, siblings, cell_ns > 0 ? cell_ns : 1);
    *timed = count_at_least(tree, siblings, 1);
    single = single < siblings->min_boxes ? siblings->min_boxes : single;
    single = single < *timed ? single : *timed;
    if (*timed - single == 1)
        single++;
    return single + (*timed > single) <= width ? single : width - 1;
}

// Distributes the cells in proportion to the times. Every share but the last gets at least one
// cell: a share that would get none is given one cell of the last share, the remainder, or, if the
// remainder has none, of the widest share.
static void share_cells(struct cell_share *shares, uint32_t count, int64_t total_ns, unsigned width)
{
    uint32_t remainder = count - 1;
    cells_distribute(shares, count, total_ns, width);
    for (uint32_t i = 0; i < remainder; i++) {
        uint32_t giver = remainder;
        if (shares[i].cells > 0)
            continue;
        for (uint32_t j = 0; shares[remainder].cells == 0 && j < remainder; j++)
            if (giver == remainder || shares[j].cells > shares[giver].cells)
                giver = j;
        shares[giver].cells--;
        shares[i].cells = 1;
    }
}

// Compares indices of by_size by the order of their nodes in the tree.
static int compare_nodes(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *by_size = context;
    return (by_size[a] > by_size[b]) - (by_size[a] < by_size[b]);
}

static void box_add(struct level_filling *filling, struct flame_box box)
{
    struct flame_level *level = filling->level;
    if (level->count == filling->capacity) {
        size_t capacity = filling->capacity;
        level->boxes =
            arena_grow(filling->arena, level->boxes, level->count, &capacity, sizeof box);
        filling->capacity = (uint32_t)capacity;
    }
    level->boxes[level->count++] = box;
}

// Adds the boxes of the siblings to the level. shares[] has one entry per single box, then one for
// the shared box if there is one, then one for the parent's own time.
static void siblings_place(struct level_filling *filling, const struct siblings *siblings)
{
    const struct flame_tree *tree = filling->tree;
    struct arena *arena = filling->arena;
    uint32_t timed, single = count_single_boxes(tree, siblings, &timed), shared = timed - single;
    uint32_t first_shared = siblings->from + single;
    int64_t shared_ns = shared ? tree->rest_ns[first_shared] : 0,
            own_ns = siblings->total_ns - shared_ns;
    if (timed == 0 || siblings->total_ns < 1)
        return;
    struct cell_share *shares = ARENA_ARRAY(arena, struct cell_share, single + 2);
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, single + 1), boxes = single + (shared > 0);
    for (uint32_t i = 0; i < single; i++) {
        shares[i].ns = tree->ns[tree->by_size[siblings->from + i]];
        own_ns -= shares[i].ns;
        order[i] = siblings->from + i;
    }
    if (shared)
        shares[single].ns = shared_ns;
    shares[boxes].ns = own_ns > 0 ? own_ns : 0;
    share_cells(shares, boxes + 1, siblings->total_ns, (unsigned)siblings->width);
    sort_ids(order, single, compare_nodes, tree->by_size, arena);
    int x = siblings->x;
    for (uint32_t i = 0; i < boxes; i++) {
        bool is_shared = i == single;
        uint32_t child = is_shared ? first_shared : order[i];
        int width = (int)shares[is_shared ? single : child - siblings->from].cells;
        box_add(filling, (struct flame_box){
                             .node = is_shared ? siblings->node : tree->by_size[child],
                             .more = is_shared ? shared : 0,
                             .largest = child,
                             .ns = is_shared ? shared_ns : tree->ns[tree->by_size[child]],
                             .x = x,
                             .width = width,
                             .above = siblings->above,
                         });
        x += width;
    }
}

// Returns the index in by_size of the largest child that is shown below the root: the first child,
// or the first one that takes at most most_ns.
static uint32_t root_first_child(const struct flame_tree *tree, struct flame_root root)
{
    struct siblings siblings = {.from = tree->first[root.node], .end = tree->first[root.node + 1]};
    if (root.most_ns < 0)
        return siblings.from;
    return siblings.from +
           (root.most_ns < INT64_MAX ? count_at_least(tree, &siblings, root.most_ns + 1) : 0);
}

// Returns the children to be placed below a box, whose index in its level is `above`.
static struct siblings siblings_below(const struct flame_tree *tree, const struct flame_box *box,
                                      uint32_t above)
{
    struct siblings siblings = {
        .from = tree->first[box->node],
        .end = tree->first[box->node + 1],
        .total_ns = box->ns,
        .x = box->x,
        .width = box->width,
        .node = box->node,
        .above = above,
    };
    if (box->more) { // a shared box as the root: zoomed in to show more of its children
        siblings.from = box->largest;
        siblings.min_boxes = (uint32_t)box->width / 2;
    }
    int64_t children_ns = siblings.from < siblings.end ? tree->rest_ns[siblings.from] : 0;
    siblings.total_ns = siblings.total_ns > children_ns ? siblings.total_ns : children_ns;
    return siblings;
}

static struct flame_box root_box(const struct flame_tree *tree, struct flame_root root, int width)
{
    struct flame_box box = {.node = root.node, .ns = tree->ns[root.node], .width = width};
    if (root.most_ns >= 0) {
        uint32_t end = tree->first[root.node + 1];
        box.largest = root_first_child(tree, root);
        box.more = end - box.largest;
        box.ns = box.more ? tree->rest_ns[box.largest] : 0;
    }
    return box;
}

struct flame flame_layout(const struct flame_tree *tree, struct flame_root root, int width,
                          uint32_t levels, struct arena *arena)
{
    struct flame_box box = root_box(tree, root, width);
    uint32_t high = tree->levels[root.node];
    levels = levels < high ? levels : high;
    struct flame flame = {.levels = ARENA_ARRAY(arena, struct flame_level, (size_t)levels + 1)};
    if (levels == 0 || width < 1 || box.ns <= 0)
        return flame;
    struct level_filling filling = {.tree = tree, .arena = arena, .level = &flame.levels[0]};
    box_add(&filling, box);
    for (flame.count = 1; flame.count < levels; flame.count++) {
        const struct flame_level *above = filling.level;
        filling.level = &flame.levels[flame.count];
        filling.capacity = 0;
        for (uint32_t i = 0; i < above->count; i++) {
            struct siblings siblings = siblings_below(tree, &above->boxes[i], i);
            if (!above->boxes[i].more || flame.count == 1)
                siblings_place(&filling, &siblings);
        }
        if (filling.level->count == 0)
            break;
    }
    return flame;
}

// ---- from nodes to boxes -----------------------------------------------------------------------

bool flame_has(const struct flame_tree *tree, struct flame_root root, uint32_t node)
{
    if (node < root.node || node >= tree->end[root.node])
        return false;
    if (root.most_ns < 0)
        return tree->ns[node] > 0;
    while (node != root.node && tree->parent[node] != root.node)
        node = tree->parent[node];
    return node != root.node && tree->ns[node] > 0 && tree->ns[node] <= root.most_ns;
}

uint32_t flame_level_of(const struct flame_tree *tree, struct flame_root root, uint32_t node)
{
    return tree->depth[node] - tree->depth[root.node];
}

// Returns the index in a level of the node's single box, or of the shared box of its parent's
// children; UINT32_MAX if neither exists.
static uint32_t box_of(const struct flame_tree *tree, const struct flame_level *level,
                       uint32_t node)
{
    uint32_t shared = UINT32_MAX;
    for (uint32_t i = 0; i < level->count; i++) {
        const struct flame_box *box = &level->boxes[i];
        if (!box->more && box->node == node)
            return i;
        if (box->more && box->node == tree->parent[node])
            shared = i;
    }
    return shared;
}

struct flame_position flame_find(const struct flame_tree *tree, const struct flame *flame,
                                 struct flame_root root, uint32_t node, struct arena *arena)
{
    uint32_t level = flame_level_of(tree, root, node);
    uint32_t *path = ARENA_ARRAY(arena, uint32_t, (size_t)level + 1);
    for (uint32_t i = level + 1; i-- > 0; node = tree->parent[node])
        path[i] = node;
    struct flame_position at = {0, 0};
    for (uint32_t i = 1; i <= level && i < flame->count; i++) {
        uint32_t box = box_of(tree, &flame->levels[i], path[i]);
        if (box == UINT32_MAX)
            break;
        at = (struct flame_position){i, box};
        if (flame->levels[i].boxes[box].more)
            break;
    }
    return at;
}
