// SPDX-License-Identifier: Apache-2.0
// Compares DLProf's report files of the hand-made profile (small_profile.h) with contents computed
// on paper.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/export/export.h"
#include "analysis/reports/report_list.h"
#include "analysis/sums/work_text.h"
#include "columns.h"
#include "model/ops/ops.h"
#include "model/rules/rules.h"
#include "property.h"
#include "small_profile.h"

REPORT_DECLARE(breakdown);
REPORT_DECLARE(detail);
REPORT_DECLARE(expert);
REPORT_DECLARE(expert_systems);
REPORT_DECLARE(group_node);
REPORT_DECLARE(iteration);
REPORT_DECLARE(iterations);
REPORT_DECLARE(kernel);
REPORT_DECLARE(op_type);
REPORT_DECLARE(summary);
REPORT_DECLARE(tensor);
REPORT_DECLARE(trust);

struct fixture {
    struct arena *arena;
    struct profile *profile;
    struct split *split;
    struct selection selection;
    char *text; // text written last
};

static int setup(void **state)
{
    static struct fixture fixture;
    struct fixture *f = &fixture;
    f->arena = arena_new(0);
    f->profile = small_profile(f->arena);
    f->split = small_split(f->profile, f->arena);
    f->selection = selection_all(f->split);
    f->text = NULL;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    free(f->text);
    arena_free(f->arena);
    return 0;
}

static const char *csv(struct fixture *f, const struct report *report)
{
    struct export_table table = {
        .report = report, .profile = f->profile, .selection = &f->selection};
    struct error error = {0};
    assert_true(report_build(report, f->profile, &f->selection, f->arena, &table.rows, &error));
    free(f->text);
    f->text = NULL;
    size_t size;
    FILE *file = open_memstream(&f->text, &size);
    assert_true(export_format_find("csv")->write(&table, file, f->arena));
    assert_int_equal(fclose(file), 0);
    return f->text;
}

#define HEAD_4M                                                                                   \
    "Total CPU Time (ns),Avg. CPU Time (ns),Min CPU Time (ns),Max CPU Time (ns),"                 \
    "Total GPU Time (ns),Avg. GPU Time (ns),Min GPU Time (ns),Max GPU Time (ns),"                 \
    "Total CPU Overhead (ns),Avg. CPU Overhead (ns),Min CPU Overhead (ns),Max CPU Overhead (ns)," \
    "Total GPU Idle (ns),Avg. GPU Idle (ns),Min GPU Idle (ns),Max GPU Idle (ns)"

static void test_detail(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(
        csv(f, &report_detail),
        "All Iterations\n"
        "Op ID,Op Name,Direction,Op Type,No. Calls,TC Eligible,Using TC," HEAD_4M
        ",Data Type,Stack Trace\n"
        "\"CUDAFREE_1\",\"unassociated_cudaFree\",,\"cudaFree\",1,no,no,50,50.0,50,50,0,0.0,0,0,"
        "0,0.0,0,0,0,0.0,0,0,,\"\"\n"
        "\"LINEAR_1\",\"/model/linear\",fprop,\"linear\",3,yes,yes,700,233.3,200,300,"
        "450,150.0,150,150,610,203.3,170,270,100,33.3,0,100,float16,\"\"\n"
        "\"RELU_1\",\"/model/mlp/relu\",fprop,\"relu\",3,no,no,300,100.0,100,100,"
        "200,66.7,0,150,270,90.0,80,100,0,0.0,0,0,float16,\"\"\n");
}

static void test_set_of_iterations(void **state)
{
    struct fixture *f = *state;
    static const bool last[3] = {false, false, true};
    f->selection.iterations = last;
    assert_string_equal(csv(f, &report_op_type),
                        "Op Type Summary Report\n"
                        "Op Type,# Ops,# Calls," HEAD_4M "\n"
                        "\"linear\",1,1,300,300.0,300,300,150,150.0,150,150,270,270.0,270,270,"
                        "100,100.0,100,100\n"
                        "\"relu\",1,1,100,100.0,100,100,0,0.0,0,0,100,100.0,100,100,0,0.0,0,0\n");
}

static void test_kernel(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(
        csv(f, &report_kernel),
        "Kernel Report\n"
        "Kernel Name,Op ID,Op Name,Direction,Uses TC,Total GPU Time (ns),Avg GPU Time (ns),"
        "Min GPU Time (ns),Max GPU Time (ns),Total API Time (ns),Avg API Time (ns),"
        "Min API Time (ns),Max API Time (ns)\n"
        "\"bias \"\"add\"\"\",\"LINEAR_1\",\"/model/linear\",fprop,no,200,66.7,50,100,"
        "60,20.0,20,20\n"
        "\"volta_h884gemm\",\"LINEAR_1\",\"/model/linear\",fprop,yes,300,100.0,100,100,"
        "30,10.0,10,10\n"
        "\"relu_kernel\",\"RELU_1\",\"/model/mlp/relu\",fprop,no,100,50.0,50,50,20,10.0,10,10\n");
}

static void test_group_node(void **state)
{
    struct fixture *f = *state;
    // Iterations 0 to 2 of "/": CPU 300 300 400, API 30+20 30+10 30, GPU: 400..650, then 1400..1550
    // and 1600..1650, then 2400..2500 and 2600..2650. Idle time is that within the op runs.
    assert_string_equal(
        csv(f, &report_group_node),
        "Group Op Report\n"
        "Name,Num Calls Aggregated,Num TC Eligible Ops,Num Ops Using TC," HEAD_4M "\n"
        "\"/\",6,1,1,1000,333.3,300,400,600,200.0,150,250,880,293.3,250,370,100,33.3,0,100\n"
        "\"/model/\",6,1,1,1000,333.3,300,400,600,200.0,150,250,880,293.3,250,370,"
        "100,33.3,0,100\n"
        "\"/model/mlp/\",3,0,0,300,100.0,100,100,200,66.7,0,150,270,90.0,80,100,0,0.0,0,0\n"
        "\"_CompleteModel_\",7,1,1,1050,350.0,300,400,600,200.0,150,250,880,293.3,250,370,"
        "100,33.3,0,100\n");
}

static void test_tensor(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(
        csv(f, &report_tensor),
        "Tensor Core Report\n"
        "Op ID,Op Name,Direction,Op Type,Uses TC,Total GPU Time (ns),TC GPU Time (ns),"
        "Non-TC GPU Time (ns),TC Utilization (%),Total Kernel Count,TC Kernel Count,"
        "TC Kernel Names,Non-TC Kernel Count,Non-TC Kernel Names\n"
        "\"LINEAR_1\",\"/model/linear\",fprop,\"linear\",yes,500,300,200,60.0,2,1,"
        "\"volta_h884gemm\",1,\"bias \"\"add\"\"\"\n");
}

static void test_iteration(void **state)
{
    struct fixture *f = *state;
    const char *text = csv(f, &report_iteration);
    assert_non_null(strstr(text, "Output Shapes,Long Kernel Name\n"
                                 "0,\"LINEAR_1\",\"/model/linear\",fprop,\"linear\","
                                 "\"bias \"\"add\"\"\",0,450,100,130,20,no,,,,,,,float16,\"\",\"\","
                                 "\"\",\"bias \"\"add\"\"\"\n"));
    // Sorted by iteration first; GPU 1 ran the relu.
    assert_non_null(strstr(text, "\n0,\"RELU_1\",\"/model/mlp/relu\",fprop,\"relu\","
                                 "\"relu_kernel\",1,600,50,330,10,no,,"));
    assert_true(strstr(text, "\n0,\"RELU_1\"") < strstr(text, "\n1,\"LINEAR_1\""));
}

static void test_summary(void **state)
{
    struct fixture *f = *state;
    const char *text = csv(f, &report_summary);
    assert_int_equal(
        strncmp(text, "System Config\nGPU Count,3\nGPU Name(s),GPU X, GPU X, GPU X\n", 58), 0);
    // Iterations end 1 ns before the next: 999 + 999 + 1000. Kernels: GPU 0 450 and GPU 1 100, with
    // TC 300; mean of three GPUs 100.0 + 83.3; copies 33.3.
    assert_non_null(strstr(text, "\n\nSummary Report\n"
                                 "Wall Clock Time (ns),2998\n"
                                 "Tensor Core Kernel Utilization %,60.0\n"
                                 "GPU Utilization %,6.1\n"
                                 "Tensor Core Kernel Duration %,3.3\n"
                                 "Non-Tensor Core Kernel Duration %,2.8\n"
                                 "Memory Duration %,1.1\n"
                                 "Dataloader Duration %,0.0\n"
                                 "IO Duration %,0.0\n"
                                 "CPU Duration %,22.2\n"
                                 "Other Duration %,70.6\n"
                                 "\nIterations\n"
                                 "Total Iterations,3\n"
                                 "Aggregated Iterations,3\n"
                                 "Start Iteration,0\n"
                                 "Stop Iteration,2\n"
                                 "Average Iteration Time (ns),999.3\n"
                                 "Iteration Time Standard Deviation,0.5\n"
                                 "\nAll Ops\n"
                                 ",GPU Time (ns),CPU Time (ns),# Ops\n"
                                 "All ops,650,1050,3\n"
                                 "Ops using TC,450,700,1\n"
                                 "Ops eligible for TC but not using,0,0,0\n"
                                 "All other ops,200,350,2\n"
                                 "\nAll Kernels\n"
                                 ",GPU Time (ns),CPU Time (ns),# Kernels\n"
                                 "All kernels,700,120,4\n"
                                 "Kernels using TC,300,30,1\n"
                                 "Memory,100,10,1\n"
                                 "All other kernels,300,80,2\n"));
}

static const struct report *const own_reports[] = {
    &report_summary, &report_detail,  &report_iteration,  &report_kernel,
    &report_tensor,  &report_op_type, &report_group_node, &report_expert_systems,
    &report_expert,  &report_trust,   &report_breakdown,  &report_iterations,
};
enum { OWN_REPORTS = sizeof own_reports / sizeof *own_reports };

static void test_nothing_selected(void **state)
{
    struct fixture *f = *state;
    static const bool none[3] = {false, false, false};
    f->selection.iterations = none;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < OWN_REPORTS; i++) {
            const char *text = csv(f, own_reports[i]);
            assert_null(strstr(text, "nan"));
            assert_null(strstr(text, "inf,"));
        }
        assert_non_null(strstr(csv(f, &report_summary), "\nWall Clock Time (ns),0\n"));
        assert_non_null(strstr(csv(f, &report_summary), "\nOther Duration %,0.0\n"));
        f->profile = empty_profile(f->arena);
        f->split = empty_split(f->arena);
        f->selection = selection_all(f->split);
    }
    assert_non_null(strstr(csv(f, &report_summary), "\nTotal Iterations,1\n"));
}

static void test_drill_down(void **state)
{
    struct fixture *f = *state;
    struct rows rows = report_detail.build(f->profile, &f->selection, f->arena);
    const void *linear = report_row(&report_detail, &rows, 1);
    assert_string_equal(report_detail.narrow(f->profile, linear, &f->selection), "kernel");
    rows = report_kernel.build(f->profile, &f->selection, f->arena);
    assert_int_equal(rows.count, 2);
    assert_string_equal(report_kernel.narrow(f->profile, rows.items, &f->selection), "launches");
    uint32_t found = 0;
    for (uint32_t w = 0; w < f->profile->work.count; w++)
        found += selection_has_work(f->profile, &f->selection, w);
    assert_int_equal(found, 3);
    f->selection = selection_all(f->split);
    rows = report_op_type.build(f->profile, &f->selection, f->arena);
    const void *relu = report_row(&report_op_type, &rows, 2);
    assert_string_equal(report_op_type.narrow(f->profile, relu, &f->selection), "detail");
    rows = report_detail.build(f->profile, &f->selection, f->arena);
    assert_int_equal(rows.count, 1);
}

static void test_trust_adds_up(void **state)
{
    struct fixture *f = *state;
    const char *text = csv(f, &report_trust);
    assert_non_null(strstr(text, "all kernels: sum of durations (ns)\",700,info,"));
    assert_non_null(strstr(text, "\"all ops: unions per call, accumulated (ns)\",650,info,"));
    assert_non_null(strstr(text, "overlap within calls (ns): agrees\",50,ok,"));
    assert_non_null(strstr(text, "\"kernel table, exclusive time (ns): agrees\",650,ok,"));
    // On the GPUs the sum and the device's union differ by the overlap.
    assert_non_null(strstr(text, "overlap on the GPUs (ns): sum less union\",50,info,"));
}

static bool is_file(const char *folder, const char *name)
{
    char path[400];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &status) == 0 && status.st_size > 0;
}

static void test_files(void **state)
{
    struct fixture *f = *state;
    char folder[] = "dlprof-files-XXXXXX", deep[300], command[400];
    assert_non_null(mkdtemp(folder));
    snprintf(deep, sizeof deep, "%s/a/b", folder);
    const struct report *const both[] = {&report_detail, &report_group_node};
    const struct export_format *const formats[] = {export_format_find("csv"),
                                                   export_format_find("json")};
    struct export_dlprof_request request = {.folder = deep,
                                            .base_name = "my base",
                                            .reports = both,
                                            .report_count = 1,
                                            .formats = formats,
                                            .format_count = 2};
    struct error error = {0};
    assert_true(export_dlprof_files(&request, f->profile, &f->selection, f->arena, &error));
    assert_true(is_file(deep, "my_base_detailed.csv"));
    assert_true(is_file(deep, "my_base_detailed.json"));
    // One of the files exists: none is written.
    request.report_count = 2;
    assert_false(export_dlprof_files(&request, f->profile, &f->selection, f->arena, &error));
    assert_int_equal(error.kind, ERROR_IO);
    assert_false(is_file(deep, "my_base_group_op.csv"));
    request.force = true;
    assert_true(export_dlprof_files(&request, f->profile, &f->selection, f->arena, &error));
    assert_true(is_file(deep, "my_base_group_op.csv"));
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

static bool build_one(void *context, struct error *error)
{
    const struct trial *trial = context;
    const struct fixture *f = trial->data;
    struct rows rows;
    for (size_t i = 0; i < OWN_REPORTS; i++)
        if (!report_build(own_reports[i], f->profile, &f->selection, trial->arena, &rows, error))
            return false;
    return true;
}

static void test_out_of_memory(void **state)
{
    rules_get(); // builds the rules outside of the trial
    assert_true(trial_allocations(build_one, *state) > 50);
}

static const char model_path[] = "dlprof-test_model_data.json";

static bool model_one(void *context, struct error *error)
{
    const struct trial *trial = context;
    const struct fixture *f = trial->data;
    const struct export_dlprof_request request = {
        .base_name = "dlprof-test", .has_model = true, .threads = 1};
    return export_dlprof_files(&request, f->profile, &f->selection, trial->arena, error);
}

// Each allocation fails once: no file exists after a failure, and the file exists after success.
static void test_model_out_of_memory(void **state)
{
    unsigned n = 0;
    bool is_written = false;
    unlink(model_path);
    while (!is_written) {
        struct error error = {0};
        struct trial trial = {arena_new(0), *state};
        arena_fail_at(++n);
        is_written = arena_run(trial.arena, model_one, &trial, &error);
        arena_fail_at(0);
        arena_free(trial.arena);
        assert_int_equal(access(model_path, F_OK) == 0, is_written);
    }
    assert_true(n > 10);
    assert_true(is_file(".", model_path));
    unlink(model_path);
}

static void test_columns_by_mode(void **state)
{
    struct fixture *f = *state;
    f->profile->mode = MODE_TENSORFLOW1;
    const char *text = csv(f, &report_detail);
    assert_null(strstr(text, "Direction"));
    assert_non_null(strstr(text, ",Data Type,Input Shapes\n"));
    f->profile->mode = MODE_RANGES;
    assert_non_null(strstr(csv(f, &report_detail), ",Data Type,Stack Trace\n"));
}

// Two ops of one type with the longest possible time: their sum saturates.
static void test_op_type_stops(void **state)
{
    struct fixture *f = *state;
    struct ops *ops = f->profile->ops;
    ops->items[1].type = ops->items[0].type;
    for (uint32_t i = 0; i < 2; i++) { // a run of each
        SET(ops->start, i, 0);
        SET(ops->end, i, INT64_MAX);
    }
    struct rows rows = report_op_type.build(f->profile, &f->selection, f->arena);
    int64_t most = 0;
    for (size_t i = 0; i < rows.count; i++) {
        struct value cpu =
            report_column(&report_op_type, "cpu_total")->get(report_row(&report_op_type, &rows, i));
        assert_true(cpu.integer >= 0);
        most = cpu.integer > most ? cpu.integer : most;
    }
    assert_true(most == INT64_MAX);
}

// If DLProf's rule recognizes no kernel, the caption states what the full names say; the file is
// unchanged.
static void test_tensor_core_caption(void **state)
{
    struct fixture *f = *state;
    struct function *functions = f->profile->functions;
    for (uint32_t i = 0; i < f->profile->function_count; i++)
        functions[i].tensor_core = functions[i].dlprof_tensor_core ? STATE_YES : STATE_NO;
    assert_null(tensor_core_text(f->profile, &f->selection, f->arena));
    for (uint32_t i = 0; i < f->profile->function_count; i++)
        functions[i].dlprof_tensor_core = false;
    // gemm has 300 ns of the 600 ns of all kernels.
    const char *expected = "TC by short names 0.0% of kernel time, by full names 50.0%";
    const struct report *tables[] = {&report_summary, &report_detail, &report_kernel};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct rows rows = tables[i]->build(f->profile, &f->selection, f->arena);
        assert_string_equal(rows.caption, expected);
        assert_null(strstr(csv(f, tables[i]), "by full names"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_detail, setup, teardown),
        cmocka_unit_test_setup_teardown(test_set_of_iterations, setup, teardown),
        cmocka_unit_test_setup_teardown(test_kernel, setup, teardown),
        cmocka_unit_test_setup_teardown(test_group_node, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tensor, setup, teardown),
        cmocka_unit_test_setup_teardown(test_iteration, setup, teardown),
        cmocka_unit_test_setup_teardown(test_summary, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nothing_selected, setup, teardown),
        cmocka_unit_test_setup_teardown(test_drill_down, setup, teardown),
        cmocka_unit_test_setup_teardown(test_trust_adds_up, setup, teardown),
        cmocka_unit_test_setup_teardown(test_files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_columns_by_mode, setup, teardown),
        cmocka_unit_test_setup_teardown(test_op_type_stops, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tensor_core_caption, setup, teardown),
        cmocka_unit_test_setup_teardown(test_out_of_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_model_out_of_memory, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
