// SPDX-License-Identifier: Apache-2.0
// DLProf's and the plugin's detectors: each reports when it should, with the right figures, and is
// silent otherwise.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/detectors/expert.h"
#include "analysis/report/report.h"
#include "analysis/reports/report_list.h"
#include "columns.h"
#include "model/markers/markers.h"
#include "model/ops/ops.h"
#include "small_profile.h"

DETECTOR_DECLARE(batch_size);
DETECTOR_DECLARE(loader_wait);
DETECTOR_DECLARE(plugin_memory);

struct fixture {
    struct arena *arena;
    struct profile *profile;
    struct split *split;
    struct selection selection;
};

static int setup(void **state)
{
    static struct fixture fixture;
    fixture.arena = arena_new(0);
    fixture.profile = small_profile(fixture.arena);
    fixture.split = small_split(fixture.profile, fixture.arena);
    fixture.selection = selection_all(fixture.split);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    arena_free(((struct fixture *)*state)->arena);
    return 0;
}

static const struct finding *find_finding(struct fixture *f, const char *id)
{
    struct finding_list list = expert_run(f->profile, &f->selection, f->arena);
    for (size_t i = 0; i < list.count; i++)
        if (strcmp(list.items[i].detector->id, id) == 0)
            return &list.items[i];
    return NULL;
}

static string_id intern(struct fixture *f, const char *text)
{
    return strings_intern_text(f->profile->strings, text);
}

static void test_list(void **state)
{
    struct fixture *f = *state;
    size_t dlprof = 0, plugin = 0;
    for (size_t i = 0; i < detector_count; i++) {
        dlprof += detectors[i]->is_dlprof;
        plugin += detectors[i]->is_plugin;
        bool is_of_others = detectors[i]->is_dlprof || detectors[i]->is_plugin;
        assert_int_equal(is_of_others, detectors[i]->detect != NULL);
        assert_int_equal(is_of_others, detectors[i]->judge == NULL);
    }
    assert_int_equal(dlprof, 12);
    assert_int_equal(plugin, 7);
    struct finding_list list = expert_run(f->profile, &f->selection, f->arena);
    for (size_t i = 0; i < list.count; i++) {
        assert_true(*list.items[i].problem && *list.items[i].recommendation);
        assert_non_null(list.items[i].evidence.split);
        if (list.items[i].opens)
            assert_non_null(report_find(list.items[i].opens));
        // The advice names an option for data that nsys can record, and none for other data.
        if (list.items[i].severity == SEVERITY_NOT_JUDGED)
            assert_int_equal(list.items[i].flag == NULL,
                             list.items[i].detector == &detect_batch_size ||
                                 list.items[i].detector == &detect_plugin_memory);
    }
}

// A finding has one position everywhere: warnings come first, and findings of DLProf without a
// measured share are folded at the end in the same order. DLProf's own report keeps DLProf's order.
static void test_order(void **state)
{
    struct fixture *f = *state;
    f->profile->config.cudnn_benchmark_disabled = 1;
    f->profile->ops->items[0].type = intern(f, "conv2d");
    struct finding_list list = expert_run(f->profile, &f->selection, f->arena);
    assert_true(list.count > 3);
    size_t first = list.count - expert_folded(&list);
    for (size_t i = 0; i < list.count; i++)
        assert_int_equal(finding_is_folded(&list.items[i]), i >= first);
    const struct finding *folded = &list.items[first];
    assert_string_equal(folded[0].detector->id, "cudnn_benchmark_detector");
    assert_int_equal(folded[0].severity, SEVERITY_WARNING);
    assert_string_equal(folded[1].detector->id, "underutilized_gpu_detector");
    assert_int_equal(folded[1].severity, SEVERITY_NOTE);
    assert_int_equal(list.items[list.count - 1].severity, SEVERITY_NOT_JUDGED);
    const struct report *report = report_find("expert_systems");
    struct rows rows = report->build(f->profile, &f->selection, f->arena);
    assert_string_equal(report->columns[0].get(report_row(report, &rows, 0)).text,
                        folded[1].problem);
    report = report_find("expert");
    rows = report->build(f->profile, &f->selection, f->arena);
    assert_int_equal(rows.count, list.count);
    for (size_t i = 0; i < rows.count; i++)
        assert_string_equal(
            report_column(report, "problem")->get(report_row(report, &rows, i)).text,
            list.items[i].problem);
}

static void test_unused_gpu(void **state)
{
    struct fixture *f = *state;
    const struct finding *finding = find_finding(f, "underutilized_gpu_detector");
    assert_string_equal(finding->problem, "The following GPU device IDs are not being used: 2");
    f->profile->device_count = 2;
    finding = find_finding(f, "underutilized_gpu_detector");
    // 450 and 100 of 2998 ns on two GPUs; CPU 950 and 1050.
    assert_string_equal(finding->problem,
                        "The GPU is underutilized: Only 9.2% of the profiled time is spent on GPU "
                        "kernel operations");
    assert_string_equal(finding->recommendation,
                        "\"Other\" has the highest (non-GPU) usage at 55.8%. Investigate the "
                        "dataloading pipeline as this often indicates too much time is being "
                        "spent here");
}

static void test_amp(void **state)
{
    struct fixture *f = *state;
    assert_null(find_finding(f, "amp_detector")); // float16 is used
    f->profile->ops->items[0].data_type = intern(f, "float32");
    const struct finding *finding = find_finding(f, "amp_detector");
    assert_string_equal(finding->problem,
                        "1 op was eligible to use tensor cores but none are using FP16");
    assert_string_equal(finding->opens, "tensor");
    for (uint32_t i = 0; i < f->split->count; i++) { // counts only selected steps
        bool members[8] = {false}, runs = false;
        assert_true(f->split->count <= 8);
        members[i] = true;
        f->selection.iterations = members;
        for (uint32_t n = 0; n < f->profile->ops->instance_count; n++)
            runs |= AT(f->profile->ops->op, n) == 0 && f->split->of_instance[n] == i;
        assert_int_equal(find_finding(f, "amp_detector") != NULL, runs);
    }
    f->selection.iterations = NULL;
    f->profile->ops->items[1].tensor_core_eligible = STATE_YES;
    f->profile->ops->items[1].data_type = intern(f, "float32");
    assert_string_equal(find_finding(f, "amp_detector")->problem,
                        "2 ops were eligible to use tensor cores but none are using FP16");
    f->profile->ops->items[1].data_type = intern(f, "bfloat16");
    assert_null(find_finding(f, "amp_detector"));
    f->profile->ops->items[0].data_type = f->profile->ops->items[1].data_type = STRING_NONE;
    assert_int_equal(find_finding(f, "amp_detector")->severity, SEVERITY_NOT_JUDGED);
}

static void test_dataloader(void **state)
{
    struct fixture *f = *state;
    const struct finding *finding = find_finding(f, "dataloader_detector");
    assert_string_equal(finding->problem, "No DALI ops detected");
    assert_int_equal(finding->severity, SEVERITY_NOTE);
    f->profile->ops->items[0].is_dataloader = true;
    finding = find_finding(f, "dataloader_detector");
    // 700, 700 and 0 ns of 2998 on three GPUs: 466 whole ns.
    assert_string_equal(finding->problem,
                        "15.5% of the aggregated run was spent in the dataloader while not "
                        "simultaneously running on the GPU");
    assert_non_null(strstr(finding->recommendation, "file transfer.\nConsider using NVIDIA DALI"));
    f->profile->mode = MODE_RANGES;
    assert_null(find_finding(f, "dataloader_detector"));
}

static void test_iterations(void **state)
{
    struct fixture *f = *state;
    assert_null(find_finding(f, "no_iterations_detector"));
    f->split->key_found = false;
    f->split->key = "";
    f->split->method = SPLIT_NONE;
    assert_string_equal(find_finding(f, "no_iterations_detector")->problem,
                        "Unable to split profile into training iterations: key op  not found");
}

static void test_varying_iterations(void **state)
{
    struct fixture *f = *state;
    enum { COUNT = 10 };
    struct split *split = ARENA_NEW(f->arena, struct split);
    *split = *f->split;
    split->method = SPLIT_RANGES;
    split->count = COUNT;
    split->number = ARENA_ARRAY(f->arena, int64_t, COUNT);
    split->start = ARENA_ARRAY(f->arena, int64_t, COUNT);
    split->stop = ARENA_ARRAY(f->arena, int64_t, COUNT);
    split->gpu_start = split->gpu_stop = NULL;
    split->is_cut = NULL;
    for (int i = 0; i < COUNT; i++) {
        split->number[i] = i + 100;
        split->start[i] = 1000 * i;
        split->stop[i] = 1000 * i + (i < 2 ? 990 : 300);
    }
    f->selection = selection_all(split);
    const struct finding *finding = find_finding(f, "bad_iterations_detector");
    assert_string_equal(finding->problem,
                        "The aggregated iteration range of 100 to 109 contains a lot of variation");
    assert_non_null(strstr(finding->recommendation, "--iter_start=102 --iter_stop=109"));
    assert_int_equal(selection_iteration_count(&finding->evidence), 8);
    f->selection = finding->evidence; // follows the advice, so that no finding remains
    assert_null(find_finding(f, "bad_iterations_detector"));
}

static void test_configuration(void **state)
{
    struct fixture *f = *state;
    f->profile->config.is_told = true;
    f->profile->config.emit_nvtx = 1;
    f->profile->config.cudnn_benchmark_disabled = 1;
    assert_null(find_finding(f, "cudnn_benchmark_detector"));
    assert_null(find_finding(f, "emit_nvtx_detector"));
    f->profile->ops->items[0].type = intern(f, "conv2d");
    f->profile->ops->items[1].type = intern(f, "backward");
    assert_non_null(find_finding(f, "cudnn_benchmark_detector"));
    f->profile->config.emit_nvtx = 0;
    assert_non_null(find_finding(f, "emit_nvtx_detector"));
}

static void test_imbalance(void **state)
{
    struct fixture *f = *state;
    assert_null(find_finding(f, "imbalanced_gpu_detector")); // 15.0 % and 3.3 %
    SET(f->profile->work.end, 0, 1400);                      // 48 %
    assert_non_null(find_finding(f, "imbalanced_gpu_detector"));
}

static void test_slow_calls(void **state)
{
    struct fixture *f = *state;
    struct api_calls *api = &f->profile->api;
    assert_null(find_finding(f, "slow_api_detector")); // one cudaFree in one iteration
    SET(api->name, 5, AT(api->name, 4));
    SET(api->name, 8, AT(api->name, 4));
    assert_non_null(find_finding(f, "slow_api_detector"));
}

// A runtime call and the driver call within it count as one call, and its time counts once.
static void test_nested_slow_calls(void **state)
{
    struct fixture *f = *state;
    struct api_calls *api = &f->profile->api;
    SET(api->name, 0, intern(f, "cudaMalloc_v3020"));
    SET(api->name, 5, AT(api->name, 0));
    SET(api->name, 8, AT(api->name, 0));
    const struct finding *before = find_finding(f, "slow_api_detector");
    assert_non_null(before);
    // Rows 1, 6 and 9 begin after 0, 5 and 8 and now end within them.
    static const uint32_t outer[] = {0, 5, 8};
    for (size_t i = 0; i < 3; i++) {
        uint32_t inner = outer[i] + 1;
        SET(api->name, inner, intern(f, "cuMemAlloc_v2"));
        SET(api->start, inner, AT(api->start, outer[i]) + 1);
        SET(api->end, inner, AT(api->end, outer[i]) - 1);
    }
    assert_string_equal(find_finding(f, "slow_api_detector")->problem, before->problem);
}

static void test_shapes(void **state)
{
    struct fixture *f = *state;
    static int64_t odd[2] = {64, 50257}, even[2] = {64, 1024};
    struct marker_argument argument = {.is_tensor = true, .rank = 2, .dims = odd};
    struct marker marker = {.argument_count = 1, .arguments = &argument};
    f->profile->markers = &marker;
    f->profile->marker_count = 1;
    for (uint32_t i = 0; i < f->profile->ops->instance_count; i++)
        if (AT(f->profile->ops->op, i) == 0)
            SET(f->profile->ops->marker, i, 0);
    assert_null(find_finding(f, "tensor_shape_detector")); // it uses Tensor Cores nevertheless
    // DLProf's column is based on short names. An op that uses Tensor Cores by its full name, or
    // for which this is unknown, is not reported.
    f->profile->functions[0].dlprof_tensor_core = false;
    f->profile->functions[0].tensor_core = STATE_YES;
    assert_null(find_finding(f, "tensor_shape_detector"));
    f->profile->functions[0].tensor_core = STATE_UNKNOWN;
    assert_null(find_finding(f, "tensor_shape_detector"));
    f->profile->functions[0].tensor_core = STATE_NO;
    assert_non_null(find_finding(f, "tensor_shape_detector"));
    argument.dims = even;
    assert_null(find_finding(f, "tensor_shape_detector"));
}

// The plugin's rules with its thresholds; never more than a note.
static void test_plugin(void **state)
{
    struct fixture *f = *state;
    struct profile *profile = f->profile;
    assert_null(find_finding(f, "plugin_data_parallel"));
    assert_null(find_finding(f, "plugin_nccl"));
    assert_int_equal(find_finding(f, "plugin_memory")->severity, SEVERITY_NOT_JUDGED);
    const char *const ranges[] = {"DataParallel.forward", "DistributedDataParallel.forward"};
    profile->marker_count = 1;
    profile->markers = ARENA_NEW(f->arena, struct marker);

    profile->markers[0].text = intern(f, ranges[0]);
    const struct finding *finding = find_finding(f, "plugin_data_parallel");
    assert_int_equal(finding->severity, SEVERITY_NOTE);
    assert_true(finding_is_folded(finding));
    assert_string_equal(detector_source(finding->detector), "plugin");
    assert_null(find_finding(f, "plugin_nccl"));

    profile->markers[0].text = intern(f, ranges[1]);
    profile->devices[0].compute_major = 3;
    profile->devices[0].compute_minor = 4;
    profile->devices[1].compute_major = profile->devices[2].compute_major = -1;
    assert_null(find_finding(f, "plugin_data_parallel"));
    assert_null(find_finding(f, "plugin_nccl"));
    profile->devices[0].compute_minor = 5;
    assert_non_null(find_finding(f, "plugin_nccl"));
    profile->marker_count = 0;

    // Devices 0 and 1 ran kernels for 450 and 100 ns of their windows.
    finding = find_finding(f, "plugin_utilization");
    assert_true(!finding || finding->severity == SEVERITY_NOTE);

    // Tensor Cores: requires a GPU that has them and ops that could use them, and ignores what is
    // unknown.
    profile->devices[0].compute_major = 8;
    for (uint32_t i = 0; i < profile->function_count; i++)
        profile->functions[i].tensor_core = STATE_NO;
    for (uint32_t i = 0; i < profile->ops->count; i++)
        profile->ops->items[i].tensor_core_eligible = STATE_YES;
    assert_non_null(find_finding(f, "plugin_tensor_cores"));
    string_id name = profile->devices[0].name;
    profile->devices[0].name = intern(f, "AMD Instinct MI250X");
    assert_null(find_finding(f, "plugin_tensor_cores"));
    profile->devices[0].name = name;
    for (uint32_t i = 0; i < profile->function_count; i++)
        if (profile->functions[i].kind == WORK_KERNEL)
            profile->functions[i].tensor_core = STATE_UNKNOWN;
    assert_null(find_finding(f, "plugin_tensor_cores"));
}

// The text of a rule contains the thresholds in force.
static void test_rule_text(void **state)
{
    struct fixture *f = *state;
    const char *text = expert_rule(&detect_loader_wait, f->arena);
    assert_non_null(strstr(text, "loader_wait.steps = 0.25"));
    assert_non_null(strstr(text, "loader_wait.share = 0.01"));
    assert_null(strstr(text, "dataloader.share ="));
}

static void test_capture_line(void **state)
{
    struct fixture *f = *state;
    const char *line = expert_capture_line(f->profile, f->arena);
    assert_memory_equal(line, "nsys profile -t cuda,nvtx,osrt", 30);
    assert_non_null(strstr(line, "--gpu-metrics-devices=cuda-visible"));
    f->profile->has_gpu_metrics = true;
    assert_null(strstr(expert_capture_line(f->profile, f->arena), "gpu-metrics"));
}

static void test_empty(void **state)
{
    struct fixture *f = *state;
    f->profile = empty_profile(f->arena);
    f->selection = selection_all(empty_split(f->arena));
    struct finding_list list = expert_run(f->profile, &f->selection, f->arena);
    for (size_t i = 0; i < list.count; i++)
        assert_null(strstr(list.items[i].problem, "nan"));
    // Without data the absence of findings is not reported as good.
    bool is_judged;
    assert_non_null(
        strstr(expert_empty_text(f->profile, &list, &is_judged), "nsys profile -t cuda"));
    assert_false(is_judged);
    size_t unjudged = 0;
    for (size_t d = 0; d < detector_count; d++)
        unjudged += detectors[d]->judge != NULL;
    assert_int_equal(expert_count(&list, SEVERITY_NOT_JUDGED), unjudged);
    assert_string_equal(list.items[0].flag, "-t cuda,nvtx");
    struct rows rows = report_find("expert")->build(f->profile, &f->selection, f->arena);
    assert_memory_equal(rows.caption, "Nothing is judged: no CUDA rows", 31);
    assert_null(strstr(rows.caption, "clean"));
}

// Headings count the native detectors under "not judged", and state separately what the other tools
// would report.
static void test_other_tools(void **state)
{
    struct fixture *f = *state;
    const struct detector dlprof = {.id = "dlprof", .is_dlprof = true};
    struct finding_list list = {.arena = f->arena};
    assert_null(expert_folded_text(&list, f->arena));
    finding_add(&list, &dlprof, SEVERITY_NOT_JUDGED);
    assert_string_equal(expert_folded_text(&list, f->arena), "DLProf would not judge 1");
    finding_add(&list, &dlprof, SEVERITY_NOTE);
    finding_add(&list, &dlprof, SEVERITY_WARNING);
    assert_string_equal(expert_folded_text(&list, f->arena),
                        "DLProf would also say 2 and not judge 1");
    assert_int_equal(expert_count(&list, SEVERITY_NOT_JUDGED), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_list, setup, teardown),
        cmocka_unit_test_setup_teardown(test_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unused_gpu, setup, teardown),
        cmocka_unit_test_setup_teardown(test_amp, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dataloader, setup, teardown),
        cmocka_unit_test_setup_teardown(test_iterations, setup, teardown),
        cmocka_unit_test_setup_teardown(test_varying_iterations, setup, teardown),
        cmocka_unit_test_setup_teardown(test_configuration, setup, teardown),
        cmocka_unit_test_setup_teardown(test_imbalance, setup, teardown),
        cmocka_unit_test_setup_teardown(test_slow_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nested_slow_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_shapes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plugin, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rule_text, setup, teardown),
        cmocka_unit_test_setup_teardown(test_capture_line, setup, teardown),
        cmocka_unit_test_setup_teardown(test_empty, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_tools, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
