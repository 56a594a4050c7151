// SPDX-License-Identifier: Apache-2.0
// Whose backward a node is, and what a node runs again.
#include "property.h"

#include <string.h>

#include "model/backward_pairs.h"
#include "model/markers.h"
#include "model/reruns.h"
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

// The titles of what is run again, in order.
static const char *run_again(void)
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

// ---- what is run again -------------------------------------------------------------------------

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
    assert_string_equal(run_again(),
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
    engine(54, 60, "aten::copy_"); // lies in what has the last number
    assert_string_equal(run_again(), "Net linear aten::addmm mul aten::mul aten::copy_");
}

static void test_nodes_within(void **state)
{
    (void)state;
    engine(0, 100, "MulBackward0, seq = 1");
    engine(1, 20, "aten::mul, seq = 5");
    engine(30, 60, "MulBackward0, seq = 5");
    engine(31, 40, "aten::mul");
    engine(70, 80, "aten::mul");
    assert_string_equal(run_again(), "aten::mul");
}

// All that a backward does which makes a graph has numbers.
static void test_graph_is_made(void **state)
{
    (void)state;
    engine(0, 100, "MulBackward0, seq = 1");
    engine(1, 10, "aten::zeros");
    engine(11, 50, "aten::mul, seq = 5");
    engine(12, 20, "aten::to");
    engine(51, 60, "aten::mul, seq = 6");
    engine(100, 200, "SinBackward, seq = 2"); // a function of Python's
    engine(101, 150, PYTHON("cos"));
    engine(102, 103, "aten::cos, seq = 7");
    assert_string_equal(run_again(), "");
}

// Up to PyTorch 1.5 all ops have numbers, those of a backward 0.
static void test_without_numbers(void **state)
{
    (void)state;
    engine(0, 100, "MulBackward, seq = 1");
    engine(1, 50, "mul, seq = 0");
    engine(51, 60, "aten::mul");
    assert_string_equal(run_again(), "");
}

// A checkpoint is run again up to what the node asks for, or farther.
static void test_without_its_forward(void **state)
{
    (void)state;
    engine(0, 100, "MulBackward0, seq = 1");
    engine(1, 50, "aten::relu, seq = 5");
    engine(51, 60, "aten::mul");
    assert_string_equal(run_again(), "");
}

// ---- pairs -------------------------------------------------------------------------------------

static void assert_pair(const uint32_t *pairs, uint32_t node, uint32_t of)
{
    assert_int_equal(pairs[builder->range_row[node]], builder->range_row[of] + 1);
}

static const uint32_t *find_pairs(void)
{
    const struct profile *profile = builder_build(builder, MODE_AUTO);
    return backward_pairs(profile, true, profile->arena);
}

// Threads count numbers of their own: the engine's are the forward's once more.
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
    uint32_t own = engine(110, 190, "aten::gelu_backward, seq = 9");
    engine(120, 130, "aten::mul, seq = 9");
    uint32_t second = engine(300, 400, "GeluBackwardBackward0, seq = 9");
    const uint32_t *pairs = find_pairs();
    assert_pair(pairs, first, gelu);
    assert_pair(pairs, second, own);
}

// A function of Python's is a plain range with a number.
static void test_function(void **state)
{
    (void)state;
    uint32_t function = forward(0, 100, "MyFunction, seq = 3");
    forward(10, 20, "aten::mul, seq = 3");
    uint32_t node = engine(200, 300, "MyFunctionBackward, seq = 3");
    assert_pair(find_pairs(), node, function);
}

// Numbers that lie close together and such that do not are told apart alike.
static void test_numbers_apart(void **state)
{
    (void)state;
    static const char *const seqs[] = {"5", "6", "4000000000", "9000000000000000000", "7"};
    enum { COUNT = sizeof seqs / sizeof *seqs };
    uint32_t of[COUNT], nodes[COUNT];
    struct arena *arena = builder->profile->arena;
    uint32_t other = builder_thread(builder, 2, 201); // numbers are of a process
    for (int64_t i = 0; i < COUNT; i++) {
        forward(i * 20, i * 20 + 5, arena_format(arena, "aten::mul, seq = %s", seqs[i]));
        of[i] =
            forward(i * 20 + 10, i * 20 + 15, arena_format(arena, "aten::mul, seq = %s", seqs[i]));
        builder_range(builder, other, i * 20 + 16, i * 20 + 18,
                      arena_format(arena, "aten::mul, seq = %s", seqs[i]));
        nodes[i] = engine(1000 - i * 20, 1010 - i * 20,
                          arena_format(arena, "MulBackward0, seq = %s", seqs[i]));
    }
    uint32_t alone = engine(2000, 2010, "MulBackward0, seq = 8");
    const uint32_t *pairs = find_pairs();
    for (int i = 0; i < COUNT; i++)
        assert_pair(pairs, nodes[i], of[i]);
    assert_int_equal(pairs[builder->range_row[alone]], 0);
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
        cmocka_unit_test_setup_teardown(test_numbers_apart, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
