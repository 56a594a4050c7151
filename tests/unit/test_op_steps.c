// SPDX-License-Identifier: Apache-2.0
// Checks that an op is one op over all steps, whoever marks them, and that markers which only pass
// a call on do not swallow ops. Real captures are read in place from the corpus.
#include "property.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/reports/report_list.h"
#include "model/open/open.h"
#include "model/ops/ops_number.h"
#include "paths.h"
#include "profile_builder.h"
#include "scenario.h"
#include "trace_text.h"

#define TRACE(path) "{'traceMarker': ['a.py:1'], 'funcStack': '" path "'}"
#define OP_OF(mod, name)                                                                          \
    "{'mod': '" mod "', 'op': '" name "', 'args': [{'name': '', 'type': 'tensor', 'shape': (32, " \
    "400), 'dtype': 'float32'}, {'name': '', 'type': 'tensor', 'shape': (120, 400), 'dtype': "    \
    "'float32'}]}"
#define OP(name) OP_OF("torch", name)

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

static void range(int64_t start, int64_t end, const char *text)
{
    builder_range(builder, main_thread, start, end, text);
}

// Adds an op with a launch at [time, time + 100).
static void op(int64_t time, const char *trace, const char *text)
{
    range(time, time + 100, trace);
    range(time + 10, time + 90, text);
    builder_launch(builder, main_thread, time + 20, "gemm");
}

static const struct op *op_of(const struct profile *profile, const char *id)
{
    for (uint32_t i = 0; i < profile->ops->count; i++)
        if (strcmp(profile_text(profile, profile->ops->items[i].id), id) == 0)
            return &profile->ops->items[i];
    fail_msg("no op %s", id);
    return NULL;
}

// A step of two linears from one line and a relu, without a backward.
static void step(int64_t time)
{
    op(time + 100, TRACE("/main/linear"), OP("linear"));
    op(time + 300, TRACE("/main/linear"), OP("linear"));
    op(time + 500, TRACE("/main/relu"), OP("relu"));
}

static void check_steps(int64_t steps)
{
    struct profile *profile = builder_build(builder, MODE_AUTO);
    static const char *const ids[] = {"LINEAR_1", "LINEAR_2", "RELU_1"};
    assert_int_equal(profile->ops->count, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(op_of(profile, ids[i])->instance_count, steps);
    assert_int_equal(op_of(profile, "LINEAR_2")->occurrence, 1);
}

// ---- steps that are marked ---------------------------------------------------------------------

static void one_op_over_numbered_steps(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 5; i++) {
        char text[32];
        snprintf(text, sizeof text, "step %d", (int)i + 40);
        range(i * 1000, i * 1000 + 900, text);
        step(i * 1000);
    }
    check_steps(5);
}

// A loader numbers its batches on a thread of its own, at its own pace; micro-batches are parts of
// steps; an epoch encloses all.
static void only_outermost_steps_of_the_launching_thread_count(void **state)
{
    (void)state;
    uint32_t loader = builder_thread(builder, 1, 102);
    range(0, 6000, "iteration 1");
    for (int64_t i = 0; i < 5; i++) {
        char text[32];
        snprintf(text, sizeof text, "step %d", (int)i);
        range(100 + i * 1000, 100 + i * 1000 + 900, text);
        for (int64_t micro = 0; micro < 2; micro++) {
            snprintf(text, sizeof text, "batch %d", (int)micro);
            range(100 + i * 1000 + 95 + micro * 190, 100 + i * 1000 + 215 + micro * 190, text);
        }
        step(100 + i * 1000);
    }
    for (int64_t i = 0; i < 30; i++) {
        char text[32];
        snprintf(text, sizeof text, "it_%d", (int)i);
        builder_range(builder, loader, i * 170, i * 170 + 100, text);
    }
    check_steps(5);
}

static void steps_of_each_process_count_for_it(void **state)
{
    (void)state;
    uint32_t other = builder_thread(builder, 2, 201);
    for (int64_t i = 0; i < 4; i++) {
        char text[32];
        snprintf(text, sizeof text, "step %d", (int)i);
        range(i * 1000, i * 1000 + 900, text);
        step(i * 1000);
        // The other process is half a step behind.
        builder_range(builder, other, i * 1000 + 400, i * 1000 + 1390, text);
        for (int k = 0; k < 2; k++) {
            int64_t time = i * 1000 + 500 + k * 200;
            builder_range(builder, other, time, time + 100, TRACE("/main/linear"));
            builder_range(builder, other, time + 10, time + 90, OP("linear"));
            builder_launch(builder, other, time + 20, "gemm");
        }
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    assert_int_equal(profile->ops->count, 3);
    assert_int_equal(op_of(profile, "LINEAR_1")->instance_count, 8);
    assert_int_equal(op_of(profile, "LINEAR_2")->instance_count, 8);
    assert_int_equal(op_of(profile, "RELU_1")->instance_count, 4);
}

// The healthy twin: a `backward` alone does what it did.
static void a_backward_still_ends_a_step(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 5; i++) {
        step(i * 1000);
        op(i * 1000 + 700, TRACE("/main/backward"), OP("backward"));
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    assert_int_equal(profile->ops->count, 4);
    assert_int_equal(op_of(profile, "LINEAR_2")->instance_count, 5);
    assert_int_equal(op_of(profile, "BACKWARD_1")->instance_count, 5);
}

// The user may name the op that ends a step.
static void a_key_op_ends_a_step(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 5; i++)
        step(i * 1000);
    builder->profile->key_op = "/main/relu";
    check_steps(5);
}

// ---- steps that nothing marks ------------------------------------------------------------------

// DLProf's rule, which a run of it pins: each occurrence is an op. In the folded tree they are one.
static void turns_without_marks_fold(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 4; i++)
        step(i * 1000);
    struct profile *profile = builder_build(builder, MODE_AUTO);
    assert_int_equal(profile->ops->count, 12);
    assert_int_equal(op_of(profile, "LINEAR_8")->instance_count, 1);
    assert_string_equal(tree_picture(profile, profile->folded_tree), "main\n"
                                                                     "  linear x8\n"
                                                                     "  relu x4\n"
                                                                     "(outside ranges)\n");
}

// Ops of one step with different numbers are different ops, also where only one step is recorded.
static void ops_of_a_step_do_not_fold(void **state)
{
    (void)state;
    range(0, 900, "step 4");
    for (int64_t k = 0; k < 3; k++)
        op(100 + k * 200, TRACE("/main/linear"), OP("linear"));
    struct profile *profile = builder_build(builder, MODE_AUTO);
    assert_string_equal(tree_picture(profile, profile->folded_tree), "step N\n"
                                                                     "  main\n"
                                                                     "    linear\n"
                                                                     "    linear(2)\n"
                                                                     "    linear(3)\n"
                                                                     "(outside ranges)\n");
}

// ... nor where each of several processes has recorded one step, and where as many processes as
// steps are in the file, most of them without ops.
static void ops_of_a_step_do_not_fold_in_processes(void **state)
{
    (void)state;
    enum { STEPS = 3 };
    static const char *const names[] = {"linear\n", "linear(2)\n", "linear(3)\n"};
    for (int is_idle = 0; is_idle < 2; is_idle++) {
        struct profile_builder *ranks = builder_new();
        for (uint32_t p = 1; p <= STEPS; p++) {
            uint32_t thread = builder_thread(ranks, p, p * 100 + 1);
            if (is_idle && p > 1)
                builder_range(ranks, thread, 0, 10, "loader");
            for (int64_t i = 0; i < (is_idle ? p == 1 ? STEPS : 0 : 1); i++) {
                char text[32];
                snprintf(text, sizeof text, "step %d", (int)i);
                builder_range(ranks, thread, i * 1000, i * 1000 + 900, text);
                for (int64_t k = 0; k < 3; k++) {
                    int64_t time = i * 1000 + 100 + k * 200;
                    builder_range(ranks, thread, time, time + 100, TRACE("/main/linear"));
                    builder_range(ranks, thread, time + 10, time + 90, OP("linear"));
                    builder_launch(ranks, thread, time + 20, "gemm");
                }
            }
        }
        struct profile *profile = builder_build(ranks, MODE_AUTO);
        assert_int_equal(profile->ops->step_bounds, is_idle ? STEPS : 1);
        const char *picture = tree_picture(profile, profile->folded_tree);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            assert_non_null(strstr(picture, names[k]));
        builder_free(ranks);
    }
}

static void a_long_loop_is_one_op(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct profile_builder *loop = builder_new();
        uint32_t thread = builder_thread(loop, 1, 101);
        for (int64_t i = 0; i < LOOP_RUNS + more; i++) {
            builder_range(loop, thread, i * 100, i * 100 + 90, TRACE("/main/linear"));
            builder_range(loop, thread, i * 100 + 10, i * 100 + 80, OP("linear"));
        }
        builder_range(loop, thread, 500000, 500090, OP("relu"));
        struct profile *profile = builder_build(loop, MODE_AUTO);
        assert_int_equal(profile->ops->count, more ? 2 : LOOP_RUNS + 1);
        assert_int_equal(op_of(profile, "LINEAR_1")->instance_count, more ? LOOP_RUNS + 1 : 1);
        builder_free(loop);
    }
}

// ---- whole profiles ----------------------------------------------------------------------------

static size_t row_count(const struct profile *profile, const char *name, struct arena *arena)
{
    struct selection all = selection_all(split_find(profile, arena));
    return report_find(name)->build(profile, &all, arena).count;
}

struct figures {
    uint32_t ops, most_calls;
    size_t rows, tensor;
};

static struct figures figures_of(const char *scenario)
{
    struct profile *profile = scenario_open(scenario);
    struct arena *arena = arena_new(0);
    struct figures figures = {.ops = profile->ops->count};
    for (uint32_t i = 0; i < profile->ops->count; i++)
        if (!profile->ops->items[i].is_unassociated &&
            profile->ops->items[i].instance_count > figures.most_calls)
            figures.most_calls = profile->ops->items[i].instance_count;
    figures.rows = row_count(profile, "ops", arena);
    figures.tensor = row_count(profile, "tensor", arena);
    arena_free(arena);
    profile_free(profile);
    return figures;
}

// The number of ops and rows does not grow with the number of steps, and is about that of the twin
// whose markers have a `backward`.
static void a_training_without_backward_markers(void **state)
{
    (void)state;
    struct figures few = figures_of("iterations --steps=6"),
                   many = figures_of("iterations --steps=18");
    struct figures twin = figures_of("steps --steps=18 --markers=dlprof");
    assert_int_equal(few.ops, many.ops);
    assert_int_equal(few.rows, many.rows);
    assert_int_equal(few.tensor, many.tensor);
    assert_true(many.most_calls >= 18);
    assert_int_equal(many.tensor, twin.tensor);
    // Without the `backward` around them its loose calls are ops of their own.
    assert_in_range(many.rows, twin.rows - 5, twin.rows + 5);
}

static void an_evaluation_that_nothing_marks(void **state)
{
    (void)state;
    struct figures few = figures_of("evaluation --steps=6"), many = figures_of("evaluation");
    assert_true(many.ops > few.ops); // DLProf's rule
    assert_int_equal(few.rows, many.rows);
    assert_true(many.rows < 120);
}

// In a trace of the PyTorch Profiler ops are places, in which a step has one name.
static uint32_t ops_of_trace(int steps)
{
    static struct trace_text trace;
    trace = (struct trace_text){.length = 0};
    for (int i = 0; i < steps; i++) {
        char text[32];
        snprintf(text, sizeof text, "ProfilerStep#%d", i + 7);
        trace_event(&trace, "user_annotation", text, 1, i * 1000, 900, "\"k\": 0");
        trace_event(&trace, "cpu_op", "aten::linear", 1, i * 1000 + 100, 100, "\"k\": 0");
        trace_event(&trace, "cpu_op", "aten::linear", 1, i * 1000 + 300, 100, "\"k\": 0");
        trace_event(&trace, "cuda_runtime", "cudaLaunchKernel", 1, i * 1000 + 320, 5,
                    "\"correlation\": %d", i + 1);
        trace_event(&trace, "kernel", "gemm", 70, i * 1000 + 400, 50,
                    "\"correlation\": %d, \"device\": 0, \"stream\": 7", i + 1);
    }
    struct profile *profile = trace_load(&trace, 1);
    uint32_t count = profile->ops->count;
    profile_free(profile);
    return count;
}

static void profiler_steps_of_a_trace(void **state)
{
    (void)state;
    assert_int_equal(ops_of_trace(3), ops_of_trace(9));
}

// ---- wrappers ----------------------------------------------------------------------------------

static int64_t work_ns(const struct profile *profile, const struct op *op)
{
    int64_t sum = 0;
    for (uint32_t n = 0; n < op->instance_count; n++) {
        struct row_span work =
            op_work(profile->ops, AT(profile->ops->by_op, op->first_instance + n));
        for (uint32_t i = work.first; i < work.end; i++) {
            uint32_t row = AT(profile->ops->work_rows, i);
            sum += AT(profile->work.end, row) - AT(profile->work.start, row);
        }
    }
    return sum;
}

// A wrapper is an op only for what it calls itself.
static void wrappers_do_not_swallow(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 5; i++)
        range(i, 2000 - i, OP("__getattr__"));
    op(100, TRACE("/main/linear"), OP("linear"));
    op(300, TRACE("/main/linear"), OP("linear"));
    builder_launch(builder, main_thread, 500, "own");
    struct profile *profile = builder_build(builder, MODE_AUTO);
    assert_int_equal(profile->ops->count, 3);
    assert_int_equal(work_ns(profile, op_of(profile, "LINEAR_1")), 10);
    assert_int_equal(work_ns(profile, op_of(profile, "LINEAR_2")), 10);
    const struct op *own = op_of(profile, "__GETATTR___1");
    assert_int_equal(own->instance_count, 1);
    assert_int_equal(work_ns(profile, own), 10);
    // The innermost, which makes the call, without the two ops in it.
    uint32_t instance = AT(profile->ops->by_op, own->first_instance);
    assert_int_equal(op_self_ns(profile->ops, instance), 1992 - 2 * 80);
    assert_string_equal(tree_picture(profile, profile->tree), "__getattr__\n"
                                                              "  main\n"
                                                              "    linear\n"
                                                              "    linear(2)\n"
                                                              "(outside ranges)\n");
}

static void a_wrapper_without_calls_is_no_op(void **state)
{
    (void)state;
    range(0, 1000, OP_OF("my.module", "run_all"));
    op(100, TRACE("/main/linear"), OP("linear"));
    struct profile *profile = builder_build(builder, MODE_AUTO);
    assert_int_equal(profile->ops->count, 1);
    assert_int_equal(op_of(profile, "LINEAR_1")->instance_count, 1);
}

// Twins: an op with a formula has what is in it, and so have a backward, an optimizer and a loader,
// and a function without a formula around others without one.
static void outer_ops_stay(void **state)
{
    (void)state;
    static const char *const outer[] = {OP_OF("torch.nn.functional", "relu"),
                                        OP_OF("Tensor", "backward"), OP_OF("Adam", "step"),
                                        OP_OF("torch.utils.data.dataloader", "__next__")};
    static const char *const ids[] = {"RELU_1", "BACKWARD_1", "STEP_1", "__NEXT___1"};
    for (size_t i = 0; i < 4; i++) {
        range((int64_t)i * 1000, (int64_t)i * 1000 + 900, outer[i]);
        op((int64_t)i * 1000 + 100, TRACE("/main/inner"), OP("relu"));
    }
    range(5000, 5900, OP("has_torch_function_unary"));
    op(5100, TRACE("/main/inner"), OP("are_deterministic_algorithms_enabled"));
    struct profile *profile = builder_build(builder, MODE_AUTO);
    assert_null(profile->ops->wrappers);
    assert_int_equal(profile->ops->count, 5);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(work_ns(profile, op_of(profile, ids[i])), 10);
}

// A real capture in which 702 `torch.__getattr__` are around everything.
static void wrappers_of_a_real_capture(void **state)
{
    (void)state;
    const char *path =
        source_path("/../shared/corpus/nsys/yyhtbs_pyprof_deep_2024.2.1/profile.sqlite");
    if (access(path, R_OK) != 0) {
        print_message("skipped: no corpus at %s\n", path);
        skip();
    }
    struct error error;
    struct load_request request = {.path = path};
    struct profile *profile = profile_load(&request, &error);
    assert_non_null(profile);
    struct {
        const char *type;
        uint32_t ops, work;
    } expected[] = {// as counted from the rows of the file
                    {"conv2d", 18, 97}, {"cat", 18, 18},     {"interpolate", 12, 12},
                    {"cuda", 10, 10},   {"__mul__", 12, 12}, {"__getattr__", 1, 210}};
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++) {
        uint32_t ops = 0, work = 0;
        for (uint32_t i = 0; i < profile->ops->count; i++) {
            const struct op *op = &profile->ops->items[i];
            if (strcmp(profile_text(profile, op->type), expected[e].type) != 0)
                continue;
            ops++;
            for (uint32_t n = 0; n < op->instance_count; n++) {
                struct row_span span =
                    op_work(profile->ops, AT(profile->ops->by_op, op->first_instance + n));
                work += span.end - span.first;
            }
        }
        assert_int_equal(ops, expected[e].ops);
        assert_int_equal(work, expected[e].work);
    }
    assert_int_equal(node_find(profile, profile->tree, "__getattr__/__getattr__"), ROW_NONE);
    assert_int_not_equal(node_find(profile, profile->folded_tree, "__getattr__/conv2d"), ROW_NONE);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(one_op_over_numbered_steps),
        TEST(only_outermost_steps_of_the_launching_thread_count),
        TEST(steps_of_each_process_count_for_it),
        TEST(a_backward_still_ends_a_step),
        TEST(a_key_op_ends_a_step),
        TEST(turns_without_marks_fold),
        TEST(ops_of_a_step_do_not_fold),
        cmocka_unit_test(ops_of_a_step_do_not_fold_in_processes),
        cmocka_unit_test(a_long_loop_is_one_op),
        cmocka_unit_test(a_training_without_backward_markers),
        cmocka_unit_test(an_evaluation_that_nothing_marks),
        cmocka_unit_test(profiler_steps_of_a_trace),
        TEST(wrappers_do_not_swallow),
        TEST(a_wrapper_without_calls_is_no_op),
        TEST(outer_ops_stay),
        cmocka_unit_test(wrappers_of_a_real_capture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
