// SPDX-License-Identifier: Apache-2.0
// Checks on hand-made profiles which forward a backward node belongs to, and which ops a node
// reruns.
#include "property.h"

#include <inttypes.h>
#include <string.h>

#include "model/markers/markers.h"
#include "model/ops/backward_pairs.h"
#include "model/ops/reruns.h"
#include "profile_builder.h"

#define PYTHON(op) "{'mod': 'torch', 'op': '" op "', 'args': []}"

static struct profile_builder *builder;
static uint32_t forward_thread, engine_thread;

static int set_up(void **state)
{
    (void)state;
    builder = builder_new();
    forward_thread = builder_thread(builder, 1, 101);
    engine_thread = builder_thread(builder, 1, 102);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    builder_free(builder);
    return 0;
}

static uint32_t forward(int64_t start, int64_t end, const char *text)
{
    return builder_range(builder, forward_thread, start, end, text);
}

static uint32_t engine(int64_t start, int64_t end, const char *text)
{
    return builder_range(builder, engine_thread, start, end, text);
}

// Returns the titles of the rerun ranges, in order.
static const char *rerun_titles(void)
{
    const struct profile *profile = builder_build(builder, MODE_AUTO);
    struct arena *arena = profile->arena;
    const uint8_t *reruns = reruns_find(profile, arena);
    const char *titles = "";
    for (uint32_t row = 0; reruns && row < profile->ranges.count; row++)
        if (reruns[row])
            titles = arena_format(arena, "%s%s%s", titles, *titles ? " " : "",
                                  profile_text(profile, range_marker(profile, row)->title));
    assert_true(!reruns || *titles);
    return titles;
}

// ---- reruns ------------------------------------------------------------------------------------

static void test_up_to_its_own_work(void **state)
{
    (void)state;
    engine(0, 100, "autograd::engine::evaluate_function: MulBackward0");
    engine(1, 90, "MulBackward0, seq = 100");
    engine(2, 5, "aten::empty"); // the state of random numbers
    engine(10, 30, "aten::linear, seq = 105");
    engine(12, 29, "aten::addmm, seq = 106");
    engine(14, 20, "aten::expand");
    engine(31, 50, "aten::mul, seq = 107");
    engine(32, 40, "aten::to");
    engine(51, 60, "aten::mul");
    engine(91, 95, "aten::sum");
    assert_string_equal(rerun_titles(),
                        "aten::empty aten::linear aten::addmm aten::expand aten::mul aten::to");
}

static void test_in_python(void **state)
{
    (void)state;
    engine(0, 100, "MulBackward0, seq = 1");
    engine(1, 90, "layer:Net");
    engine(2, 50, PYTHON("linear"));
    engine(3, 4, "aten::addmm, seq = 5");
    engine(51, 80, PYTHON("mul"));
    engine(52, 53, "aten::mul, seq = 6");
    engine(54, 60, "aten::copy_"); // inside the range with the last number
    assert_string_equal(rerun_titles(), "Net linear aten::addmm mul aten::mul aten::copy_");
}

static void test_nodes_within(void **state)
{
    (void)state;
    engine(0, 100, "MulBackward0, seq = 1");
    engine(1, 20, "aten::mul, seq = 5");
    engine(30, 60, "MulBackward0, seq = 5");
    engine(31, 40, "aten::mul");
    engine(70, 80, "aten::mul");
    assert_string_equal(rerun_titles(), "aten::mul");
}

// In a backward that builds a graph all ops have numbers.
static void test_graph_is_made(void **state)
{
    (void)state;
    engine(0, 100, "MulBackward0, seq = 1");
    engine(1, 10, "aten::zeros");
    engine(11, 50, "aten::mul, seq = 5");
    engine(12, 20, "aten::to");
    engine(51, 60, "aten::mul, seq = 6");
    engine(100, 200, "SinBackward, seq = 2"); // a Python function
    engine(101, 150, PYTHON("cos"));
    engine(102, 103, "aten::cos, seq = 7");
    assert_string_equal(rerun_titles(), "");
}

// Up to PyTorch 1.5 all ops have numbers; ops of a backward have the number 0.
static void test_without_numbers(void **state)
{
    (void)state;
    engine(0, 100, "MulBackward, seq = 1");
    engine(1, 50, "mul, seq = 0");
    engine(51, 60, "aten::mul");
    assert_string_equal(rerun_titles(), "");
}

// A checkpoint reruns ops up to the one the node needs, or further.
static void test_without_its_forward(void **state)
{
    (void)state;
    engine(0, 100, "MulBackward0, seq = 1");
    engine(1, 50, "aten::relu, seq = 5");
    engine(51, 60, "aten::mul");
    assert_string_equal(rerun_titles(), "");
}

// So many nodes that several threads share the work.
static void test_many_nodes(void **state)
{
    (void)state;
    enum { NODES = 6000 };
    for (int64_t i = 0; i < NODES; i++) {
        int64_t time = i * 100;
        engine(time, time + 90, "MulBackward0, seq = 3");
        engine(time + 1, time + 20, "aten::relu, seq = 5");
        if (i % 3 == 0)
            engine(time + 21, time + 40, "aten::mul, seq = 6");
        engine(time + 50, time + 60, "aten::mul");
    }
    const struct profile *profile = builder_build(builder, MODE_AUTO);
    const uint8_t *reruns = reruns_find(profile, profile->arena);
    uint32_t marked = 0;
    for (uint32_t row = 0; row < profile->ranges.count; row++)
        marked += reruns[row];
    assert_int_equal(marked, NODES / 3 * 2);
}

// No thread can push and pop such ranges: relu is inside two of them, and the later one counts.
static void test_nodes_that_cross(void **state)
{
    (void)state;
    engine(0, 100, "MulBackward0, seq = 1");
    engine(1, 4, "aten::mul, seq = 5");
    engine(5, 20, "MulBackward0, seq = 2");
    engine(10, 30, "MulBackward0, seq = 3");
    engine(11, 12, "aten::mul, seq = 6");
    engine(25, 28, "aten::relu");
    engine(40, 45, "aten::add, seq = 7");
    engine(50, 60, "aten::mul");
    assert_string_equal(rerun_titles(), "aten::mul aten::mul aten::add");
}

// ---- forward and backward pairs ----------------------------------------------------------------

static void assert_pair(const uint32_t *pairs, uint32_t node, uint32_t of)
{
    assert_int_equal(pairs[builder->range_row[node]], builder->range_row[of] + 1);
}

static const uint32_t *find_pairs(void)
{
    const struct profile *profile = builder_build(builder, MODE_AUTO);
    return backward_pairs(profile, true, profile->arena);
}

// Sequence numbers are counted per thread: the autograd engine's thread uses the same numbers as
// the forward.
static void test_rerun_is_no_forward(void **state)
{
    (void)state;
    uint32_t addmm = forward(0, 10, "aten::addmm, seq = 11");
    uint32_t mul = forward(20, 30, "aten::mul, seq = 12");
    uint32_t asks = engine(100, 200, "MulBackward0, seq = 12");
    engine(110, 120, "aten::addmm, seq = 11");
    engine(130, 140, "aten::mul, seq = 12");
    engine(150, 160, "aten::mul");
    uint32_t next = engine(300, 400, "AddmmBackward0, seq = 11");
    const uint32_t *pairs = find_pairs();
    assert_pair(pairs, asks, mul);
    assert_pair(pairs, next, addmm);
}

static void test_backward_of_backward(void **state)
{
    (void)state;
    uint32_t gelu = forward(0, 10, "aten::gelu, seq = 3");
    uint32_t first = engine(100, 200, "GeluBackward0, seq = 3");
    uint32_t backward_node = engine(110, 190, "aten::gelu_backward, seq = 9");
    engine(120, 130, "aten::mul, seq = 9");
    uint32_t second = engine(300, 400, "GeluBackwardBackward0, seq = 9");
    const uint32_t *pairs = find_pairs();
    assert_pair(pairs, first, gelu);
    assert_pair(pairs, second, backward_node);
}

// A Python function is a plain range with a number.
static void test_function(void **state)
{
    (void)state;
    uint32_t function = forward(0, 100, "MyFunction, seq = 3");
    forward(10, 20, "aten::mul, seq = 3");
    uint32_t node = engine(200, 300, "MyFunctionBackward, seq = 3");
    assert_pair(find_pairs(), node, function);
}

// Each number occurs twice in the forward, and the second is the right one. The nodes follow, and
// then some without a forward.
static void pair_numbers(uint32_t processes, const int64_t *seqs, size_t count,
                         const int64_t *others, size_t other_count)
{
    enum { MAX_SEQS = 8, PROCESSES = 80 };
    uint32_t of[PROCESSES][MAX_SEQS], nodes[PROCESSES][MAX_SEQS], alone[PROCESSES][MAX_SEQS];
    struct arena *arena = builder->profile->arena;
    for (uint32_t p = 0; p < processes; p++) { // numbers are per process
        uint32_t thread = builder_thread(builder, 10 + p, 100),
                 back = builder_thread(builder, 10 + p, 200);
        for (size_t i = 0; i < count; i++) {
            const char *text = arena_format(arena, "aten::mul, seq = %" PRId64, seqs[i]);
            int64_t time = (int64_t)(i * 1000 + p * 10);
            builder_range(builder, thread, time, time + 2, text);
            of[p][i] = builder_range(builder, thread, time + 3, time + 5, text);
            text = arena_format(arena, "MulBackward0, seq = %" PRId64, seqs[i]);
            time = (int64_t)(100000 - i * 1000 + p * 10);
            nodes[p][i] = builder_range(builder, back, time, time + 2, text);
        }
        for (size_t i = 0; i < other_count; i++) {
            const char *text = arena_format(arena, "MulBackward0, seq = %" PRId64, others[i]);
            alone[p][i] = builder_range(builder, back, 200000 + (int64_t)i * 10,
                                        200005 + (int64_t)i * 10, text);
        }
    }
    const uint32_t *pairs = find_pairs();
    for (uint32_t p = 0; p < processes; p++) {
        for (size_t i = 0; i < count; i++)
            assert_pair(pairs, nodes[p][i], of[p][i]);
        for (size_t i = 0; i < other_count; i++)
            assert_int_equal(pairs[builder->range_row[alone[p][i]]], 0);
    }
}

static void test_numbers_close_together(void **state)
{
    (void)state;
    static const int64_t seqs[] = {100, 101, 103, 107, 104},
                         others[] = {99, 102, 108, 1, INT64_MAX};
    pair_numbers(3, seqs, 5, others, 5);
}

static void test_numbers_far_apart(void **state)
{
    (void)state;
    static const int64_t seqs[] = {5, 6, 4000000000, INT64_MAX, 7},
                         others[] = {4, 8, INT64_MAX - 1};
    pair_numbers(3, seqs, 5, others, 3);
}

static void test_numbers_of_many_processes(void **state)
{
    (void)state;
    static const int64_t seqs[] = {3, 4, 5}, others[] = {2, 6};
    pair_numbers(80, seqs, 3, others, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_up_to_its_own_work, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_in_python, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nodes_within, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_graph_is_made, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_its_forward, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rerun_is_no_forward, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_backward_of_backward, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_function, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers_close_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers_far_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers_of_many_processes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_nodes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nodes_that_cross, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
