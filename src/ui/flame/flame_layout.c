// SPDX-License-Identifier: Apache-2.0
#include "ui/flame/flame_layout.h"

#include <string.h>

#include "base/sort.h"
#include "base/sums.h"
#include "base/text/cells.h"

// ---- the tree ----------------------------------------------------------------------------------

static int compare_sizes(const void *context, uint32_t a, uint32_t b)
{
    const int64_t *ns = context;
    return (ns[a] < ns[b]) - (ns[a] > ns[b]);
}

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
    int64_t below = count ? tree.rest_ns[0] : 0;
    tree.ns[FLAME_WHOLE] = whole_ns > below ? whole_ns : below;
    return tree;
}

// ---- the layout --------------------------------------------------------------------------------

struct placing {
    const struct flame_tree *tree;
    struct arena *arena;
    struct flame_level *level; // receives the boxes
    uint32_t capacity;
};

// The children by_size[from, end). They share `width` cells with the parent's own part of
// `total_ns`.
struct family {
    uint32_t from, end;
    int64_t total_ns;
    int x, width;
    uint32_t min_boxes; // at least this many get a box, however narrow
    uint32_t node, above;
};

// Returns how many children take at least `ns`, counted from the largest.
static uint32_t count_from(const struct flame_tree *tree, const struct family *family, int64_t ns)
{
    uint32_t low = family->from, high = family->end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tree->ns[tree->by_size[middle]] >= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low - family->from;
}

// Returns how many children get a box of their own: those at least a cell wide, and a single
// remaining child, since it would be alone in the shared box. The shared box needs a cell too.
static uint32_t count_own(const struct flame_tree *tree, const struct family *family,
                          uint32_t *some)
{
    uint32_t width = family->width > 1 ? (uint32_t)family->width : 1;
    int64_t cell_ns = family->total_ns / width + (family->total_ns % width != 0);
    uint32_t own = count_from(tree, family, cell_ns > 0 ? cell_ns : 1);
    *some = count_from(tree, family, 1);
    own = own < family->min_boxes ? family->min_boxes : own;
    own = own < *some ? own : *some;
    if (*some - own == 1)
        own++;
    return own + (*some > own) <= width ? own : width - 1;
}

// The last share is the remainder and may get no cell. Every other share gets at least one cell,
// taken from the remainder or from the widest share.
static void share_cells(struct cell_share *shares, uint32_t count, int64_t total_ns, unsigned width)
{
    uint32_t last = count - 1;
    cells_distribute(shares, count, total_ns, width);
    for (uint32_t i = 0; i < last; i++) {
        uint32_t from = last;
        if (shares[i].cells > 0)
            continue;
        for (uint32_t j = 0; shares[last].cells == 0 && j < last; j++)
            if (from == last || shares[j].cells > shares[from].cells)
                from = j;
        shares[from].cells--;
        shares[i].cells = 1;
    }
}

static int compare_nodes(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *by_size = context;
    return (by_size[a] > by_size[b]) - (by_size[a] < by_size[b]);
}

static void box_add(struct placing *placing, struct flame_box box)
{
    struct flame_level *level = placing->level;
    if (level->count == placing->capacity) {
        size_t capacity = placing->capacity;
        level->boxes =
            arena_grow(placing->arena, level->boxes, level->count, &capacity, sizeof box);
        placing->capacity = (uint32_t)capacity;
    }
    level->boxes[level->count++] = box;
}

static void family_place(struct placing *placing, const struct family *family)
{
    const struct flame_tree *tree = placing->tree;
    struct arena *arena = placing->arena;
    uint32_t some, own = count_own(tree, family, &some), rest = some - own;
    uint32_t first_rest = family->from + own;
    int64_t rest_ns = rest ? tree->rest_ns[first_rest] : 0, left_ns = family->total_ns - rest_ns;
    if (some == 0 || family->total_ns < 1)
        return;
    struct cell_share *shares = ARENA_ARRAY(arena, struct cell_share, own + 2);
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, own + 1), boxes = own + (rest > 0);
    for (uint32_t i = 0; i < own; i++) {
        shares[i].ns = tree->ns[tree->by_size[family->from + i]];
        left_ns -= shares[i].ns;
        order[i] = family->from + i;
    }
    if (rest)
        shares[own].ns = rest_ns;
    shares[boxes].ns = left_ns > 0 ? left_ns : 0;
    share_cells(shares, boxes + 1, family->total_ns, (unsigned)family->width);
    sort_ids(order, own, compare_nodes, tree->by_size, arena);
    int x = family->x;
    for (uint32_t i = 0; i < boxes; i++) {
        bool is_rest = i == own;
        uint32_t at = is_rest ? first_rest : order[i];
        int width = (int)shares[is_rest ? own : at - family->from].cells;
        box_add(placing, (struct flame_box){
                             .node = is_rest ? family->node : tree->by_size[at],
                             .more = is_rest ? rest : 0,
                             .largest = at,
                             .ns = is_rest ? rest_ns : tree->ns[tree->by_size[at]],
                             .x = x,
                             .width = width,
                             .above = family->above,
                         });
        x += width;
    }
}

// Returns the first index of by_size that the root shows.
static uint32_t first_shown(const struct flame_tree *tree, struct flame_root root)
{
    struct family family = {.from = tree->first[root.node], .end = tree->first[root.node + 1]};
    if (root.most_ns < 0)
        return family.from;
    return family.from +
           (root.most_ns < INT64_MAX ? count_from(tree, &family, root.most_ns + 1) : 0);
}

static struct family family_of(const struct flame_tree *tree, const struct flame_box *box,
                               uint32_t above)
{
    struct family family = {
        .from = tree->first[box->node],
        .end = tree->first[box->node + 1],
        .total_ns = box->ns,
        .x = box->x,
        .width = box->width,
        .node = box->node,
        .above = above,
    };
    if (box->more) { // only a root is shared: it is opened to show more of its children
        family.from = box->largest;
        family.min_boxes = (uint32_t)box->width / 2;
    }
    int64_t below = family.from < family.end ? tree->rest_ns[family.from] : 0;
    family.total_ns = family.total_ns > below ? family.total_ns : below;
    return family;
}

static struct flame_box root_box(const struct flame_tree *tree, struct flame_root root, int width)
{
    struct flame_box box = {.node = root.node, .ns = tree->ns[root.node], .width = width};
    if (root.most_ns >= 0) {
        uint32_t end = tree->first[root.node + 1];
        box.largest = first_shown(tree, root);
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
    struct placing placing = {.tree = tree, .arena = arena, .level = &flame.levels[0]};
    box_add(&placing, box);
    for (flame.count = 1; flame.count < levels; flame.count++) {
        const struct flame_level *above = placing.level;
        placing.level = &flame.levels[flame.count];
        placing.capacity = 0;
        for (uint32_t i = 0; i < above->count; i++) {
            struct family family = family_of(tree, &above->boxes[i], i);
            if (!above->boxes[i].more || flame.count == 1)
                family_place(&placing, &family);
        }
        if (placing.level->count == 0)
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

// Returns the index of the node's box in a level, or of the box it shares; UINT32_MAX if neither
// exists.
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
    uint32_t *way = ARENA_ARRAY(arena, uint32_t, (size_t)level + 1);
    for (uint32_t i = level + 1; i-- > 0; node = tree->parent[node])
        way[i] = node;
    struct flame_position at = {0, 0};
    for (uint32_t i = 1; i <= level && i < flame->count; i++) {
        uint32_t box = box_of(tree, &flame->levels[i], way[i]);
        if (box == UINT32_MAX)
            break;
        at = (struct flame_position){i, box};
        if (flame->levels[i].boxes[box].more)
            break;
    }
    return at;
}
