// SPDX-License-Identifier: Apache-2.0
// Checks on small traces which operator a kernel belongs to: the one that encloses its launching
// call, whatever ids the file contains, or by External id if the call is not in the file.
#include "analysis/reports/report_list.h"
#include "property.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/plugin/operator_sums.h"
#include "analysis/report/operators.h"
#include "analysis/report/report.h"
#include "file_text.h"
#include "model/open/open.h"
#include "model/ops/op_tree.h"
#include "model/ops/ops.h"
#include "paths.h"

#define EVENT(category, name, tid, start, length, arguments)                          \
    "{\"ph\": \"X\", \"cat\": \"" category "\", \"name\": \"" name "\", \"pid\": 7, " \
    "\"tid\": " #tid ", \"ts\": " #start ", \"dur\": " #length ", \"args\": {" arguments "}}"
#define OP(name, tid, start, length, id) \
    EVENT("cpu_op", name, tid, start, length, "\"External id\": " #id)
#define CALL(tid, start, correlation, id)                    \
    EVENT("cuda_runtime", "cudaLaunchKernel", tid, start, 2, \
          "\"correlation\": " #correlation ", \"External id\": " #id)
#define DRIVER_CALL(tid, start, correlation) \
    EVENT("cuda_driver", "cuLaunchKernel", tid, start, 2, "\"correlation\": " #correlation)
#define KERNEL(name, start, length, correlation, id)                     \
    EVENT("kernel", name, 70, start, length,                             \
          "\"device\": 0, \"stream\": 7, \"correlation\": " #correlation \
          ", \"External id\": " #id)

struct trace {
    char path[200];
    struct profile *profile;
    struct arena *arena;
    struct selection selection;
};

static void trace_open(struct trace *trace, const char *events)
{
    static int number;
    struct error error = {0};
    snprintf(trace->path, sizeof trace->path, "%s/ties_%d_%d.json", build_path(""), (int)getpid(),
             number++);
    file_write(trace->path, events);
    struct load_request request = {.path = trace->path};
    trace->profile = profile_load(&request, &error);
    if (!trace->profile)
        fail_msg("%s", error.message);
    trace->arena = arena_new(0);
    trace->selection = selection_all(split_find(trace->profile, trace->arena));
    trace->selection.names = NAME_FULL;
}

static void trace_close(struct trace *trace)
{
    arena_free(trace->arena);
    profile_free(trace->profile);
    unlink(trace->path);
}

// Returns the operator of a kernel, "" if there is none.
static const char *operator_of(const struct trace *trace, const char *kernel)
{
    const struct profile *profile = trace->profile;
    for (uint32_t w = 0; w < profile->work.count; w++) {
        const struct function *function = &profile->functions[AT(profile->work.function, w)];
        if (strcmp(profile_text(profile, function->full), kernel) != 0)
            continue;
        uint32_t range = operator_of_work(profile, w);
        return range == ROW_NONE
                   ? ""
                   : profile_text(profile,
                                  operator_name(profile, range_label(&profile->ranges, range)));
    }
    fail_msg("no kernel %s", kernel);
    return NULL;
}

static struct value row_value(const struct report *report, const void *row, const char *key)
{
    return report_column(report, key)->get(row);
}

static int64_t figure(const struct trace *trace, const char *operator, const char * key)
{
    const struct report *report = report_find("operators");
    struct rows rows = report_rows(report, trace->profile, &trace->selection, trace->arena);
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        if (strcmp(row_value(report, row, "operator").text, operator) == 0)
            return row_value(report, row, key).integer;
    }
    return -1;
}

// ---- with the call in the file -----------------------------------------------------------------

// The call is in aten::mm, but its External id names aten::linear, or an op on another thread.
static void test_enclosure(void **state)
{
    (void)state;
    struct trace trace;
    trace_open(&trace,
               "[" OP("aten::linear", 1, 100, 100, 2) "," OP("aten::mm", 1, 120, 70, 4) "," OP(
                   "aten::relu", 2, 100, 100,
                   6) "," CALL(1, 130, 11, 2) "," CALL(1, 140, 12,
                                                       6) "," KERNEL("a", 300, 10, 11,
                                                                     2) "," KERNEL("b", 320, 20, 12,
                                                                                   6) "]");
    assert_string_equal(operator_of(&trace, "a"), "aten::mm");
    assert_string_equal(operator_of(&trace, "b"), "aten::mm");
    assert_int_equal(figure(&trace, "aten::mm", "device_self"), 30000);
    assert_int_equal(figure(&trace, "aten::linear", "device_self"), 0);
    assert_int_equal(figure(&trace, "aten::linear", "device_total"), 30000);
    assert_int_equal(figure(&trace, "aten::mm", "host_self"), 66000);
    trace_close(&trace);
}

// A driver call counts as a call: its kernel has an operator, and its time is not part of the
// operator's self time.
static void test_driver(void **state)
{
    (void)state;
    struct trace trace;
    trace_open(&trace, "[" OP("triton_add", 1, 100, 100,
                              2) "," DRIVER_CALL(1, 130, 11) "," KERNEL("a", 300, 10, 11, 0) "]");
    assert_string_equal(operator_of(&trace, "a"), "triton_add");
    assert_int_equal(figure(&trace, "triton_add", "host_self"), 98000);
    trace_close(&trace);
}

// Times of 19 digits, whose thousandths a double cannot represent: an op ends together with its
// parent.
static void test_times(void **state)
{
    (void)state;
    struct trace trace;
    trace_open(&trace,
               "[" EVENT("cpu_op", "aten::add", 1, 1711000000000000.100, 10.900, "") "," EVENT(
                   "cpu_op", "aten::empty", 1, 1711000000000010.125, 0.875, "") "]");
    assert_int_equal(figure(&trace, "aten::add", "host_total"), 10900);
    assert_int_equal(figure(&trace, "aten::add", "host_self"), 10025);
    assert_int_equal(figure(&trace, "aten::empty", "host_total"), 875);
    trace_close(&trace);
}

// Calls in an annotation of a collective are subtracted from the enclosing op only once.
static void test_collective(void **state)
{
    (void)state;
    struct trace trace;
    trace_open(&trace, "[" OP("record_param_comms", 1, 100, 100, 2) "," EVENT(
                           "user_annotation", "nccl:all_reduce", 1, 110, 80,
                           "") "," CALL(1, 120, 11, 2) "," KERNEL("ncclDevKernel_AllReduce", 300,
                                                                  10, 11, 2) "]");
    assert_int_equal(figure(&trace, "record_param_comms", "host_self"), 98000);
    trace_close(&trace);
}

// ---- without the call --------------------------------------------------------------------------

#define CALLLESS                                                                                   \
    "[" OP("aten::linear", 1, 100, 100, 2) "," OP("aten::mm", 1, 120, 70, 4) "," CALL(             \
        1, 130, 11,                                                                                \
        4) "," KERNEL("called", 300, 10, 11,                                                       \
                      2) "," KERNEL("tied", 320, 20, 12,                                           \
                                    4) "," KERNEL("outer", 350, 30, 13,                            \
                                                  2) "," KERNEL("unknown", 400, 40, 14,            \
                                                                99) "," KERNEL("bare", 450, 50, 0, \
                                                                               0)

static void assert_tied(const struct trace *trace)
{
    const struct profile *profile = trace->profile;
    assert_string_equal(operator_of(trace, "called"), "aten::mm"); // by enclosure, not by its id
    assert_string_equal(operator_of(trace, "tied"), "aten::mm");
    assert_string_equal(operator_of(trace, "outer"), "aten::linear");
    assert_string_equal(operator_of(trace, "unknown"), "");
    assert_string_equal(operator_of(trace, "bare"), "");
    assert_int_equal(figure(trace, "aten::mm", "device_self"), 30000);
    assert_int_equal(figure(trace, "aten::linear", "device_self"), 30000);
    assert_int_equal(figure(trace, "aten::linear", "device_total"), 60000);
    for (uint32_t w = 0; w < profile->work.count; w++) { // ops and tree agree
        uint32_t range = work_range(profile, w);
        uint32_t op = AT(profile->ops->op, AT(profile->work.instance, w));
        assert_int_equal(profile->ops->items[op].is_unassociated, range == ROW_NONE);
        if (range != ROW_NONE)
            assert_int_equal(AT(profile->work.node, w), AT(profile->ranges.node, range));
    }
}

static void test_missing_call(void **state)
{
    (void)state;
    struct trace trace;
    trace_open(&trace, CALLLESS "]");
    assert_tied(&trace);
    assert_int_equal(profile_find_note(trace.profile, "work_tied_by_id")->count, 2);
    // Kernels without an operator have rows of their own, separated by whether the launch is in the
    // file.
    const struct report *report = report_find("operator_kernels");
    struct rows rows = report_rows(report, trace.profile, &trace.selection, trace.arena);
    unsigned without = 0;
    for (size_t i = 0; i < rows.count; i++)
        without += strcmp(row_value(report, report_row(report, &rows, i), "operator").text,
                          "(no launch in the file)") == 0;
    assert_int_equal(rows.count, 5);
    assert_int_equal(without, 2);
    // Selecting an operator selects the work of its row.
    report = report_find("operators");
    rows = report_rows(report, trace.profile, &trace.selection, trace.arena);
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        struct selection selection = trace.selection;
        int64_t ns = 0;
        assert_non_null(report->narrow(trace.profile, row, &selection));
        for (uint32_t w = 0; w < trace.profile->work.count; w++)
            if (selection_has_work(trace.profile, &selection, w))
                ns += work_duration(trace.profile, w);
        assert_int_equal(ns, row_value(report, row, "device_self").integer);
    }
    trace_close(&trace);
}

// No calls at all, as from a profiler that records only GPU and ops.
static void test_no_calls(void **state)
{
    (void)state;
    struct trace trace;
    trace_open(&trace, "[" OP("aten::mm", 1, 120, 70, 4) "," KERNEL("tied", 320, 20, 12, 4) "]");
    assert_string_equal(operator_of(&trace, "tied"), "aten::mm");
    assert_int_equal(figure(&trace, "aten::mm", "device_self"), 20000);
    trace_close(&trace);
}

// If the ids are correlation ids they identify no op, even if ops have the same numbers.
static void test_correlations(void **state)
{
    (void)state;
    struct trace trace;
    trace_open(&trace, "[" OP("aten::mm", 1, 120, 70, 12) "," KERNEL(
                           "a", 320, 20, 12, 12) "," KERNEL("b", 350, 20, 13, 13) "]");
    assert_string_equal(operator_of(&trace, "a"), "");
    trace_close(&trace);
}

// The assignment survives merging two files.
static void test_files(void **state)
{
    (void)state;
    struct trace first, second, both;
    struct error error = {0};
    trace_open(&first, CALLLESS "]");
    trace_open(&second, "[" OP("aten::mul", 1, 120, 70, 4) "," KERNEL("other", 320, 20, 12, 4) "]");
    const char *const paths[] = {second.path, first.path};
    struct load_request request = {.path = second.path, .paths = paths, .path_count = 2};
    both = first;
    both.profile = profile_load(&request, &error);
    assert_non_null(both.profile);
    both.selection = selection_all(split_find(both.profile, both.arena));
    assert_tied(&both);
    assert_string_equal(operator_of(&both, "other"), "aten::mul");
    profile_free(both.profile);
    trace_close(&second);
    trace_close(&first);
}

// ---- source lines ------------------------------------------------------------------------------

#define NODE(name, tid, start, length, sequence, more) \
    EVENT("Operator", name, tid, start, length,        \
          "\"Sequence number\": " #sequence ", \"Fwd thread id\": " more)

// A backward has no source line of its own: it has the line of its forward op, marked as such and
// in the same file.
static void test_forward_line(void **state)
{
    (void)state;
    struct trace trace;
    trace_open(
        &trace,
        "[" NODE("aten::addmm", 1, 100, 50, 7, "0, \"Call stack\": \"/app/model.py(12): forward;/app/train.py(3): step\"") "," NODE(
            "AddmmBackward", 2, 300, 50, 7,
            "1") "," NODE("aten::mm", 2, 310, 30, 0,
                          "0") "," NODE("MulBackward0", 2, 400, 50, 9,
                                        "1") "," CALL(1, 120, 11,
                                                      0) "," CALL(2, 320, 12,
                                                                  0) "," CALL(2, 410, 13,
                                                                              0) "," KERNEL("a",
                                                                                            500, 10,
                                                                                            11,
                                                                                            0) "," KERNEL("b",
                                                                                                          520,
                                                                                                          10,
                                                                                                          12,
                                                                                                          0) "," KERNEL("c",
                                                                                                                        540,
                                                                                                                        10,
                                                                                                                        13,
                                                                                                                        0) "]");
    const struct profile *profile = trace.profile;
    const char *const places[] = {"model.py:12 forward", "model.py:12 forward (its forward)", NULL};
    for (uint32_t w = 0; w < 3; w++) {
        const char *place = call_place(profile, AT(profile->work.launch, w));
        if (!places[w])
            assert_null(place);
        else
            assert_string_equal(place, places[w]);
    }
    unsigned found = 0;
    for (uint32_t i = 0; i < profile->line_count; i++) {
        const char *text = profile_text(profile, profile->lines[i].text);
        if (!strstr(text, "model.py"))
            continue;
        assert_string_equal(profile_text(profile, profile->lines[i].file), "/app/model.py");
        assert_int_equal(profile->lines[i].line, 12);
        found++;
    }
    assert_int_equal(found, 2);
    trace_close(&trace);
}

// Python markers that some versions of PyTorch record as ops are not ops.
static void test_markers_recorded_as_ops(void **state)
{
    (void)state;
    struct trace trace;
    trace_open(&trace,
               "[" OP("layer:model.fc", 1, 100, 90, 0) "," OP(
                   "{'mod': 'torch', 'op': 'mm', 'args': []}", 1, 110, 70,
                   0) "," OP("aten::mm", 1, 120, 50,
                             5) "," CALL(1, 130, 11, 5) "," KERNEL("gemm", 200, 10, 11, 5) "]");
    const struct profile *profile = trace.profile;
    unsigned operators = 0, modules = 0;
    for (uint32_t row = 0; row < profile->ranges.count; row++) {
        enum operator_role role = operator_role(profile, range_label(&profile->ranges, row));
        operators += role == RANGE_ROLE_OPERATOR;
        modules += role == RANGE_ROLE_MODULE;
    }
    assert_int_equal(operators, 1);
    assert_int_equal(modules, 1);
    trace_close(&trace);
}

// Returns the calls of an operator.
static int64_t calls_of(const struct trace *trace, const char *name)
{
    struct operator_sums sums =
        operator_sums_of(trace->profile, &trace->selection, OPERATOR_BY_NAME, trace->arena);
    for (size_t i = 0; i < sums.count; i++) {
        const struct range_label *label = &trace->profile->ranges.labels[sums.items[i].label];
        if (strcmp(profile_text(trace->profile, operator_name(trace->profile, label)), name) == 0)
            return sums.items[i].calls;
    }
    return 0;
}

// Microseconds end at the same instant what took less: an operator lies in another only if it
// begins before that ends. A call at that instant is the last one's.
static void test_no_length(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int start, length;
    } ops[] = {{"aten::to", 10, 0},  {"aten::to", 10, 0},  {"aten::to", 10, 0},
               {"aten::add", 20, 5}, {"aten::add", 25, 0}, {"aten::mul", 30, 5},
               {"aten::mul", 30, 5}, {"aten::div", 40, 5}, {"aten::div", 40, 0},
               {"aten::sub", 50, 0}};
    static const char launch[] =
        EVENT("cuda_runtime", "cudaLaunchKernel", 1, 50, 0, "\"correlation\": 1");
    static const char kernel[] = KERNEL("gemm", 55, 5, 1, 10);
    char text[4000];
    int length = snprintf(text, sizeof text, "[%s,%s", launch, kernel);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           ",{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": 7, "
                           "\"tid\": 1, \"ts\": %d, \"dur\": %d}",
                           ops[i].name, ops[i].start, ops[i].length);
    assert_in_range(length, 1, (int)sizeof text - 3);
    snprintf(text + length, sizeof text - (size_t)length, "]");
    struct trace trace;
    trace_open(&trace, text);
    assert_int_equal(calls_of(&trace, "aten::to"), 3);  // at one instant
    assert_int_equal(calls_of(&trace, "aten::add"), 2); // where the other ends
    assert_int_equal(calls_of(&trace, "aten::mul"), 1); // twins: one in the other
    assert_int_equal(calls_of(&trace, "aten::div"), 1); // at the beginning of the other
    assert_string_equal(operator_of(&trace, "gemm"), "aten::sub");
    trace_close(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enclosure),    cmocka_unit_test(test_driver),
        cmocka_unit_test(test_times),        cmocka_unit_test(test_collective),
        cmocka_unit_test(test_missing_call), cmocka_unit_test(test_no_calls),
        cmocka_unit_test(test_correlations), cmocka_unit_test(test_files),
        cmocka_unit_test(test_forward_line), cmocka_unit_test(test_markers_recorded_as_ops),
        cmocka_unit_test(test_no_length),
    };
    return cmocka_run_group_tests_name("kineto_ties", tests, NULL, NULL);
}
