// SPDX-License-Identifier: Apache-2.0
// Unusual PyTorch Profiler traces, written here, that a reader of ordinary traces would get wrong.
// In the source, ' stands for " in their text.
#include "analysis/reports/report_list.h"
#include "property.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/breakdown/launch_means.h"
#include "analysis/breakdown/launch_queue.h"
#include "analysis/report/report.h"
#include "analysis/sums/op_kernels.h"
#include "base/text/bytes.h"
#include "file_text.h"
#include "model/open/open.h"
#include "paths.h"

enum { PATH = 200 };

// An op on process and thread P.
#define OP(name, at, length, p)                                                                    \
    "{'ph':'X','cat':'cpu_op','name':'" name "','ts':" at ",'dur':" length ",'pid':" p ",'tid':" p \
    ",'args':{}}"
#define CALL(at, correlation, p)                                                            \
    "{'ph':'X','cat':'cuda_runtime','name':'cudaLaunchKernel','ts':" at ",'dur':5,'pid':" p \
    ",'tid':" p ",'args':{'correlation':" correlation "}}"
#define KERNEL(name, at, length, correlation, device, more)                                 \
    "{'ph':'X','cat':'kernel','name':'" name "','ts':" at ",'dur':" length ",'pid':" device \
    ",'tid':7,'args':{'device':" device ",'stream':7,'correlation':" correlation more "}}"

struct trace {
    struct profile *profile;
    struct arena *arena;
    struct selection selection;
};

static void write_trace(const char *path, const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    for (char *at = copy; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    file_write(path, copy);
    free(copy);
}

static struct trace trace_open(const char *const *texts, unsigned count)
{
    char paths[4][PATH];
    const char *list[4];
    struct error error = {0};
    for (unsigned i = 0; i < count; i++) {
        snprintf(paths[i], PATH, "%s/kineto_odd%u.json", build_path(""), i);
        write_trace(paths[i], texts[i]);
        list[i] = paths[i];
    }
    struct load_request request = {.path = list[0], .paths = list, .path_count = count};
    struct trace trace = {.profile = profile_load(&request, &error), .arena = arena_new(0)};
    if (!trace.profile)
        fail_msg("%s", error.message);
    trace.selection = selection_all(split_find(trace.profile, trace.arena));
    return trace;
}

static struct trace trace_of(const char *text)
{
    return trace_open(&text, 1);
}

static void trace_close(struct trace *trace)
{
    arena_free(trace->arena);
    profile_free(trace->profile);
}

// ---- queues ------------------------------------------------------------------------------------

static void longest_add(void *context, const struct queue_change *change)
{
    uint32_t *longest = context;
    *longest = change->length > *longest ? change->length : *longest;
}

// Work that starts together with its call has no waiting time.
static void test_no_wait(void **state)
{
    (void)state;
    struct trace trace =
        trace_of("[" CALL("100", "11", "1") "," KERNEL("a", "100", "20", "11", "0", "") "," CALL(
            "200", "12", "1") "," KERNEL("b", "210", "20", "12", "0", "") "]");
    uint32_t longest = 0;
    launch_queue_walk(trace.profile, &trace.selection, longest_add, &longest, trace.arena);
    assert_int_equal(longest, 1);
    trace_close(&trace);
}

// ---- occupancy ---------------------------------------------------------------------------------

#define ON(name)                                                                        \
    "{'deviceProperties':[{'id':0,'name':'" name "','computeMajor':8,'computeMinor':0," \
    "'numSms':108}],'traceEvents':[" CALL("100", "11", "1") ","
#define SHAPE ",'grid':[1080,1,1],'block':[256,1,1],'registers per thread':32,'shared memory':0"

static double occupancy_of(const char *text)
{
    struct trace trace = trace_of(text);
    struct launch_means means = {0};
    launch_means_add(&means, trace.profile, 0, AT(trace.profile->work.shape, 0), 1000);
    struct value value = launch_means_occupancy(&means);
    trace_close(&trace);
    return value.kind == VALUE_REAL ? value.real : -1;
}

// An implausible recorded 0 is not used, a value above 100 % is limited, and for GPUs of other
// vendors no occupancy is computed.
static void test_recorded_occupancy(void **state)
{
    (void)state;
    assert_true(
        fabs(occupancy_of(ON("NVIDIA A100") KERNEL("k", "110", "20", "11", "0",
                                                   SHAPE ",'est. achieved occupancy %':0") "]}") -
             1) < 1e-6);
    assert_true(
        fabs(occupancy_of(ON("NVIDIA A100") KERNEL("k", "110", "20", "11", "0",
                                                   SHAPE ",'est. achieved occupancy %':40") "]}") -
             0.4) < 1e-6);
    assert_true(
        fabs(occupancy_of(ON("NVIDIA A100") KERNEL("k", "110", "20", "11", "0",
                                                   SHAPE ",'est. achieved occupancy %':250") "]}") -
             1) < 1e-6);
    assert_true(occupancy_of(ON("AMD Instinct MI300X")
                                 KERNEL("k", "110", "20", "11", "0", SHAPE) "]}") < 0);
}

// ---- rows that are left out --------------------------------------------------------------------

static void test_rows_without_a_time(void **state)
{
    (void)state;
    struct trace trace = trace_of("[" OP("a", "100", "10", "1") "," OP(
        "b", "200", "-5", "1") "," OP("c", "300", "null", "1") "]");
    const struct note *note = profile_find_note(trace.profile, "rows_skipped");
    assert_non_null(note);
    if (note) {
        assert_int_equal(note->level, NOTE_WARNING);
        assert_int_equal(note->count, 2);
    }
    trace_close(&trace);
}

// Half events and events of an unknown phase are left out and counted; metadata, flows and counters
// are left out without a count.
static void test_other_phases(void **state)
{
    (void)state;
    struct trace trace = trace_of("[" OP(
        "a", "100", "10",
        "1") ",{'ph':'B','cat':'cpu_op','name':'b','ts':1,'pid':1,'tid':1},"
             "{'ph':'E','ts':2,'pid':1,'tid':1},{'cat':'cpu_op','name':'c','ts':3,'dur':1},{},"
             "{'ph':'s','id':1,'ts':1,'pid':1,'tid':1},{'ph':'C','name':'n','ts':1,'args':{}}]");
    const struct note *note = profile_find_note(trace.profile, "events_unread");
    assert_non_null(note);
    if (note)
        assert_int_equal(note->count, 3);
    assert_int_equal(trace.profile->ranges.count, 1);
    trace_close(&trace);
}

// ---- GPUs --------------------------------------------------------------------------------------

// Device -1, or a number that no GPU has, means the first GPU.
static void test_device_numbers(void **state)
{
    (void)state;
    struct trace trace = trace_of("[" KERNEL("a", "10", "10", "0", "-1", "") "," KERNEL(
        "b", "30", "10", "0", "4294967297", "") "," KERNEL("c", "50", "10", "0", "1", "") "]");
    assert_int_equal(trace.profile->device_count, 2);
    assert_int_equal(trace.profile->devices[0].gpu_id, 0);
    assert_int_equal(trace.profile->devices[1].gpu_id, 1);
    trace_close(&trace);
}

// ---- files -------------------------------------------------------------------------------------

#define SHORT(rank, base)                                                 \
    "{'baseTimeNanoseconds':" base ",'distributedInfo':{'rank':" rank     \
    ",'world_size':2},'traceEvents':[" OP("o", "90", "30", "1") "," CALL( \
        "100", "11", "1") "," KERNEL("k", "110", "20", "11", "0", "") "]}"

// Ranks in containers have the same pid and the same work; a copy of a trace has the same rank as
// well.
static void test_similar_ranks(void **state)
{
    (void)state;
    struct trace trace = trace_open(
        (const char *[]){SHORT("0", "1700000000000000000"), SHORT("1", "1700000000000000000")}, 2);
    assert_int_equal(trace.profile->work.count, 2);
    trace_close(&trace);
}

// ---- many events of a kind ---------------------------------------------------------------------

// An op that only calls an op of its own name, which has many children: each search visits only a
// few of them.
static void test_ops_with_many_children(void **state)
{
    enum { OPS = 20000 };
    (void)state;
    struct arena *arena = arena_new(0);
    struct bytes text = {.arena = arena};
    bytes_text(&text, "[" OP("f", "1", "900000", "1") "," OP("f", "2", "800000", "1"));
    for (int i = 0; i < OPS; i++)
        bytes_text(&text,
                   arena_format(arena,
                                "," OP("aten::x", "%d", "1", "1") "," CALL(
                                    "%d", "%d", "1") "," KERNEL("k", "%d", "3", "%d", "0", ""),
                                20 * i + 20, 20 * i + 23, i + 1, 20 * i + 31, i + 1));
    bytes_text(&text, "]");
    bytes_add(&text, "", 1);
    struct trace trace = trace_of(text.items);
    const struct report *report = report_find("operator_kernels");
    struct rows rows = report_rows(report, trace.profile, &trace.selection, trace.arena);
    assert_true(rows.count > 0);
    trace_close(&trace);
    arena_free(arena);
}

// Ops that follow each other in a step are no sequence of an op: the ops within are reported, each
// with its own kernels.
static void test_sequences_of_ops(void **state)
{
    (void)state;
    struct trace trace =
        trace_of(
            "[{'ph':'X','cat':'user_annotation','name':'ProfilerStep#3','ts':1,'dur':900,'pid':1,"
            "'tid':1,'args':{}}," OP("aten::a", "10", "100", "1") "," CALL("20", "1", "1") "," CALL("30", "2", "1") "," OP(
                "aten::b", "200", "100",
                "1") "," CALL("210", "3",
                              "1") "," CALL("220", "4",
                                            "1") "," KERNEL("p", "400", "10", "1", "0",
                                                            "") "," KERNEL("q", "420", "10", "2",
                                                                           "0",
                                                                           "") "," KERNEL("p",
                                                                                          "440",
                                                                                          "30", "3",
                                                                                          "0",
                                                                                          "") "," KERNEL("q",
                                                                                                         "480",
                                                                                                         "10",
                                                                                                         "4",
                                                                                                         "0",
                                                                                                         "") "]");
    const struct report *report = report_find("kernel_sequences");
    struct rows rows = report_rows(report, trace.profile, &trace.selection, trace.arena);
    assert_int_equal(rows.count, 2);
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        const char *op = report_column(report, "op")->get(row).text;
        bool is_first = strcmp(op, "aten::a") == 0;
        assert_string_equal(op, is_first ? "aten::a" : "aten::b");
        assert_string_equal(report_column(report, "sequence")->get(row).text, "p > q");
        assert_int_equal(report_column(report, "gpu_total")->get(row).integer,
                         is_first ? 20000 : 40000);
    }
    trace_close(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_wait),
        cmocka_unit_test(test_recorded_occupancy),
        cmocka_unit_test(test_rows_without_a_time),
        cmocka_unit_test(test_other_phases),
        cmocka_unit_test(test_device_numbers),
        cmocka_unit_test(test_similar_ranks),
        cmocka_unit_test(test_ops_with_many_children),
        cmocka_unit_test(test_sequences_of_ops),
    };
    return cmocka_run_group_tests_name("kineto_odd", tests, NULL, NULL);
}
