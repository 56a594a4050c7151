// SPDX-License-Identifier: Apache-2.0
// Checks the op tree against expected pictures: paths, adoption, CUDA graphs and folding. Random
// profiles check its invariants.
#include "property.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/markers/markers.h"
#include "model/open/open.h"
#include "paths.h"
#include "profile_builder.h"

#define OP(name) "{'mod': 'torch', 'op': '" name "', 'args': []}"

static struct profile_builder *builder;
static uint32_t main_thread;

static int set_up(void **state)
{
    (void)state;
    builder = builder_new();
    main_thread = builder_thread(builder, 1, 101);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    builder_free(builder);
    return 0;
}

static uint32_t range(int64_t start, int64_t end, const char *text)
{
    return builder_range(builder, main_thread, start, end, text);
}

static struct profile *build(void)
{
    return builder_build(builder, MODE_AUTO);
}

static void assert_tree(const struct op_tree *tree, const char *picture)
{
    assert_string_equal(tree_picture(builder->profile, tree), picture);
}

static void assert_node(uint32_t work, const char *path)
{
    const struct profile *profile = builder->profile;
    uint32_t node = AT(profile->work.node, builder->work_row[work]);
    assert_string_equal(node_path(profile, profile->tree, node), path);
}

static uint8_t flags_of(uint32_t work)
{
    return (uint8_t)AT(builder->profile->work.flags, builder->work_row[work]);
}

// Checks the invariants that hold for the trees of any profile.
static void check_trees(const struct profile *profile)
{
    const struct op_tree *trees[] = {profile->tree, profile->folded_tree};
    for (int t = 0; t < 2; t++) {
        const struct op_tree *tree = trees[t];
        assert_int_equal(tree->parent[0], ROW_NONE);
        assert_int_equal(tree->subtree_end[0], tree->count);
        for (uint32_t i = 1; i < tree->count; i++) {
            assert_true(tree->parent[i] < i);
            assert_true(i < tree->subtree_end[tree->parent[i]]);
            assert_true(tree->subtree_end[i] <= tree->subtree_end[tree->parent[i]]);
            assert_int_equal(tree->depth[i], tree->depth[tree->parent[i]] + 1);
        }
        assert_int_equal(tree->kind[tree->outside], NODE_OUTSIDE);
        assert_int_equal(tree->parent[tree->outside], 0);
        assert_int_equal(tree->subtree_end[tree->outside], tree->count); // no further nodes
    }
    // Folding keeps parents and totals.
    const struct op_tree *tree = profile->tree, *folded = profile->folded_tree;
    for (uint32_t i = 1; i < tree->count; i++)
        assert_int_equal(tree->folded[tree->parent[i]], folded->parent[tree->folded[i]]);
    assert_int_equal(tree->folded[tree->outside], folded->outside);
    // Siblings have different names.
    for (int t = 0; t < 2; t++)
        for (uint32_t i = 1; i < trees[t]->count && trees[t]->count < 500; i++)
            for (uint32_t n = trees[t]->subtree_end[i];
                 n < trees[t]->count && trees[t]->parent[n] == trees[t]->parent[i];
                 n = trees[t]->subtree_end[n])
                assert_int_not_equal(trees[t]->name[i], trees[t]->name[n]);
    for (uint32_t i = 0; i < profile->work.count; i++) {
        assert_true(AT(profile->work.node, i) < tree->count);
        if (HAS(profile->work.forward_node))
            assert_true(AT(profile->work.forward_node, i) < tree->count ||
                        AT(profile->work.forward_node, i) == ROW_NONE);
    }
}

// The work of a subtree is the work of its root plus the work of its children, folded or not.
static void check_totals(const struct profile *profile)
{
    const struct op_tree *trees[] = {profile->tree, profile->folded_tree};
    for (int t = 0; t < 2; t++) {
        const struct op_tree *tree = trees[t];
        int64_t *own_ns = ARENA_ARRAY(profile->arena, int64_t, tree->count);
        int64_t *subtree_ns = ARENA_ARRAY(profile->arena, int64_t, tree->count);
        int64_t all = 0;
        for (uint32_t i = 0; i < profile->work.count; i++) {
            int64_t length = AT(profile->work.end, i) - AT(profile->work.start, i);
            uint32_t node = AT(profile->work.node, i);
            own_ns[t ? profile->tree->folded[node] : node] += length;
            all += length;
        }
        for (uint32_t i = tree->count; i-- > 0;) {
            subtree_ns[i] += own_ns[i];
            if (i)
                subtree_ns[tree->parent[i]] += subtree_ns[i];
        }
        assert_true(subtree_ns[0] == all);
        for (uint32_t i = 0; i < tree->count; i++) {
            int64_t sum = 0;
            for (uint32_t n = i; n < tree->subtree_end[i]; n++)
                sum += own_ns[n];
            assert_true(sum == subtree_ns[i]);
        }
    }
}

// ---- paths ------------------------------------------------------------------------------------

static void steps_are_one_node(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 3; i++) {
        char text[32];
        snprintf(text, sizeof text, "step %d", (int)i);
        range(i * 100, i * 100 + 90, text);
        range(i * 100 + 10, i * 100 + 50, "forward");
        builder_launch(builder, main_thread, i * 100 + 20, "k");
    }
    uint32_t loose = builder_launch(builder, main_thread, 1000, "k");
    struct profile *profile = build();
    check_trees(profile);
    check_totals(profile);
    assert_tree(profile->tree, "step N\n"
                               "  forward\n"
                               "(outside ranges)\n");
    assert_node(0, "step N/forward");
    assert_node(loose, "(outside ranges)");
    assert_int_equal(profile->tree->kind[1], NODE_STEP);
}

static void module_paths_are_relative(void **state)
{
    (void)state;
    range(0, 1000, "forward");
    range(10, 900, "model.layers.3");
    range(20, 200, "model.layers.3.mlp");
    range(30, 100, "aten::linear");
    range(40, 90, "aten::addmm");
    range(110, 180, "aten::linear");
    range(300, 400, "model.layers.3.attn");
    builder_launch(builder, main_thread, 50, "k");
    builder_launch(builder, main_thread, 120, "k");
    struct profile *profile = build();
    check_trees(profile);
    assert_tree(profile->tree, "forward\n"
                               "  model\n"
                               "    layers.3\n"
                               "      mlp\n"
                               "        aten::linear\n"
                               "          aten::addmm\n"
                               "        aten::linear(2)\n"
                               "      attn\n"
                               "(outside ranges)\n");
    assert_node(0, "forward/model/layers.3/mlp/aten::linear/aten::addmm");
    assert_node(1, "forward/model/layers.3/mlp/aten::linear(2)");
}

static void stacks_of_dlprof(void **state)
{
    (void)state;
    range(0, 1000, "train");
    for (int64_t i = 0; i < 2; i++) {
        int64_t t = 100 + i * 300;
        range(t, t + 200, "{'traceMarker': ['a:1'], 'funcStack': '/<module>/Net::forward/relu'}");
        range(t + 10, t + 190, OP("relu"));
        range(t + 20, t + 100,
              "{'traceMarker': ['a:1', 'b:2'], 'funcStack': '/<module>/Net::forward/relu/relu'}");
        range(t + 30, t + 90, OP("relu"));
        range(t + 120, t + 150, "aten::relu");
        builder_launch(builder, main_thread, t + 40, "k");
    }
    struct profile *profile = build();
    check_trees(profile);
    assert_int_equal(profile->mode, MODE_PYTORCH);
    assert_tree(profile->tree, "train\n"
                               "  <module>\n"
                               "    Net::forward\n"
                               "      relu\n"
                               "        relu\n"
                               "        aten::relu\n"
                               "      relu(2)\n"
                               "        relu\n"
                               "        aten::relu\n"
                               "(outside ranges)\n");
    assert_node(1, "train/<module>/Net::forward/relu(2)/relu");
    // The traceMarker has no node; the op has one.
    uint32_t trace = 1;
    assert_int_equal(AT(profile->ranges.node, trace), ROW_NONE);
    uint32_t node = AT(profile->ranges.node, trace + 1);
    assert_int_equal(profile->tree->op[node],
                     AT(profile->ops->op, AT(profile->ranges.instance, 2)));
}

static void stacks_begin_below_their_layers(void **state)
{
    (void)state;
    static const struct {
        const char *layers[3];
        const char *stack;
        const char *path;
    } CASES[] = {
        {{NULL}, "/Net::_call_impl/f/relu", "Net::_call_impl/f/relu"},
        {{"layer:Net"}, "/main/Net::_call_impl/forward/relu", "Net/relu"},
        {{"layer:Net"}, "/main/Net::_call_impl/forward/helper/relu", "Net/helper/relu"},
        {{"layer:Net"}, "/main/Net::_call_impl/hook/relu", "Net/hook/relu"},
        {{"layer:Net", "layer:b.0"},
         "/main/Net::_call_impl/Net::forward/Block::_call_impl(2)/forward(2)/relu",
         "Net/b.0/relu"},
        {{"layer:Net", "layer:b.0", "layer:b.0.fc"},
         "/main/Net::_call_impl/forward/Block::_call_impl/forward/Linear::_call_impl/"
         "Linear::forward/"
         "linear",
         "Net/b.0/fc/linear"},
        // A call that belongs to no layer is kept. A layer that is not a call replaces none.
        {{"layer:Net"},
         "/main/Net::_call_impl/forward/Block::_call_impl/forward/relu",
         "Net/Block::_call_impl/forward/relu"},
        {{"layer:Net", "layer:mine"}, "/Net::_call_impl/forward/relu", "Net/mine/relu"},
        {{"layer:Net"}, "/main/my_call_impl/relu", "Net/main/my_call_impl/relu"},
        // The op is kept whatever its name.
        {{"layer:Net"}, "/main/Net::_call_impl/forward", "Net/forward"},
        {{"layer:Net"}, "/main/_call_impl", "Net/main/_call_impl"},
    };
    enum { CASE_COUNT = sizeof CASES / sizeof *CASES };
    for (int64_t i = 0; i < CASE_COUNT; i++) {
        int64_t start = i * 1000, end = start + 900;
        char text[256], op[64];
        for (size_t k = 0; k < 3 && CASES[i].layers[k]; k++)
            range(start++, end--, CASES[i].layers[k]);
        snprintf(text, sizeof text, "{'traceMarker': ['a:1'], 'funcStack': '%s'}", CASES[i].stack);
        range(start++, end--, text);
        const char *name = strrchr(CASES[i].stack, '/') + 1;
        snprintf(op, sizeof op, "{'mod': 'torch', 'op': '%s', 'args': []}", name);
        range(start++, end--, op);
        builder_launch(builder, main_thread, start, "k");
    }
    struct profile *profile = build();
    check_trees(profile);
    for (uint32_t i = 0; i < CASE_COUNT; i++)
        assert_node(i, CASES[i].path);
}

static void fsdp_names_modules(void **state)
{
    (void)state;
    range(0, 50, "FSDP::pre_forward (block.0.layer.1)");
    range(60, 90, "aten::mm");
    builder_launch(builder, main_thread, 65, "k");
    range(100, 150, "FSDP::pre_forward (block.0.layer.1.mlp)");
    range(160, 190, "aten::mm");
    range(200, 250, "FSDP::post_forward (block.0.layer.1.mlp)");
    range(260, 290, "aten::mm");
    range(300, 350, "FSDP::post_forward (block.0.layer.1)");
    range(360, 390, "aten::mm");
    struct profile *profile = build();
    check_trees(profile);
    assert_tree(profile->tree, "block.0\n"
                               "  layer.1\n"
                               "    FSDP::pre_forward\n"
                               "    aten::mm\n"
                               "    mlp\n"
                               "      FSDP::pre_forward\n"
                               "      aten::mm\n"
                               "      FSDP::post_forward\n"
                               "    aten::mm(2)\n"
                               "    FSDP::post_forward\n"
                               "aten::mm\n"
                               "(outside ranges)\n");
    assert_node(0, "block.0/layer.1/aten::mm");
}

static void libraries_are_leaves(void **state)
{
    (void)state;
    range(0, 1000, "forward");
    builder_range_in(builder, "NCCL", main_thread, 100, 500, "ncclGroup");
    range(200, 300, "mine");
    builder_range_in(builder, "NCCL", main_thread, 210, 250, "ncclAllReduce");
    struct profile *profile = build();
    check_trees(profile);
    assert_tree(profile->tree, "forward\n"
                               "  ncclGroup\n"
                               "  mine\n"
                               "    ncclAllReduce\n"
                               "(outside ranges)\n");
}

static void ranges_beyond_maximal_depth(void **state)
{
    (void)state;
    enum { DEPTH = 30000 };
    for (int64_t i = 0; i < DEPTH; i++)
        range(i, 4 * DEPTH - i, i % 2 ? "odd" : "even");
    builder_launch(builder, main_thread, 2 * DEPTH, "k");
    struct profile *profile = build();
    check_trees(profile);
    check_totals(profile);
    assert_true(profile->tree->count < DEPTH);
    assert_int_not_equal(AT(profile->work.node, 0), profile->tree->outside);
}

// ---- adoption ---------------------------------------------------------------------------------

static void blocked_thread_adopts(void **state)
{
    (void)state;
    uint32_t autograd = builder_thread(builder, 1, 102);
    uint32_t loader = builder_thread(builder, 1, 103);
    uint32_t foreign = builder_thread(builder, 2, 201);
    range(0, 10000, "train");
    range(1000, 5000, "Backward");
    builder_range(builder, foreign, 0, 10000, "other process");
    // This thread has an open range and makes calls all the time, hence it is not blocked and does
    // not adopt.
    builder_range(builder, loader, 3000, 10000, "loader");
    for (int64_t t = 2900; t < 9000; t += 20)
        builder_call(builder, loader, t, t + 5, "cudaMemcpyAsync_v3020");
    uint32_t alone = builder_launch(builder, autograd, 1500, "k");
    uint32_t contested[20];
    for (int i = 0; i < 20; i++)
        contested[i] = builder_launch(builder, autograd, 3500 + i * 15, "k");
    uint32_t later = builder_launch(builder, autograd, 20000, "k");
    uint32_t own = builder_launch(builder, main_thread, 900, "k");
    struct profile *profile = build();
    check_trees(profile);
    assert_node(alone, "train/Backward");
    assert_true(flags_of(alone) & WORK_ADOPTED);
    for (int i = 0; i < 20; i++)
        assert_node(contested[i], "train/Backward");
    assert_node(later, "(outside ranges)");
    assert_false(flags_of(later) & WORK_ADOPTED);
    assert_node(own, "train");
    assert_false(flags_of(own) & WORK_ADOPTED);
    uint32_t node = node_find(profile, profile->tree, "train/Backward");
    assert_int_equal(profile->tree->adopted_tid[node], 102);
    assert_int_equal(profile->folded_tree->adopted_tid[profile->tree->folded[node]], 102);
}

static void two_waiting_threads_adopt_nothing(void **state)
{
    (void)state;
    uint32_t autograd = builder_thread(builder, 1, 102);
    uint32_t second = builder_thread(builder, 1, 103);
    range(0, 10000, "Backward");
    builder_range(builder, second, 0, 10000, "waiting too");
    uint32_t work = builder_launch(builder, autograd, 5000, "k");
    build();
    assert_node(work, "(outside ranges)");
}

// The main thread waits for the executor's threads and adopts them; no executor thread adopts
// another.
static void executors_are_adopted(void **state)
{
    (void)state;
    uint32_t pool[] = {builder_thread(builder, 1, 102), builder_thread(builder, 1, 103)};
    range(0, 10000, "train");
    uint32_t work[2];
    for (int i = 0; i < 2; i++) {
        builder_range_in(builder, "TSL", pool[i], 1000, 2000, "replica_1/dense/MatMul:MatMul");
        work[i] = builder_launch(builder, pool[i], 1100, "gemm");
    }
    builder_range_in(builder, "TSL", pool[0], 5000, 6000,
                     "XlaModule:#hlo_module=jit_f,program_id=1#");
    builder_range_in(builder, "TSL", pool[0], 5100, 5900,
                     "Thunk:#name=jit(f)/dense/dot,hlo_op=dot.1#");
    uint32_t thunk = builder_launch(builder, pool[0], 5200, "gemm");
    uint32_t alone = builder_launch(builder, pool[1], 5300, "copy");
    struct profile *profile = build();
    check_trees(profile);
    for (int i = 0; i < 2; i++)
        assert_node(work[i], "train/replica_1/dense/MatMul");
    assert_node(thunk, "train/XlaModule jit_f/dense/dot/dot.1");
    assert_true(flags_of(thunk) & WORK_ADOPTED);
    assert_node(alone, "train");
}

static void scopes_are_places(void **state)
{
    (void)state;
    builder_range_in(builder, "TSL", main_thread, 0, 1000, "Thunk:#name=a/while,hlo_op=while.3#");
    builder_range_in(builder, "TSL", main_thread, 10, 100,
                     "Thunk:#name=a/while/body/add,hlo_op=loop_add_fusion.2#");
    builder_range_in(builder, "TSL", main_thread, 110, 200, "Thunk:#name=b/add,hlo_op=add.9#");
    builder_range_in(builder, "TSL", main_thread, 2000, 2100, "layer/MatMul:MatMul");
    builder_range_in(builder, "TSL", main_thread, 2200, 2300, "layer/MatMul_1:MatMul");
    builder_range_in(builder, "TensorRT", main_thread, 3000, 3100,
                     "/l1/l1.0/conv2/Conv + /l1/l1.0/Add + /l1/l1.0/relu_1/Relu");
    builder_range_in(builder, "TensorRT", main_thread, 3200, 3300,
                     "{ForeignNode[/l1/attn/MatMul.../l1/attn/Softmax]}");
    builder_range_in(builder, "TensorRT", main_thread, 3400, 3500, "/conv/Conv + /relu/Relu");
    builder_range_in(builder, "TensorRT", main_thread, 3600, 3700, "/l2/conv/l2/Add");
    struct profile *profile = build();
    check_trees(profile);
    assert_tree(profile->tree, "a\n"
                               "  while\n"
                               "    while.3\n"
                               "      body\n"
                               "        add\n"
                               "          loop_add_fusion.2\n"
                               "      b\n"
                               "        add\n"
                               "          add.9\n"
                               "layer\n"
                               "  MatMul\n"
                               "  MatMul_1\n"
                               "l1\n"
                               "  l1.0\n"
                               "    conv2/Conv + Add + relu_1/Relu\n"
                               "  attn\n"
                               "    {ForeignNode[MatMul...Softmax]}\n"
                               "/conv/Conv + /relu/Relu\n"
                               "l2\n"
                               "  conv\n"
                               "    l2\n"
                               "      Add\n"
                               "(outside ranges)\n");
}

static void engine_ranges_are_adopted(void **state)
{
    (void)state;
    uint32_t autograd = builder_thread(builder, 1, 102);
    range(0, 400, "forward");
    range(100, 200, "aten::linear, seq = 3");
    range(110, 190, "aten::addmm, seq = 4");
    range(1000, 5000, "backward");
    builder_range(builder, autograd, 2000, 2200,
                  "autograd::engine::evaluate_function: AddmmBackward0");
    builder_range(builder, autograd, 2010, 2100, "AddmmBackward0, seq = 4");
    builder_range(builder, autograd, 2020, 2090, "aten::mm");
    uint32_t node_work = builder_launch(builder, autograd, 2030, "dgrad");
    uint32_t bias_sum = builder_launch(builder, autograd, 2150, "sum");
    struct profile *profile = build();
    check_trees(profile);
    assert_tree(profile->tree, "forward\n"
                               "  aten::linear\n"
                               "    aten::addmm\n"
                               "backward\n"
                               "  evaluate_function: AddmmBackward0\n"
                               "    AddmmBackward0\n"
                               "      aten::mm\n"
                               "(outside ranges)\n");
    assert_true(flags_of(node_work) & WORK_ADOPTED);
    uint32_t forward = node_find(profile, profile->tree, "forward/aten::linear/aten::addmm");
    assert_int_equal(AT(profile->work.forward_node, builder->work_row[node_work]), forward);
    assert_int_equal(AT(profile->work.forward_node, builder->work_row[bias_sum]), forward);
}

// ---- CUDA graphs ------------------------------------------------------------------------------

static uint32_t replay(int64_t time, uint32_t thread)
{
    return builder_call(builder, thread, time, time + 10, "cudaGraphLaunch_v10000");
}

static void graph_nodes_know_their_layer(void **state)
{
    (void)state;
    range(0, 1000, "capture");
    range(100, 200, "model.attn");
    range(300, 400, "model.mlp");
    builder_graph_node(builder, 11, 0, main_thread, 150);
    builder_graph_node(builder, 12, 0, main_thread, 350);
    // Nodes of the executed graph are clones of clones of the captured ones; nodes 31 and 32 form a
    // cycle.
    builder_graph_node(builder, 21, 11, ROW_NONE, UNKNOWN);
    builder_graph_node(builder, 22, 12, ROW_NONE, UNKNOWN);
    builder_graph_node(builder, 31, 32, ROW_NONE, UNKNOWN);
    builder_graph_node(builder, 32, 31, ROW_NONE, UNKNOWN);
    uint32_t attn[2], unknown[2];
    for (int i = 0; i < 2; i++) {
        int64_t t = 2000 + i * 1000;
        char text[32];
        snprintf(text, sizeof text, "step %d", i);
        range(t, t + 900, text);
        uint32_t call = replay(t + 100, main_thread);
        attn[i] = builder_kernel(builder, call, 0, 7, t + 200, t + 210, "a");
        builder_in_graph(builder, attn[i], 5, 21);
        uint32_t mlp = builder_kernel(builder, call, 0, 7, t + 220, t + 230, "m");
        builder_in_graph(builder, mlp, 5, 22);
        unknown[i] = builder_kernel(builder, call, 0, 7, t + 240, t + 250, "u");
        builder_in_graph(builder, unknown[i], 5, 31);
    }
    struct profile *profile = build();
    check_trees(profile);
    check_totals(profile);
    assert_tree(profile->tree, "capture\n"
                               "  model\n"
                               "    attn\n"
                               "    mlp\n"
                               "step N\n"
                               "  (captured under)\n"
                               "    capture\n"
                               "      model\n"
                               "        attn\n"
                               "        mlp\n"
                               "  [graph 5]\n"
                               "    u\n"
                               "(outside ranges)\n");
    assert_node(attn[1], "step N/(captured under)/capture/model/attn");
    assert_int_equal(flags_of(attn[1]), WORK_CAPTURED | WORK_IN_GRAPH);
    assert_node(unknown[1], "step N/[graph 5]/u");
    assert_int_equal(flags_of(unknown[1]), WORK_IN_GRAPH);
    const struct note *note = profile_find_note(profile, "graph_nodes_without_capture");
    assert_non_null(note);
    assert_int_equal(note->count, 2);
}

static void graphs_of_two_processes(void **state)
{
    (void)state;
    uint32_t other = builder_thread(builder, 2, 201);
    range(0, 100, "capture_a");
    builder_range(builder, other, 0, 100, "capture_b");
    builder_graph_node(builder, 11, 0, main_thread, 50);
    builder_graph_node(builder, 11, 0, other, 50);
    uint32_t a = builder_kernel(builder, replay(500, main_thread), 0, 7, 600, 610, "k");
    uint32_t b = builder_kernel(builder, replay(500, other), 1, 7, 600, 610, "k");
    builder_in_graph(builder, a, 5, 11);
    builder_in_graph(builder, b, 5, 11);
    struct profile *profile = build();
    check_trees(profile);
    check_totals(profile);
    assert_node(a, "(outside ranges)/(captured under)/capture_a");
    assert_node(b, "(outside ranges)/(captured under)/capture_b");
}

// A node captured by an autograd thread belongs to the range of the thread that waits for it,
// although the clone is made under another range. A range that ends on another thread hides
// nothing.
static void captures_of_autograd_threads_are_adopted(void **state)
{
    (void)state;
    uint32_t autograd = builder_thread(builder, 1, 102);
    range(0, 1000, "capture");
    range(100, 200, "forward");
    uint32_t cross_thread = range(120, 130, "away");
    range(300, 400, "backward");
    builder_graph_node(builder, 11, 0, main_thread, 150);
    builder_graph_node(builder, 12, 0, autograd, 350);
    builder_graph_node(builder, 21, 11, main_thread, 900);
    builder_graph_node(builder, 22, 12, main_thread, 900);
    range(2000, 2900, "replay");
    uint32_t call = replay(2100, main_thread);
    uint32_t before = builder_kernel(builder, call, 0, 7, 2200, 2210, "f");
    uint32_t after = builder_kernel(builder, call, 0, 7, 2220, 2230, "b");
    builder_in_graph(builder, before, 5, 21);
    builder_in_graph(builder, after, 5, 22);
    builder_range_open(builder, cross_thread, RANGE_CROSS_THREAD);
    struct profile *profile = build();
    check_trees(profile);
    check_totals(profile);
    assert_node(before, "replay/(captured under)/capture/forward");
    assert_node(after, "replay/(captured under)/capture/backward");
}

static void whole_graphs_are_placed_at_their_launch(void **state)
{
    (void)state;
    range(0, 1000, "decode");
    uint32_t row = builder_graph_row(builder, replay(100, main_thread), 0, 7, 200, 300, 12);
    build();
    assert_node(row, "decode");
}

// ---- folding ----------------------------------------------------------------------------------

static void numbered_siblings_fold(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 5; i++) {
        char text[64];
        int64_t t = i * 100;
        snprintf(text, sizeof text, "model.layers.%d", (int)i);
        range(t, t + 90, text);
        snprintf(text, sizeof text, "model.layers.%d.attn", (int)i);
        range(t + 10, t + 40, text);
        for (int64_t k = 0; k < 3; k++) {
            snprintf(text, sizeof text, "chunk %d", (int)k);
            range(t + 11 + k * 5, t + 14 + k * 5, text);
        }
        if (i == 4) // has another shape
            range(t + 50, t + 60, "moe");
        builder_launch(builder, main_thread, t + 11, "k");
    }
    for (int64_t i = 0; i < 2; i++) // too few
        range(600 + i * 10, 605 + i * 10, i ? "block 1" : "block 0");
    struct profile *profile = build();
    check_trees(profile);
    check_totals(profile);
    assert_tree(profile->folded_tree, "model\n"
                                      "  layers.* x4\n"
                                      "    attn\n"
                                      "      chunk * x3\n"
                                      "  layers.4\n"
                                      "    attn\n"
                                      "      chunk * x3\n"
                                      "    moe\n"
                                      "block 0\n"
                                      "block 1\n"
                                      "(outside ranges)\n");
    uint32_t raw = node_find(profile, profile->tree, "model/layers.2");
    uint32_t folded = node_find(profile, profile->folded_tree, "model/layers.*");
    assert_int_equal(profile->tree->folded[raw], folded);
}

// Modules that DLProf numbers by call are layers, which fold. So do ops of one name where nothing
// marks steps.
static void numbered_calls_fold(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 4; i++) {
        char text[128], number[8] = "";
        if (i)
            snprintf(number, sizeof number, "(%d)", (int)i + 1);
        snprintf(text, sizeof text, "{'traceMarker': [], 'funcStack': '/Net/Block%s/mm'}", number);
        for (int64_t k = 0; k < 3; k++) {
            int64_t t = i * 1000 + k * 100;
            range(t, t + 90, text);
            range(t + 10, t + 80, OP("mm"));
        }
    }
    struct profile *profile = build();
    check_trees(profile);
    assert_tree(profile->folded_tree, "Net\n"
                                      "  Block(*) x4\n"
                                      "    mm x3\n"
                                      "(outside ranges)\n");
}

// ---- properties -------------------------------------------------------------------------------

// Builds random ranges of all dialects, nested and straddling, on several threads.
static void random_profile(struct random *random)
{
    static const char *const texts[] = {
        "forward",
        "Backward",
        "step 1",
        "step 2",
        "layer:a.0.b",
        "layer:a.1",
        "model.layers.2.mlp",
        "aten::mm, seq = 3",
        "aten::mm, seq = 4",
        "AddmmBackward0, seq = 3",
        "chunk 1",
        "chunk 2",
        "chunk 3",
        "autograd::engine::evaluate_function: AddmmBackward0",
        OP("relu"),
        "{'traceMarker': ['a:1'], 'funcStack': '/<module>/a/relu'}",
        "{'traceMarker': ['a:1'], 'funcStack': '/m/A::_call_impl/forward/relu'}",
        "FSDP::pre_forward (a.0)",
        "FSDP::post_forward (a.0)",
        "{broken",
        "",
        "XlaModule:#hlo_module=jit_f,program_id=3#",
        "Thunk:#name=a/while,hlo_op=while.3#",
        "Thunk:#name=a/while/b/dot,hlo_op=dot.3#",
        "a/b/MatMul:MatMul",
        "a/MatMul:MatMul",
        "/a/b/Conv + /a/Relu",
    };
    static const char *const domains[] = {"", "", "", "", "", "NCCL", "TSL", "TSL", "TensorRT"};
    uint32_t threads[4] = {main_thread, builder_thread(builder, 1, 102),
                           builder_thread(builder, 1, 103), builder_thread(builder, 2, 201)};
    size_t count = random_below(random, 120);
    for (size_t i = 0; i < count; i++) {
        int64_t start = (int64_t)random_below(random, 1000);
        int64_t length = (int64_t)random_below(random, random_below(random, 4) ? 60 : 1000);
        uint32_t row = builder_range_in(builder, domains[random_below(random, 9)],
                                        threads[random_below(random, 4)], start, start + length,
                                        texts[random_below(random, sizeof texts / sizeof *texts)]);
        if (!random_below(random, 20))
            builder_range_open(builder, row,
                               random_below(random, 2) ? RANGE_OPEN : RANGE_CROSS_THREAD);
    }
    count = random_below(random, 80);
    for (size_t i = 0; i < count; i++) {
        uint32_t thread = threads[random_below(random, 4)];
        int64_t time = (int64_t)random_below(random, 1000);
        uint32_t work = builder_launch(builder, thread, time, i % 3 ? "k" : "m");
        if (!random_below(random, 4))
            builder_in_graph(builder, work, 5, (int64_t)random_below(random, 6) + 1);
        builder_graph_node(builder, (int64_t)random_below(random, 8),
                           (int64_t)random_below(random, 8), thread, time);
    }
}

static void trees_of_random_profiles(void **state)
{
    (void)state;
    struct random random = {42};
    for (int round = 0; round < random_rounds(300); round++) {
        tear_down(NULL);
        set_up(NULL);
        random_profile(&random);
        struct profile *profile = build();
        check_trees(profile);
        check_totals(profile);
    }
}

static bool derive(void *context, struct error *error)
{
    struct profile *profile = context;
    (void)error;
    markers_parse(profile);
    ops_build(profile, MODE_AUTO);
    op_tree_build(profile);
    return true;
}

// Fails each allocation once; each failure must be reported without a leak.
static void out_of_memory(void **state)
{
    (void)state;
    bool done = false;
    unsigned failures = 0;
    for (uint64_t n = 1; !done; n++) {
        tear_down(NULL);
        set_up(NULL);
        struct random random = {3};
        random_profile(&random);
        struct profile *profile = builder_link(builder);
        struct error error = {0};
        arena_fail_at(n);
        done = arena_run(profile->arena, derive, profile, &error);
        arena_fail_at(0);
        if (!done) {
            assert_int_equal(error.kind, ERROR_MEMORY);
            failures++;
        }
    }
    assert_true(failures > 50);
}

// ---- a real capture ---------------------------------------------------------------------------

// In a real training loop with plain ranges, the adopted kernels are the kernels outside all
// ranges, and all are adopted by Backward.
static void backward_of_a_real_training(void **state)
{
    (void)state;
    const char *path = source_path("/../shared/corpus/nsys/jsun012_cs336_2025.1.3/profile.sqlite");
    if (access(path, R_OK) != 0) {
        print_message("skipped: %s is not here\n", path);
        skip();
    }
    struct load_request request = {.path = path};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    uint32_t adopted = 0, without_range = 0;
    for (uint32_t i = 0; i < profile->work.count; i++) {
        if (profile->functions[AT(profile->work.function, i)].kind != WORK_KERNEL)
            continue;
        uint32_t launch = AT(profile->work.launch, i);
        bool is_outside = launch == ROW_NONE || AT(profile->api.range, launch) == ROW_NONE;
        without_range += is_outside;
        if (!(AT(profile->work.flags, i) & WORK_ADOPTED))
            continue;
        adopted++;
        assert_true(is_outside);
        const char *name = profile_text(profile, profile->tree->name[AT(profile->work.node, i)]);
        assert_string_equal(name, "Backward");
    }
    assert_int_equal(without_range, 6135);
    assert_int_equal(adopted, 6135);
    check_trees(profile);
    check_totals(profile);
    profile_free(profile);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(steps_are_one_node),
        TEST(module_paths_are_relative),
        TEST(stacks_of_dlprof),
        TEST(stacks_begin_below_their_layers),
        TEST(fsdp_names_modules),
        TEST(libraries_are_leaves),
        TEST(ranges_beyond_maximal_depth),
        TEST(blocked_thread_adopts),
        TEST(two_waiting_threads_adopt_nothing),
        TEST(executors_are_adopted),
        TEST(scopes_are_places),
        TEST(engine_ranges_are_adopted),
        TEST(graph_nodes_know_their_layer),
        TEST(graphs_of_two_processes),
        TEST(captures_of_autograd_threads_are_adopted),
        TEST(whole_graphs_are_placed_at_their_launch),
        TEST(numbered_siblings_fold),
        TEST(numbered_calls_fold),
        TEST(trees_of_random_profiles),
        TEST(out_of_memory),
        cmocka_unit_test(backward_of_a_real_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
