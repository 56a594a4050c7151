// SPDX-License-Identifier: Apache-2.0
// Checks ops and op runs: identity as in DLProf, backward pairs, unassociated work, and the ops
// that plain ranges make.
#include "property.h"

#include <stdio.h>
#include <string.h>

#include "profile_builder.h"

#define TRACE(stack, path) "{'traceMarker': ['" stack "'], 'funcStack': '" path "'}"
#define OP(name)                                                                                \
    "{'mod': 'torch', 'op': '" name "', 'args': [{'name': '', 'type': 'tensor', 'shape': (32, " \
    "400), 'dtype': 'float32'}, {'name': '', 'type': 'tensor', 'shape': (120, 400), 'dtype': "  \
    "'float32'}]}"

// Adds a call of an op at [time, time + 100): traceMarker, op, and one launch at time + 20.
static uint32_t call_op(struct profile_builder *builder, uint32_t thread, int64_t time,
                        const char *trace, const char *op)
{
    builder_range(builder, thread, time, time + 100, trace);
    uint32_t range = builder_range(builder, thread, time + 10, time + 90, op);
    builder_launch(builder, thread, time + 20, "gemm");
    return range;
}

static const struct op *op_of_work(const struct profile_builder *builder, uint32_t work)
{
    const struct profile *profile = builder->profile;
    uint32_t instance = AT(profile->work.instance, builder->work_row[work]);
    return &profile->ops->items[AT(profile->ops->op, instance)];
}

static const struct op *find_op(const struct profile *profile, const char *id)
{
    for (uint32_t i = 0; i < profile->ops->count; i++)
        if (strcmp(profile_text(profile, profile->ops->items[i].id), id) == 0)
            return &profile->ops->items[i];
    fail_msg("no op %s", id);
    return NULL;
}

static const char *name_of(const struct profile *profile, const struct op *op)
{
    return profile_text(profile, op->name);
}

// Every call and every piece of work has an op run, and the lists of the runs hold each exactly
// once.
static void check_whole(const struct profile *profile)
{
    const struct ops *ops = profile->ops;
    for (uint32_t i = 0; i < profile->api.count; i++)
        assert_true(AT(profile->api.instance, i) < ops->instance_count);
    for (uint32_t i = 0; i < profile->work.count; i++)
        assert_true(AT(profile->work.instance, i) < ops->instance_count);
    assert_int_equal(AT(ops->first_api, ops->instance_count), profile->api.count);
    assert_int_equal(AT(ops->first_work, ops->instance_count), profile->work.count);
    uint32_t instances = 0;
    for (uint32_t i = 0; i < ops->count; i++) {
        assert_true(ops->items[i].instance_count > 0);
        instances += ops->items[i].instance_count;
        for (uint32_t n = 0; n < ops->items[i].instance_count; n++)
            assert_int_equal(AT(ops->op, AT(ops->by_op, ops->items[i].first_instance + n)), i);
    }
    assert_int_equal(instances, ops->instance_count);
    for (uint32_t i = 0; i < ops->instance_count; i++) {
        struct row_span span = op_work(ops, i);
        for (uint32_t n = span.first; n < span.end; n++)
            assert_int_equal(AT(profile->work.instance, AT(ops->work_rows, n)), i);
        span = op_calls(ops, i);
        for (uint32_t n = span.first; n < span.end; n++)
            assert_int_equal(AT(profile->api.instance, AT(ops->api_rows, n)), i);
        assert_true(i == 0 || AT(ops->start, i - 1) <= AT(ops->start, i));
        assert_true(op_self_ns(ops, i) >= 0);
    }
}

static void names_and_types(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    call_op(builder, thread, 0, TRACE("a.py:1", "/<module>/Net::forward(2)/linear"), OP("linear"));
    builder_range(builder, thread, 30, 60, OP("addmm")); // inside the op: not an op of its own
    struct profile *profile = builder_build(builder, MODE_AUTO);
    check_whole(profile);
    assert_int_equal(profile->mode, MODE_PYTORCH);
    assert_string_equal(profile->mode_reason, "PyTorch: 2 DLProf op markers found");
    const struct op *op = op_of_work(builder, 0);
    assert_string_equal(profile_text(profile, op->id), "LINEAR_1");
    assert_string_equal(name_of(profile, op), "/module/Net::forward[2]/linear");
    assert_string_equal(profile_text(profile, op->stack), "a.py:1");
    assert_string_equal(profile_text(profile, op->data_type), "float32");
    assert_int_equal(op->direction, DIRECTION_FPROP);
    assert_int_equal(op->tensor_core_eligible, STATE_YES);
    assert_int_equal(profile->ops->count, 1);
    assert_int_equal(op_self_ns(profile->ops, 0), 80);
    uint32_t marker = AT(profile->ops->marker, 0);
    assert_string_equal(op_shape_text(profile, marker, SHAPE_INPUT, profile->arena),
                        "<N:32, K:400>; <M:120, K:400>");
    assert_string_equal(op_shape_text(profile, marker, SHAPE_OUTPUT, profile->arena),
                        "<N:32, M:120>");
    assert_string_equal(op_shape_text(profile, marker, SHAPE_PARAMETERS, profile->arena), "");
    builder_free(builder);
}

// Impossible tensor sizes yield no parameters and do not overflow.
static void impossible_shapes(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    static const char least[] = "-9223372036854775808", most[] = "9223372036854775807";
    char text[600];
    snprintf(text, sizeof text,
             "{'mod': 'torch', 'op': 'conv2d', 'args': ["
             "{'name': '', 'type': 'tensor', 'shape': (1, 1, %s, %s), 'dtype': 'float32'}, "
             "{'name': '', 'type': 'tensor', 'shape': (1, 1, %s, %s), 'dtype': 'float32'}]}",
             least, most, least, most);
    builder_range(builder, thread, 0, 100, text);
    struct profile *profile = builder_build(builder, MODE_AUTO);
    assert_string_equal(
        op_shape_text(profile, AT(profile->ops->marker, 0), SHAPE_OUTPUT, profile->arena),
        "<N:1, K:1, P:0, Q:0>");
    builder_free(builder);
}

#define CONV2D(rest)                                                                   \
    "{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': ["                         \
    "{'name': '', 'type': 'tensor', 'shape': (32, 3, 224, 224), 'dtype': 'float16'}, " \
    "{'name': '', 'type': 'tensor', 'shape': (64, 3, 7, 7), 'dtype': 'float16'}, "     \
    "{'name': '', 'type': 'tensor', 'shape': (64,), 'dtype': 'float16'}" rest "]}"
#define ARGUMENT(name, type, value) ", {'name': '" name "', 'type': '" type "', 'value': " value "}"

// Arguments are found by position and by name, as one number or two. The output follows PyTorch's
// formula.
static void parameters_of_convolutions(void **state)
{
    (void)state;
    static const struct {
        const char *text, *parameters, *output;
    } cases[] = {
        {CONV2D(""), "", "<N:32, K:64, P:218, Q:218>"},
        {CONV2D(ARGUMENT("", "tuple", "(2, 2)") ARGUMENT("", "tuple", "(3, 1)")
                    ARGUMENT("", "int", "1") ARGUMENT("", "int", "1")),
         "<SH:2, SW:2>; <PH:3, PW:1>; <DH:1, DW:1>; <G:1>", "<N:32, K:64, P:112, Q:110>"},
        {CONV2D(ARGUMENT("groups", "int", "4") ARGUMENT("dilation", "tuple", "(2, 3)")
                    ARGUMENT("stride", "int", "2") ARGUMENT("nosuch", "int", "9")),
         "<SH:2, SW:2>; <PH:0, PW:0>; <DH:2, DW:3>; <G:4>", "<N:32, K:64, P:106, Q:103>"},
        {CONV2D(ARGUMENT("padding", "str", "'same'")), "", "<N:32, K:64, P:218, Q:218>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile_builder *builder = builder_new();
        uint32_t thread = builder_thread(builder, 1, 1);
        builder_range(builder, thread, 0, 100, cases[i].text);
        struct profile *profile = builder_build(builder, MODE_AUTO);
        uint32_t marker = AT(profile->ops->marker, 0);
        assert_string_equal(op_shape_text(profile, marker, SHAPE_PARAMETERS, profile->arena),
                            cases[i].parameters);
        assert_string_equal(op_shape_text(profile, marker, SHAPE_OUTPUT, profile->arena),
                            cases[i].output);
        builder_free(builder);
    }
}

// Occurrences count within a step; `backward` ends the step.
static void runs_of_one_name(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int64_t step = 0; step < 3; step++) {
        int64_t time = step * 1000;
        call_op(builder, thread, time, TRACE("a.py:1", "/<module>/cuda"), OP("cuda"));
        call_op(builder, thread, time + 200, TRACE("a.py:1", "/<module>/cuda"), OP("cuda"));
        call_op(builder, thread, time + 400, TRACE("a.py:2", "/<module>/backward"), OP("backward"));
    }
    call_op(builder, thread, 3000, TRACE("a.py:1", "/<module>/cuda"), OP("cuda"));
    struct profile *profile = builder_build(builder, MODE_AUTO);
    check_whole(profile);
    assert_int_equal(profile->ops->count, 3);
    assert_int_equal(find_op(profile, "CUDA_1")->instance_count, 4);
    assert_int_equal(find_op(profile, "CUDA_2")->instance_count, 3);
    assert_int_equal(find_op(profile, "CUDA_2")->occurrence, 1);
    assert_int_equal(find_op(profile, "BACKWARD_1")->instance_count, 3);
    assert_int_equal(find_op(profile, "BACKWARD_1")->direction, DIRECTION_BPROP);
    builder_free(builder);
}

static void backward_nodes(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t main_thread = builder_thread(builder, 1, 1);
    uint32_t autograd = builder_thread(builder, 1, 2);
    uint32_t other = builder_thread(builder, 2, 1); // the same numbers in another process
    call_op(builder, main_thread, 0, TRACE("a.py:1", "/<module>/linear"), OP("linear"));
    builder_range(builder, main_thread, 15, 50, "aten::linear, seq = 7");
    call_op(builder, main_thread, 200, TRACE("a.py:2", "/<module>/relu"), OP("relu"));
    builder_range(builder, main_thread, 215, 250, "aten::relu, seq = 0");
    call_op(builder, other, 300, TRACE("a.py:1", "/<module>/other"), OP("other"));
    builder_range(builder, other, 315, 350, "aten::other, seq = 7");
    builder_range(builder, main_thread, 1000, 2000, TRACE("a.py:3", "/<module>/backward"));
    builder_range(builder, main_thread, 1010, 1990, OP("backward"));
    builder_range(builder, autograd, 1100, 1200, "AddmmBackward0, seq = 7");
    builder_range(builder, autograd, 1300, 1400, "TBackward0, seq = 7");
    builder_range(builder, autograd, 1500, 1600, "ReluBackward0, seq = 0");
    uint32_t first = builder_launch(builder, autograd, 1110, "dgrad");
    uint32_t second = builder_launch(builder, autograd, 1310, "wgrad");
    uint32_t zero = builder_launch(builder, autograd, 1510, "relu_backward");
    uint32_t outside = builder_launch(builder, autograd, 1700, "accumulate");
    struct profile *profile = builder_build(builder, MODE_AUTO);
    check_whole(profile);
    const struct op *op = op_of_work(builder, first);
    assert_string_equal(name_of(profile, op), "/module/linear");
    assert_int_equal(op->direction, DIRECTION_BPROP);
    assert_string_equal(profile_text(profile, op->type), "linear");
    assert_string_equal(profile_text(profile, op->data_type), "float32");
    assert_int_equal(op->instance_count, 1);
    assert_ptr_equal(op_of_work(builder, second), op);
    uint32_t instance = AT(profile->ops->by_op, op->first_instance);
    assert_int_equal(AT(profile->ops->start, instance), 1100);
    assert_int_equal(AT(profile->ops->end, instance), 1400);
    // Sequence number 0 is ambiguous. Such work and the rest of the backward thread belong to
    // `backward`.
    assert_string_equal(name_of(profile, op_of_work(builder, zero)), "/module/backward");
    assert_string_equal(name_of(profile, op_of_work(builder, outside)), "/module/backward");
    assert_string_equal(profile_text(profile, op->id), "LINEAR_2");
    builder_free(builder);
}

// Runs of another thread that ended earlier do not hide one that is still running.
static void backward_around_many(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t main_thread = builder_thread(builder, 1, 1), second = builder_thread(builder, 1, 2);
    uint32_t autograd = builder_thread(builder, 1, 3);
    builder_range(builder, main_thread, 1000, 3000, OP("backward"));
    for (int64_t i = 0; i < 9; i++)
        builder_range(builder, second, 1100 + i * 50, 1120 + i * 50, OP("backward"));
    uint32_t inner = builder_launch(builder, autograd, 1110, "dgrad");
    uint32_t after = builder_launch(builder, autograd, 2000, "wgrad");
    uint32_t at_end = builder_launch(builder, autograd, 3000, "later");
    struct profile *profile = builder_build(builder, MODE_AUTO);
    check_whole(profile);
    struct column32 instance_of = profile->work.instance;
    assert_int_equal(AT(profile->ops->start, AT(instance_of, builder->work_row[inner])), 1100);
    assert_int_equal(AT(profile->ops->start, AT(instance_of, builder->work_row[after])), 1000);
    assert_true(op_of_work(builder, at_end)->is_unassociated);
    builder_free(builder);
}

static void unassociated_work(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    call_op(builder, thread, 0, TRACE("a.py:1", "/<module>/linear"), OP("linear"));
    uint32_t loose = builder_launch(builder, thread, 500, "loose_kernel");
    builder_call(builder, thread, 600, 650, "cudaDeviceSynchronize_v3020");
    builder_call(builder, thread, 700, 750, "cudaDeviceSynchronize_v3020");
    uint32_t unlaunched = builder_kernel(builder, ROW_NONE, 0, 7, 900, 950, "early_kernel");
    struct profile *profile = builder_build(builder, MODE_AUTO);
    check_whole(profile);
    const struct op *op = op_of_work(builder, loose);
    assert_string_equal(name_of(profile, op), "unassociated_loose_kernel");
    assert_true(op->is_unassociated);
    assert_int_equal(op->direction, DIRECTION_NONE);
    assert_int_equal(op->tensor_core_eligible, STATE_NO);
    assert_int_equal(find_op(profile, "CUDADEVICESYNCHRONIZE_V3020_1")->instance_count, 1);
    assert_int_equal(find_op(profile, "CUDADEVICESYNCHRONIZE_V3020_2")->instance_count, 1);
    op = op_of_work(builder, unlaunched);
    assert_string_equal(name_of(profile, op), "unassociated_early_kernel");
    uint32_t instance = AT(profile->ops->by_op, op->first_instance);
    assert_int_equal(AT(profile->ops->thread, instance), ROW_NONE);
    assert_int_equal(op_self_ns(profile->ops, instance), 0);
    builder_free(builder);
}

// Builds step > forward > aten::linear > aten::addmm to check paths, own time and the work of the
// innermost op.
static struct profile_builder *range_profile(void)
{
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    uint32_t autograd = builder_thread(builder, 1, 2);
    for (int n = 0; n < 2; n++) {
        int64_t time = n * 1000;
        char text[64];
        snprintf(text, sizeof text, "step %d", n);
        builder_range(builder, thread, time, time + 900, text);
        builder_range(builder, thread, time + 100, time + 400, "forward");
        snprintf(text, sizeof text, "aten::linear, seq = %d", n + 5);
        builder_range(builder, thread, time + 150, time + 250, text);
        snprintf(text, sizeof text, "aten::addmm, seq = %d", n + 5);
        builder_range(builder, thread, time + 160, time + 240, text);
        builder_launch(builder, thread, time + 170, "gemm");       // launches 0 and 4
        builder_launch(builder, thread, time + 300, "own_kernel"); // launches 1 and 5
        snprintf(text, sizeof text, "AddmmBackward0, seq = %d", n + 5);
        builder_range(builder, autograd, time + 500, time + 600,
                      "autograd::engine::evaluate_function: AddmmBackward0");
        builder_range(builder, autograd, time + 510, time + 560, text);
        builder_range(builder, autograd, time + 520, time + 540, "aten::mm");
        builder_launch(builder, autograd, time + 525, "dgrad");    // launches 2 and 6
        builder_launch(builder, autograd, time + 570, "bias_sum"); // launches 3 and 7
    }
    return builder;
}

static void ops_of_plain_ranges(void **state)
{
    (void)state;
    struct profile_builder *builder = range_profile();
    struct profile *profile = builder_build(builder, MODE_AUTO);
    check_whole(profile);
    assert_int_equal(profile->mode, MODE_RANGES);
    const struct op *linear = op_of_work(builder, 0), *forward = op_of_work(builder, 1);
    assert_string_equal(name_of(profile, linear), "/step N/forward/aten::linear");
    assert_string_equal(profile_text(profile, linear->type), "linear");
    assert_int_equal(linear->direction, DIRECTION_FPROP);
    assert_int_equal(linear->instance_count, 2);
    assert_string_equal(name_of(profile, forward), "/step N/forward");
    const struct op *step = find_op(profile, "STEP N_1");
    const struct ops *ops = profile->ops;
    assert_int_equal(op_self_ns(ops, AT(ops->by_op, step->first_instance)), 600);
    assert_int_equal(op_self_ns(ops, AT(ops->by_op, forward->first_instance)), 200);
    assert_int_equal(op_self_ns(ops, AT(ops->by_op, linear->first_instance)), 100);
    // The engine's range belongs to the node and includes the sum of the bias.
    const struct op *backward = op_of_work(builder, 2);
    assert_string_equal(name_of(profile, backward), "/step N/forward/aten::linear");
    assert_int_equal(backward->direction, DIRECTION_BPROP);
    assert_int_equal(backward->instance_count, 2);
    assert_ptr_equal(op_of_work(builder, 3), backward);
    builder_free(builder);
}

static void forced_modes(void **state)
{
    (void)state;
    static const enum mode modes[] = {MODE_SIMPLE,      MODE_PYTORCH,  MODE_TENSORFLOW1,
                                      MODE_TENSORFLOW2, MODE_TENSORRT, MODE_RANGES};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct profile_builder *builder = range_profile();
        struct profile *profile = builder_build(builder, modes[i]);
        check_whole(profile);
        assert_int_equal(profile->mode, modes[i]);
        assert_non_null(strstr(profile->mode_reason, "asked for"));
        bool has_ranges = modes[i] != MODE_SIMPLE;
        assert_int_equal(op_of_work(builder, 0)->is_unassociated, !has_ranges);
        if (!has_ranges) // all calls share one op
            assert_int_equal(profile->ops->count, 1);
        builder_free(builder);
    }
}

// vLLM's and SGLang's ranges record the shapes of a module's inputs, even if they differ between
// calls.
static void shapes_of_modules(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int n = 0; n < 2; n++) {
        char text[100];
        snprintf(text, sizeof text, "{'Module': 'model.mlp', 'Inputs': [[%d, 4096]]}", 16 + n);
        builder_range(builder, thread, n * 1000, n * 1000 + 900, text);
        builder_launch(builder, thread, n * 1000 + 10, "gemm");
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    check_whole(profile);
    assert_int_equal(op_of_work(builder, 0)->instance_count, 2);
    for (uint32_t i = 0; i < 2; i++)
        assert_string_equal(
            op_shape_text(profile, AT(profile->ops->marker, i), SHAPE_INPUT, profile->arena),
            i ? "<17, 4096>" : "<16, 4096>");
    builder_free(builder);
}

// NCCL's ranges are ops only in profiles with TensorFlow ops; inside an op they belong to it.
static void nccl_of_tensorflow(void **state)
{
    (void)state;
    for (int has_op = 0; has_op < 2; has_op++) {
        struct profile_builder *builder = builder_new();
        uint32_t thread = builder_thread(builder, 1, 1), pool = builder_thread(builder, 1, 2);
        builder_range_in(builder, "NCCL", thread, 0, 100, "ncclAllReduce");
        uint32_t loose = builder_launch(builder, thread, 10, "nccl");
        builder_range_in(builder, "TSL", pool, 0, 300,
                         has_op ? "a/NcclReduce:NcclReduce" : "other");
        builder_range_in(builder, "NCCL", pool, 100, 200, "ncclReduce");
        uint32_t inner = builder_launch(builder, pool, 110, "nccl");
        struct profile *profile = builder_build(builder, MODE_AUTO);
        check_whole(profile);
        assert_string_equal(name_of(profile, op_of_work(builder, loose)),
                            has_op ? "NCCL/ncclAllReduce" : "/ncclAllReduce");
        assert_string_equal(name_of(profile, op_of_work(builder, inner)),
                            has_op ? "a/NcclReduce" : "/other/ncclReduce");
        assert_string_equal(profile_text(profile, op_of_work(builder, loose)->type),
                            has_op ? "NCCL" : "ncclAllReduce");
        builder_free(builder);
    }
}

static void named_ops(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    builder_range_in(builder, "TensorRT", thread, 0, 500, "ExecutionContext::execute");
    builder_range_in(builder, "TensorRT", thread, 10, 100, "/conv1/Conv + /relu/Relu");
    builder_range_in(builder, "TensorRT", thread, 110, 200, "/fc/Gemm");
    builder_range_in(builder, "TensorRT", thread, 310, 400, "/fc/Gemm");
    uint32_t work = builder_launch(builder, thread, 20, "conv");
    builder_launch(builder, thread, 120, "gemm");
    uint32_t loose = builder_launch(builder, thread, 450, "copy");
    struct profile *profile = builder_build(builder, MODE_AUTO);
    check_whole(profile);
    assert_int_equal(profile->mode, MODE_TENSORRT);
    assert_string_equal(name_of(profile, op_of_work(builder, work)), "/conv1/Conv + /relu/Relu");
    assert_int_equal(find_op(profile, "GEMM_1")->instance_count, 2);
    assert_true(op_of_work(builder, loose)->is_unassociated);
    builder_free(builder);
}

// Ranges nested deeper than any stack are all kept, and names stay bounded.
static void deep_nesting(void **state)
{
    (void)state;
    enum { DEPTH = 20000 };
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int64_t i = 0; i < DEPTH; i++) {
        char text[32];
        snprintf(text, sizeof text, "level_%d", (int)(i % 100));
        builder_range(builder, thread, i, 4 * DEPTH - i, text);
    }
    builder_launch(builder, thread, 2 * DEPTH, "deepest");
    struct profile *profile = builder_build(builder, MODE_AUTO);
    check_whole(profile);
    for (uint32_t i = 0; i < profile->ops->count; i++)
        assert_true(strlen(name_of(profile, &profile->ops->items[i])) < 9000);
    assert_false(op_of_work(builder, 0)->is_unassociated);
    assert_true(arena_bytes(profile->arena) < (size_t)300 << 20);
    builder_free(builder);
}

static void empty_profile(void **state)
{
    (void)state;
    for (enum mode mode = MODE_AUTO; mode < MODE_COUNT; mode++) {
        struct profile_builder *builder = builder_new();
        struct profile *profile = builder_build(builder, mode);
        check_whole(profile);
        assert_int_equal(profile->ops->count, 0);
        builder_free(builder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_types),
        cmocka_unit_test(impossible_shapes),
        cmocka_unit_test(parameters_of_convolutions),
        cmocka_unit_test(runs_of_one_name),
        cmocka_unit_test(backward_nodes),
        cmocka_unit_test(backward_around_many),
        cmocka_unit_test(unassociated_work),
        cmocka_unit_test(ops_of_plain_ranges),
        cmocka_unit_test(forced_modes),
        cmocka_unit_test(shapes_of_modules),
        cmocka_unit_test(nccl_of_tensorflow),
        cmocka_unit_test(named_ops),
        cmocka_unit_test(deep_nesting),
        cmocka_unit_test(empty_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
