// SPDX-License-Identifier: Apache-2.0
// Layout of flame graphs (icicles): boxes are adjacent, have the width of their share, and contain
// every node with time.
#include <string.h>

#include "property.h"
#include "ui/flame/flame_layout.h"

enum { ROWS_MAX = 3000 };

struct source {
    uint32_t count, depth[ROWS_MAX];
    int64_t ns[ROWS_MAX], whole_ns;
};

static struct arena *arena;

static struct flame_tree tree_of(const struct source *source)
{
    return flame_tree_make(source->count, source->depth, source->ns, source->whole_ns, arena);
}

static int64_t own_ns(const struct flame_tree *tree, uint32_t node)
{
    int64_t own_time = tree->ns[node];
    for (uint32_t c = node + 1; c < tree->end[node]; c = tree->end[c])
        own_time -= tree->ns[c];
    return own_time;
}

// Builds a random tree: exclusive times first, then sums over everything below.
static void random_source(struct random *random, struct source *source)
{
    source->count = 1 + (uint32_t)random_below(random, 300);
    source->whole_ns = 0;
    uint64_t scale = random_below(random, 3) ? 1000 : UINT64_C(1) << random_below(random, 53);
    for (uint32_t r = 0; r < source->count; r++) {
        uint32_t max_depth = r ? source->depth[r - 1] + 1 : 0;
        source->depth[r] = (uint32_t)random_below(random, max_depth + 1);
        source->ns[r] = random_below(random, 3) ? (int64_t)random_below(random, scale) : 0;
    }
    for (uint32_t r = source->count; r-- > 0;) {
        uint32_t up = r;
        while (up > 0 && source->depth[up] >= source->depth[r])
            up--;
        if (source->depth[r] == 0)
            source->whole_ns += source->ns[r];
        else
            source->ns[up] += source->ns[r];
    }
}

// Checks the boxes below one box of the level above: they are in order and within it, and each node
// with time is in its own box or in the shared one.
static void assert_family(const struct flame_tree *tree, const struct flame *flame, uint32_t at,
                          uint32_t parent_index)
{
    const struct flame_box *parent = &flame->levels[at - 1].boxes[parent_index];
    const struct flame_level *level = &flame->levels[at];
    int64_t sum_ns = 0;
    uint32_t node_count = 0, expected_nodes = 0, last = 0;
    int x = parent->x;
    for (uint32_t i = 0; i < level->count; i++) {
        const struct flame_box *box = &level->boxes[i];
        if (box->above != parent_index)
            continue;
        assert_int_equal(box->x, x);
        assert_true(box->width >= 1 && box->ns > 0);
        x += box->width;
        sum_ns += box->ns;
        node_count += box->more ? box->more : 1;
        assert_true(box->more != 1);
        assert_true(box->more || box->node > last); // in the order of the tree
        last = box->more ? UINT32_MAX : box->node;
        assert_int_equal(tree->parent[box->more ? tree->by_size[box->largest] : box->node],
                         parent->node);
        // The width equals the share to within a cell; a box is wider only if it needs at least one
        // cell.
        double exact = (double)box->ns * parent->width / (double)parent->ns;
        assert_true(box->width < exact + 1 || box->width == 1 || parent->more);
    }
    assert_true(x <= parent->x + parent->width);
    uint32_t from = parent->more ? parent->largest : tree->first[parent->node];
    for (uint32_t i = from; i < tree->first[parent->node + 1]; i++)
        expected_nodes += tree->ns[tree->by_size[i]] > 0;
    assert_int_equal(node_count, expected_nodes);
    // In ns: the children and the node's own time add up to its time.
    int64_t own_time = parent->more ? 0 : own_ns(tree, parent->node);
    assert_true(sum_ns + own_time == parent->ns);
    // In cells: the rest is the node's own time, rounded down; a shared box may take one cell of
    // it.
    double exact_own = (double)own_time * parent->width / (double)parent->ns;
    int left = parent->x + parent->width - x;
    assert_true(left < exact_own + 1);
    assert_true(own_time > 0 || left == 0);
}

static void assert_flame(const struct flame_tree *tree, struct flame_root root, int width,
                         uint32_t levels)
{
    struct flame flame = flame_layout(tree, root, width, levels, arena);
    assert_true(flame.count <= levels);
    if (flame.count == 0)
        return;
    assert_true(flame.levels[0].count == 1 && flame.levels[0].boxes[0].width == width);
    for (uint32_t at = 1; at < flame.count; at++) {
        assert_true(flame.levels[at].count > 0);
        for (uint32_t i = 0; i < flame.levels[at - 1].count; i++)
            if (!flame.levels[at - 1].boxes[i].more || at == 1)
                assert_family(tree, &flame, at, i);
    }
    // Every node is found where it is drawn.
    for (uint32_t node = 0; node < tree->count; node++) {
        if (!flame_has(tree, root, node))
            continue;
        struct flame_position box = flame_find(tree, &flame, root, node, arena);
        const struct flame_box *found = &flame.levels[box.level].boxes[box.box];
        uint32_t level = flame_level_of(tree, root, node);
        assert_true(box.level <= level);
        if (box.level == level && !found->more)
            assert_int_equal(found->node, node);
        if (!found->more)
            assert_true(found->node <= node && node < tree->end[found->node]);
        else
            assert_true(found->node < node && node < tree->end[found->node]);
    }
}

static void test_random_trees(void **state)
{
    (void)state;
    static struct source source;
    struct random random = {7};
    for (int round = 0; round < random_rounds(600); round++) {
        random_source(&random, &source);
        struct flame_tree tree = tree_of(&source);
        int width = 1 + (int)random_below(&random, round % 2 ? 210 : 7);
        struct flame_root root = {(uint32_t)random_below(&random, tree.count), FLAME_ALL};
        assert_flame(&tree, root, width, 1 + (uint32_t)random_below(&random, 40));
        root.node = FLAME_WHOLE;
        assert_flame(&tree, root, width, ROWS_MAX);
        // Opens shared boxes until there is none.
        struct flame flame = flame_layout(&tree, root, width, 2, arena);
        while (flame.count > 1 && flame.levels[1].boxes[flame.levels[1].count - 1].more) {
            const struct flame_box *last = &flame.levels[1].boxes[flame.levels[1].count - 1];
            root = (struct flame_root){last->node, tree.ns[tree.by_size[last->largest]]};
            assert_true(flame_has(&tree, root, tree.by_size[last->largest]));
            uint32_t before = last->more;
            flame = flame_layout(&tree, root, width, 2, arena);
            assert_flame(&tree, root, width, 2);
            assert_true(flame.levels[0].boxes[0].more >= before);
            last = &flame.levels[1].boxes[flame.levels[1].count - 1];
            if (last->more >= before || width < 4) // equal nodes that no width separates
                break;
        }
        arena_reset(arena);
    }
}

static void test_nothing(void **state)
{
    (void)state;
    struct source source = {.count = 0};
    struct flame_tree tree = tree_of(&source);
    assert_int_equal(flame_layout(&tree, (struct flame_root){0, FLAME_ALL}, 80, 20, arena).count,
                     0);
    source = (struct source){.count = 3, .depth = {0, 1, 0}, .ns = {0, 0, -5}};
    tree = tree_of(&source); // only host ranges, and a negative time
    assert_int_equal(flame_layout(&tree, (struct flame_root){0, FLAME_ALL}, 80, 20, arena).count,
                     0);
    assert_false(flame_has(&tree, (struct flame_root){0, FLAME_ALL}, 1));
    source.whole_ns = 10; // time, but none of these rows
    tree = tree_of(&source);
    assert_int_equal(flame_layout(&tree, (struct flame_root){0, FLAME_ALL}, 80, 20, arena).count,
                     1);
    assert_int_equal(flame_layout(&tree, (struct flame_root){0, FLAME_ALL}, 0, 20, arena).count, 0);
    assert_int_equal(flame_layout(&tree, (struct flame_root){0, FLAME_ALL}, 80, 0, arena).count, 0);
}

static void test_one_node(void **state)
{
    (void)state;
    struct source source = {.count = 1, .ns = {1}, .whole_ns = 1};
    struct flame_tree tree = tree_of(&source);
    struct flame flame = flame_layout(&tree, (struct flame_root){0, FLAME_ALL}, 79, 20, arena);
    assert_int_equal(flame.count, 2);
    assert_int_equal(flame.levels[1].boxes[0].width, 79);
}

// Ranges may be nested to any depth.
static void test_deep(void **state)
{
    (void)state;
    static struct source source;
    source.count = 1500;
    source.whole_ns = INT64_MAX;
    for (uint32_t r = 0; r < source.count; r++) {
        source.depth[r] = r;
        source.ns[r] = INT64_MAX - r;
    }
    struct flame_tree tree = tree_of(&source);
    struct flame_root root = {FLAME_WHOLE, FLAME_ALL};
    struct flame flame = flame_layout(&tree, root, 3, ROWS_MAX, arena);
    assert_int_equal(flame.count, 1501);
    struct flame_position at = flame_find(&tree, &flame, root, 1500, arena);
    assert_int_equal(at.level, 1500);
    assert_int_equal(flame_level_of(&tree, root, 1500), 1500);
}

// Cells are assigned by largest remainder: 10 cells for 97 ns.
static void test_cells(void **state)
{
    (void)state;
    // Exactly 5.15, 2.58, 1.03 cells; 0.62 and 0.31 share one of 0.93; 0.31 is the node's own time.
    struct source source = {
        .count = 5, .depth = {0, 0, 0, 0, 0}, .ns = {10, 50, 3, 25, 6}, .whole_ns = 97};
    struct flame_tree tree = tree_of(&source);
    struct flame flame = flame_layout(&tree, (struct flame_root){0, FLAME_ALL}, 10, 2, arena);
    static const struct flame_box wanted[] = {{.node = 1, .x = 0, .width = 1},
                                              {.node = 2, .x = 1, .width = 5},
                                              {.node = 4, .x = 6, .width = 3},
                                              {.node = 0, .more = 2, .x = 9, .width = 1}};
    assert_int_equal(flame.levels[1].count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct flame_box *box = &flame.levels[1].boxes[i];
        assert_int_equal(box->node, wanted[i].node);
        assert_int_equal(box->more, wanted[i].more);
        assert_int_equal(box->x, wanted[i].x);
        assert_int_equal(box->width, wanted[i].width);
    }
    assert_int_equal(tree.by_size[flame.levels[1].boxes[3].largest], 5);
}

// A thousand equal nodes fill a screen: they share one box, which shows half of its cells when
// opened.
static void test_equal_children(void **state)
{
    (void)state;
    static struct source source;
    source.count = 1000;
    source.whole_ns = 0;
    for (uint32_t r = 0; r < source.count; r++) {
        source.depth[r] = 0;
        source.ns[r] = 7;
        source.whole_ns += 7;
    }
    struct flame_tree tree = tree_of(&source);
    struct flame_root root = {FLAME_WHOLE, FLAME_ALL};
    struct flame flame = flame_layout(&tree, root, 80, 5, arena);
    assert_int_equal(flame.levels[1].count, 1);
    assert_int_equal(flame.levels[1].boxes[0].more, 1000);
    root.most_ns = 7;
    flame = flame_layout(&tree, root, 80, 5, arena);
    assert_int_equal(flame.levels[1].count, 41);
    assert_int_equal(flame.levels[1].boxes[40].more, 960);
    assert_int_equal(flame.levels[1].boxes[40].x + flame.levels[1].boxes[40].width, 80);
}

// A frame of hundreds of thousands of leaves costs only as much time and memory as its visible
// boxes.
static void test_frame_costs_its_cells(void **state)
{
    (void)state;
    enum { MANY = 300000 };
    uint32_t *depth = ARENA_ARRAY(arena, uint32_t, MANY);
    int64_t *ns = ARENA_ARRAY(arena, int64_t, MANY);
    for (uint32_t r = 0; r < MANY; r++) {
        depth[r] = r % 1000 ? 1 : 0;
        ns[r] = r % 1000 ? 1 : 999;
    }
    struct flame_tree tree = flame_tree_make(MANY, depth, ns, 0, arena);
    struct arena *frame = arena_new(1 << 20);
    assert_non_null(frame);
    struct flame flame = flame_layout(&tree, (struct flame_root){0, FLAME_ALL}, 200, 40, frame);
    assert_int_equal(flame.count, 2);
    assert_int_equal(flame.levels[1].boxes[0].more, MANY / 1000);
    flame = flame_layout(&tree, (struct flame_root){1, FLAME_ALL}, 200, 40, frame);
    assert_int_equal(flame.levels[1].boxes[0].more, 999);
    assert_true(arena_bytes(frame) < 100000);
    arena_free(frame);
}

static int set_up(void **state)
{
    (void)state;
    arena = arena_new(0);
    return arena ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_trees),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_one_node),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_equal_children),
        cmocka_unit_test(test_frame_costs_its_cells),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
