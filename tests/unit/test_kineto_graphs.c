// SPDX-License-Identifier: Apache-2.0
// Replayed CUDA graphs in traces: a kernel has the op of the captured launch if the trace shows
// which launch it is; otherwise the reason is reported.
#include "model/open/open.h"
#include "property.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/op_runs/op_calls.h"
#include "model/digest/digest.h"
#include "model/ops/graph_match.h"
#include "model/ops/op_tree.h"
#include "model/ops/ops.h"
#include "trace_text.h"

enum { HOST = 1, ENGINE = 2 }; // threads
#define COPY "[memcpy DtoD]"

// ---- building traces ---------------------------------------------------------------------------

static void op(struct trace_text *trace, const char *name, int start, int length)
{
    trace_event(trace, "cpu_op", name, HOST, start, length, "\"External id\": %d", start);
}

static void call_on(struct trace_text *trace, int thread, const char *name, int start, int id)
{
    trace_event(trace, "cuda_runtime", name, thread, start, 2, "\"correlation\": %d", id);
}

static void call(struct trace_text *trace, const char *name, int start, int id)
{
    call_on(trace, HOST, name, start, id);
}

static void kernel_on(struct trace_text *trace, int stream, const char *name, int start, int id,
                      int node)
{
    char more[60] = "";
    if (node)
        snprintf(more, sizeof more, ", \"graph node id\": %d", node);
    trace_event(trace, "kernel", name, 70, start, 5,
                "\"device\": 0, \"stream\": %d, \"correlation\": %d, \"grid\": [8, 1, 1], "
                "\"block\": [32, 1, 1]%s",
                stream, id, more);
}

static void kernel(struct trace_text *trace, const char *name, int start, int id)
{
    kernel_on(trace, 7, name, start, id, 0);
}

// Captures a launch in each of three ops: aten::mm, aten::relu, aten::sum; 100 us.
static void capture(struct trace_text *trace, int start)
{
    static const char *const ops[] = {"aten::mm", "aten::relu", "aten::sum"};
    call(trace, "cudaStreamBeginCapture", start, start);
    for (int i = 0; i < 3; i++) {
        op(trace, ops[i], start + 10 + 20 * i, 15);
        call(trace, "cudaLaunchKernel", start + 15 + 20 * i, start + 1 + i);
    }
    call(trace, "cudaStreamEndCapture", start + 90, start + 5);
    call(trace, "cudaGraphInstantiate", start + 94, start + 6);
}

static void replay(struct trace_text *trace, int start)
{
    call(trace, "cudaGraphLaunch", start, start);
    kernel(trace, "gemm", start + 10, start);
    kernel(trace, "relu", start + 20, start);
    kernel(trace, "reduce", start + 30, start);
}

// ---- results -----------------------------------------------------------------------------------

struct found {
    struct profile *profile;
    struct arena *arena;
    struct selection selection;
    const struct op_calls *calls;
};

static struct found find(const struct trace_text *trace)
{
    struct found found = {.profile = trace_load(trace, 0), .arena = arena_new(0)};
    found.selection = selection_all(split_find(found.profile, found.arena));
    found.calls = op_calls_find(found.profile, &found.selection, found.arena);
    return found;
}

static void end(struct found *found)
{
    arena_free(found->arena);
    profile_free(found->profile);
}

// Returns the `number`-th kernel of a name in order of time.
static uint32_t work_of(const struct found *found, const char *name, int number)
{
    const struct profile *profile = found->profile;
    for (uint32_t w = 0; w < profile->work.count; w++) {
        const struct function *function = &profile->functions[AT(profile->work.function, w)];
        if (strcmp(profile_text(profile, function->full), name) == 0 && number-- == 0)
            return w;
    }
    fail_msg("no kernel %s", name);
    return 0;
}

// Returns the op that the kernel's run belongs to, "" if there is none.
static const char *op_of(const struct found *found, const char *name, int number)
{
    struct op_launch launch = op_launch_at(found->calls, work_of(found, name, number));
    if (launch.call == ROW_NONE)
        return "";
    return profile_text(found->profile, range_name(&found->profile->ranges,
                                                   op_call_at(found->calls, launch.call).op));
}

static const struct op *instance_op(const struct found *found, const char *name, int number)
{
    const struct profile *profile = found->profile;
    uint32_t instance = AT(profile->work.instance, work_of(found, name, number));
    return &profile->ops->items[AT(profile->ops->op, instance)];
}

static void assert_lack(const struct found *found, const char *name, int number,
                        enum capture_lack lack)
{
    uint32_t work = work_of(found, name, number);
    assert_string_equal(op_of(found, name, number), "");
    assert_int_equal(work_capture_lack(found->profile, work), lack);
    assert_string_equal(op_launch_unknown_reason(found->profile, found->calls, work),
                        capture_lack_texts[lack]);
    assert_true(AT(found->profile->work.flags, work) & WORK_IN_GRAPH);
}

static void assert_all_known(const struct found *found, int number)
{
    assert_string_equal(op_of(found, "gemm", number), "aten::mm");
    assert_string_equal(op_of(found, "relu", number), "aten::relu");
    assert_string_equal(op_of(found, "reduce", number), "aten::sum");
}

// ---- tests -------------------------------------------------------------------------------------

// Each launch of the graph is a run of its ops with no host time.
static void test_replays(void **state)
{
    (void)state;
    struct trace_text trace = {.length = 0};
    capture(&trace, 100);
    for (int i = 0; i < 3; i++)
        replay(&trace, 1000 + 100 * i);
    struct found found = find(&trace);
    const struct ops *ops = found.profile->ops;
    for (int i = 0; i < 3; i++) {
        assert_all_known(&found, i);
        uint32_t work = work_of(&found, "gemm", i);
        uint32_t instance = AT(found.profile->work.instance, work);
        assert_string_equal(profile_text(found.profile, instance_op(&found, "gemm", i)->name),
                            "/aten::mm");
        assert_int_equal(AT(ops->start, instance),
                         AT(found.profile->api.start, AT(found.profile->work.launch, work)));
        assert_int_equal(op_self_ns(ops, instance), 0);
        assert_true(AT(found.profile->work.flags, work) & WORK_CAPTURED);
    }
    assert_int_equal(instance_op(&found, "gemm", 0)->instance_count, 4); // including the capture
    assert_int_equal(found.calls->count, 9);
    end(&found);
}

// The graph was captured before the trace began.
static void test_no_capture(void **state)
{
    (void)state;
    struct trace_text trace = {.length = 0};
    replay(&trace, 1000);
    struct found found = find(&trace);
    assert_lack(&found, "gemm", 0, CAPTURE_UNSEEN);
    end(&found);
}

static void test_empty_capture(void **state)
{
    (void)state;
    struct trace_text trace = {.length = 0};
    call(&trace, "cudaStreamBeginCapture", 100, 1);
    call(&trace, "cudaStreamEndCapture", 110, 2);
    replay(&trace, 1000);
    struct found found = find(&trace);
    assert_lack(&found, "gemm", 0, CAPTURE_UNFIT);
    end(&found);
}

// If a graph was replayed before the capture, there are two graphs, and later replays may be of
// either.
static void test_older_graph(void **state)
{
    (void)state;
    struct trace_text trace = {.length = 0};
    replay(&trace, 10);
    capture(&trace, 100);
    replay(&trace, 1000);
    struct found found = find(&trace);
    assert_lack(&found, "gemm", 0, CAPTURE_UNSEEN);
    assert_lack(&found, "gemm", 1, CAPTURE_UNSEEN);
    end(&found);
}

static void test_other_count(void **state)
{
    (void)state;
    struct trace_text trace = {.length = 0};
    capture(&trace, 100);
    replay(&trace, 1000);
    kernel(&trace, "more", 1050, 1000);
    replay(&trace, 2000);
    struct found found = find(&trace);
    assert_lack(&found, "more", 0, CAPTURE_UNFIT);
    assert_lack(&found, "gemm", 0, CAPTURE_UNFIT);
    assert_all_known(&found, 1);
    end(&found);
}

// A copy is no kernel, wherever it occurs.
static void test_kinds(void **state)
{
    (void)state;
    struct trace_text trace = {.length = 0};
    call(&trace, "cudaStreamBeginCapture_v10000", 100, 1);
    op(&trace, "aten::copy_", 110, 10);
    call(&trace, "cudaMemcpyAsync", 112, 2);
    op(&trace, "aten::mm", 130, 10);
    call(&trace, "cuLaunchKernelEx", 132, 3);
    call(&trace, "cudaStreamEndCapture_v10000", 150, 4);
    for (int i = 0; i < 2; i++) {
        call(&trace, "cudaGraphLaunch_v10000", 1000 + 100 * i, 10 + i);
        trace_event(&trace, "gpu_memcpy", "Memcpy DtoD (Device -> Device)", 70, i ? 1130 : 1010, 5,
                    "\"device\": 0, \"stream\": 7, \"correlation\": %d, \"bytes\": 64", 10 + i);
        kernel(&trace, "gemm", 1020 + 100 * i, 10 + i);
    }
    struct found found = find(&trace);
    assert_string_equal(op_of(&found, "gemm", 0), "aten::mm");
    assert_lack(&found, "gemm", 1, CAPTURE_UNFIT);
    assert_string_equal(profile_text(found.profile, instance_op(&found, COPY, 0)->name),
                        "/aten::copy_");
    end(&found);
}

// Launches of another thread that run during a capture are not part of it; launches of the autograd
// engine are.
static void test_threads(void **state)
{
    (void)state;
    struct trace_text trace = {.length = 0};
    call(&trace, "cudaStreamBeginCapture", 100, 1);
    op(&trace, "aten::mm", 110, 10);
    call(&trace, "cudaLaunchKernel", 112, 2);
    trace_event(&trace, "cpu_op", "aten::mul", ENGINE, 130, 20, "\"External id\": 5");
    call_on(&trace, ENGINE, "cudaLaunchKernel", 132, 3);
    trace_event(&trace, "cpu_op", "aten::neg", 3, 150, 20, "\"External id\": 6");
    call_on(&trace, 3, "cudaLaunchKernel", 152, 4);
    call(&trace, "cudaStreamEndCapture", 190, 5);
    kernel(&trace, "other", 200, 4);
    call(&trace, "cudaGraphLaunch", 1000, 10);
    kernel(&trace, "gemm", 1010, 10);
    kernel(&trace, "product", 1020, 10);
    struct found found = find(&trace);
    assert_string_equal(op_of(&found, "gemm", 0), "aten::mm");
    assert_string_equal(op_of(&found, "product", 0), "aten::mul");
    assert_string_equal(op_of(&found, "other", 0), "aten::neg");
    end(&found);
}

// If the same ops are captured twice, it does not matter which capture is replayed; with other ops
// it does.
static void test_several_captures(void **state)
{
    (void)state;
    struct trace_text trace = {.length = 0};
    capture(&trace, 100);
    capture(&trace, 300);
    replay(&trace, 1000);
    call(&trace, "cudaStreamBeginCapture", 2000, 2000);
    op(&trace, "aten::bmm", 2010, 50);
    for (int i = 0; i < 3; i++)
        call(&trace, "cudaLaunchKernel", 2015 + 5 * i, 2001 + i);
    call(&trace, "cudaStreamEndCapture", 2090, 2005);
    replay(&trace, 3000);
    struct found found = find(&trace);
    assert_all_known(&found, 0);
    assert_lack(&found, "gemm", 1, CAPTURE_AMBIGUOUS);
    end(&found);
}

// One capture gives one graph: if two graphs with different kernels are replayed, one of them is
// from another capture.
static void test_more_graphs_than_captures(void **state)
{
    (void)state;
    struct trace_text trace = {.length = 0};
    capture(&trace, 100);
    replay(&trace, 1000);
    call(&trace, "cudaGraphLaunch", 2000, 2000);
    for (int i = 0; i < 3; i++)
        kernel(&trace, "stranger", 2010 + 10 * i, 2000);
    struct found found = find(&trace);
    assert_lack(&found, "gemm", 0, CAPTURE_AMBIGUOUS);
    assert_lack(&found, "stranger", 0, CAPTURE_AMBIGUOUS);
    end(&found);
}

// On several streams only ascending node ids give the order.
static void test_streams(void **state)
{
    (void)state;
    static const int nodes[][3] = {{0, 0, 0}, {11, 12, 13}, {13, 12, 11}};
    for (int i = 0; i < 3; i++) {
        struct trace_text trace = {.length = 0};
        capture(&trace, 100);
        call(&trace, "cudaGraphLaunch", 1000, 1000);
        kernel_on(&trace, 7, "gemm", 1010, 1000, nodes[i][0]);
        kernel_on(&trace, 7, "reduce", 1030, 1000, nodes[i][2]);
        kernel_on(&trace, 9, "relu", 1020, 1000, nodes[i][1]);
        struct found found = find(&trace);
        if (i == 1)
            assert_all_known(&found, 0);
        else
            assert_lack(&found, "relu", 0, CAPTURE_UNORDERED);
        end(&found);
    }
}

// A stream that waited for an event makes branches, which may be replayed on one stream in any
// order.
static void test_branches(void **state)
{
    (void)state;
    struct trace_text trace = {.length = 0};
    capture(&trace, 100);
    call(&trace, "cudaStreamWaitEvent", 150, 99);
    replay(&trace, 1000);
    struct found found = find(&trace);
    assert_lack(&found, "gemm", 0, CAPTURE_UNORDERED);
    end(&found);
}

// HIP's calls record the name of the kernel, which must match.
static void test_names(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct trace_text trace = {.length = 0};
        call(&trace, "hipStreamBeginCapture", 100, 1);
        op(&trace, "aten::mm", 110, 20);
        trace_event(&trace, "cuda_runtime", "hipExtModuleLaunchKernel", HOST, 112, 2,
                    "\"correlation\": 2, \"kernel\": \"%s\", \"grid\": [8, 1, 1], \"block\": [32, "
                    "1, 1]",
                    i ? "another" : "gemm");
        call(&trace, "hipStreamEndCapture", 190, 3);
        call(&trace, "hipGraphLaunch", 1000, 10);
        kernel(&trace, "gemm", 1010, 10);
        struct found found = find(&trace);
        if (i)
            assert_lack(&found, "gemm", 0, CAPTURE_UNFIT);
        else
            assert_string_equal(op_of(&found, "gemm", 0), "aten::mm");
        end(&found);
    }
}

// Captures on two threads at once: launches cannot be assigned.
static void test_captures_at_once(void **state)
{
    (void)state;
    struct trace_text trace = {.length = 0};
    capture(&trace, 100);
    call_on(&trace, ENGINE, "cudaStreamBeginCapture", 130, 50);
    call_on(&trace, ENGINE, "cudaStreamEndCapture", 300, 51);
    replay(&trace, 1000);
    struct found found = find(&trace);
    assert_lack(&found, "gemm", 0, CAPTURE_UNFIT);
    end(&found);
}

// The backward of a captured step is paired with the forward of its own replay.
static void test_backward(void **state)
{
    (void)state;
    struct trace_text trace = {.length = 0};
    call(&trace, "cudaStreamBeginCapture", 100, 1);
    trace_event(&trace, "cpu_op", "aten::mm", HOST, 110, 10,
                "\"External id\": 1, \"Sequence number\": 3, \"Input Dims\": [[8, 16], [16, 4]]");
    call(&trace, "cudaLaunchKernel", 112, 2);
    trace_event(&trace, "cpu_op", "autograd::engine::evaluate_function: MmBackward0", ENGINE, 130,
                20, "\"External id\": 2, \"Sequence number\": 3");
    trace_event(&trace, "cpu_op", "MmBackward0", ENGINE, 131, 18,
                "\"External id\": 3, \"Sequence number\": 3");
    trace_event(&trace, "cpu_op", "aten::mm", ENGINE, 132, 15, "\"External id\": 4");
    call_on(&trace, ENGINE, "cudaLaunchKernel", 134, 3);
    call(&trace, "cudaStreamEndCapture", 190, 5);
    for (int i = 0; i < 2; i++) {
        call(&trace, "cudaGraphLaunch", 1000 + 100 * i, 10 + i);
        kernel(&trace, "gemm", 1010 + 100 * i, 10 + i);
        kernel(&trace, "gemm_nt", 1020 + 100 * i, 10 + i);
    }
    struct found found = find(&trace);
    for (int i = 0; i < 2; i++) {
        struct op_launch forward = op_launch_at(found.calls, work_of(&found, "gemm", i));
        struct op_launch backward = op_launch_at(found.calls, work_of(&found, "gemm_nt", i));
        assert_int_equal(forward.phase, PHASE_FPROP);
        assert_int_equal(backward.phase, PHASE_BPROP);
        assert_int_equal(op_call_at(found.calls, backward.call).forward, forward.call);
        assert_int_equal(instance_op(&found, "gemm_nt", i)->direction, DIRECTION_BPROP);
        assert_int_not_equal(AT(found.profile->work.forward_node, work_of(&found, "gemm_nt", i)),
                             ROW_NONE);
    }
    end(&found);
}

// The result does not depend on the number of reading threads.
static void test_threads_of_reader(void **state)
{
    (void)state;
    struct trace_text trace = {.length = 0};
    capture(&trace, 100);
    for (int i = 0; i < 40; i++)
        replay(&trace, 1000 + 100 * i);
    struct profile *one = trace_load(&trace, 1), *many = trace_load(&trace, 8);
    for (uint32_t w = 0; w < one->work.count; w++) {
        assert_int_equal(AT(one->work.capture, w), AT(many->work.capture, w));
        assert_int_equal(AT(one->work.origin, w), AT(many->work.origin, w));
        assert_int_equal(AT(one->work.instance, w), AT(many->work.instance, w));
        assert_int_equal(AT(one->work.node, w), AT(many->work.node, w));
    }
    profile_free(one);
    profile_free(many);
}

// In two files read together, one of them a digest, each keeps its own captures.
static void test_merged_and_digest(void **state)
{
    (void)state;
    char paths[3][100];
    struct error error = {0};
    for (int i = 0; i < 2; i++) {
        struct trace_text trace = {.process = 7 + i};
        op(&trace, "aten::ones", 10, 10 * i + 1); // changes the row numbers
        call(&trace, "cudaMalloc", 12, 9 + i);
        capture(&trace, 100);
        replay(&trace, 1000);
        snprintf(paths[i], sizeof paths[i], "/tmp/dlprof_merge_%d_%d", (int)getpid(), i);
        trace_write(&trace, paths[i]);
    }
    snprintf(paths[2], sizeof paths[2], "/tmp/dlprof_merge_%d.dlp", (int)getpid());
    struct load_request part_request = {.path = paths[1], .part_of = 1};
    struct profile *part = profile_load(&part_request, &error);
    assert_non_null(part);
    struct arena *arena = arena_new(0);
    struct bytes digest = {.arena = arena};
    digest_encode(part, 2, &digest, arena);
    FILE *file = fopen(paths[2], "wb");
    assert_int_equal(fwrite(digest.items, 1, digest.count, file), digest.count);
    fclose(file);
    arena_free(arena);
    profile_free(part);
    const char *both[] = {paths[0], paths[2]};
    struct load_request request = {.path = both[0], .paths = both, .path_count = 2};
    struct found found = {.profile = profile_load(&request, &error), .arena = arena_new(0)};
    assert_non_null(found.profile);
    found.selection = selection_all(split_find(found.profile, found.arena));
    found.calls = op_calls_find(found.profile, &found.selection, found.arena);
    for (int i = 0; i < 2; i++) {
        assert_all_known(&found, i);
        uint32_t work = work_of(&found, "relu", i);
        uint32_t by = AT(found.profile->api.thread, AT(found.profile->work.capture, work));
        assert_int_equal(found.profile->threads[by].process, work_process(found.profile, work));
    }
    end(&found);
    for (int i = 0; i < 3; i++)
        unlink(paths[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replays),
        cmocka_unit_test(test_no_capture),
        cmocka_unit_test(test_empty_capture),
        cmocka_unit_test(test_older_graph),
        cmocka_unit_test(test_other_count),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_several_captures),
        cmocka_unit_test(test_more_graphs_than_captures),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_captures_at_once),
        cmocka_unit_test(test_backward),
        cmocka_unit_test(test_threads_of_reader),
        cmocka_unit_test(test_merged_and_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
