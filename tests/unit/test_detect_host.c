// SPDX-License-Identifier: Apache-2.0
// Detectors of loading, compiling and copying on the host: checks on hand-made profiles, where
// planted problems (test_plants.c) are too coarse, what each reports and when it stays silent.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "detection.h"
#include "model/profile/copy_kinds.h"

// ---- loading and compiling ---------------------------------------------------------------------

static void launch(struct profile_builder *builder, int64_t start, int64_t kernel_end)
{
    uint32_t thread = builder_thread(builder, 1, 1);
    uint32_t call = builder_call(builder, thread, start, start + 5000, "cudaLaunchKernel");
    builder_kernel(builder, call, 0, COMPUTE, start + 6000, kernel_end, "compute");
}

// Steps of 100 ms. In the first steps the loader runs for 60 ms, all hidden by a kernel; with
// `waits` the host then waits for the GPU. In the last three the GPU is idle for 10 ms because of
// the loader and for another 10 ms because of Python.
static struct profile_builder *loading_late(bool waits)
{
    enum { HIDDEN = 5, ALL = 8 }; // steps in which loading is hidden; all steps
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < ALL; i++) {
        int64_t at = 100LL * i * MS;
        builder_step_on(builder, 0, at, at + 100 * MS - 1, i);
        if (i < HIDDEN) {
            launch(builder, at + 1000, at + 100 * MS);
            builder_range(builder, thread, at + 10 * MS, at + 70 * MS, "DataLoader.__next__");
            if (waits)
                builder_call(builder, thread, at + 71 * MS, at + 100 * MS, "cudaDeviceSynchronize");
            continue;
        }
        launch(builder, at + 1000, at + 40 * MS);
        builder_range(builder, thread, at + 40 * MS, at + 50 * MS, "DataLoader.__next__");
        launch(builder, at + 50 * MS, at + 80 * MS);
        builder_range(builder, thread, at + 80 * MS, at + 90 * MS, "metrics");
        launch(builder, at + 90 * MS, at + 100 * MS);
    }
    launch(builder, 100LL * ALL * MS, (100LL * ALL + 1) * MS);
    return builder;
}

// Loading that was hidden before the selected steps is not counted. If the host waited for the GPU
// before these steps, faster loading would not have helped them.
static void test_selected_steps(void **state)
{
    (void)state;
    struct detection detection = detect_from(loading_late(true), 5);
    const struct finding *finding = detection_find(&detection, "loader_wait", SEVERITY_WARNING);
    assert_non_null(finding);
    assert_in_range(finding->gain_ns, 10 * MS - 20000, 10 * MS + 20000);
    assert_non_null(strstr(finding->why, "is inside the loader for 10.0 ms"));
    // The rows that the finding opens contain the figure.
    struct rows rows = detection_evidence(&detection, finding);
    int64_t data_ns = 0;
    for (size_t i = 0; i < rows.count; i++)
        if (strcmp(evidence_value(finding, &rows, i, "cause").text, "data loading") == 0)
            data_ns += evidence_value(finding, &rows, i, "idle").integer;
    assert_in_range(data_ns, 3 * (10 * MS - 20000), 3 * (10 * MS + 20000));
    detection_free(&detection);
}

// Without workers the advice is not to add workers.
static void test_loader_without_workers(void **state)
{
    (void)state;
    static const struct {
        const char *loader, *says, *never;
    } cases[] = {
        {"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "More loader workers",
         "num_workers is 0"},
        {"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "num_workers is 0",
         "prefetch_factor"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile_builder *builder = builder_new();
        uint32_t thread = builder_thread(builder, 1, 1);
        for (int n = 0; n < STEPS; n++) {
            int64_t at = 100LL * n * MS;
            builder_step_on(builder, 0, at, at + 100 * MS - 1, n);
            builder_range(builder, thread, at + MS, at + 30 * MS, cases[i].loader);
            launch(builder, at + 31 * MS, at + 99 * MS);
        }
        struct detection detection = detect_all(builder);
        const struct finding *finding = detection_find(&detection, "loader_wait", SEVERITY_WARNING);
        assert_non_null(finding);
        assert_non_null(strstr(finding->recommendation, cases[i].says));
        assert_null(strstr(finding->recommendation, cases[i].never));
        detection_free(&detection);
    }
}

// The text gives a frequency for several steps, and none for a single one.
static void test_frequency_in_text(void **state)
{
    (void)state;
    static const struct {
        uint32_t first;
        const char *says;
    } sets[] = {{5, "data loader, in 3 of 3 steps: "}, {7, "data loader, in the one step: "}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct detection detection = detect_from(loading_late(true), sets[i].first);
        const struct finding *finding = detection_find(&detection, "loader_wait", SEVERITY_WARNING);
        assert_non_null(finding);
        assert_non_null(strstr(finding->problem, sets[i].says));
        detection_free(&detection);
    }
}

// Without the wait the host would have been ahead all the time: the idle time that Python causes in
// the selected steps disappears together with the loader's, whichever steps are selected.
static void test_selected_steps_ahead(void **state)
{
    (void)state;
    struct detection detection = detect_from(loading_late(false), 5);
    const struct finding *finding = detection_find(&detection, "loader_wait", SEVERITY_WARNING);
    assert_non_null(finding);
    assert_in_range(finding->gain_ns, 20 * MS - 20000, 20 * MS + 20000);
    assert_non_null(strstr(finding->why, "is inside the loader for 10.0 ms"));
    detection_free(&detection);
}

// Steps 0 and 2 compile while the GPU waits, step 1 does not: this is the warm-up. Later steps
// compile hidden by a kernel while Python keeps the GPU waiting: no step counts as compiling again.
static void test_warm_up_with_gap(void **state)
{
    (void)state;
    enum { ALL = 10 };
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < ALL; i++) {
        int64_t at = 100LL * i * MS;
        builder_step_on(builder, 0, at, at + 100 * MS - 1, i);
        launch(builder, at + 1000, at + 50 * MS);
        if (i > 2)
            builder_call(builder, thread, at + 10 * MS, at + 30 * MS, "cuModuleLoadData");
        builder_range(builder, thread, at + 50 * MS, at + 60 * MS, "metrics");
        if (i == 0 || i == 2)
            builder_call(builder, thread, at + 50 * MS, at + 60 * MS, "cuModuleLoadData");
        launch(builder, at + 60 * MS, at + 100 * MS);
    }
    launch(builder, 100LL * ALL * MS, (100LL * ALL + 1) * MS);
    struct detection detection = detect_all(builder);
    assert_null(detection_find(&detection, "recompile", SEVERITY_WARNING));
    assert_non_null(detection_find(&detection, "compile_warmup", SEVERITY_WARNING));
    detection_free(&detection);
}

// The first launch of a kernel loads its code, although no call shows this: the launch lasts 30 ms,
// and the first allocation another 10. The bound contains both, once.
static void test_loading_in_a_launch(void **state)
{
    (void)state;
    enum { ALL = 10 };
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < ALL; i++) {
        int64_t at = 100LL * i * MS;
        builder_step_on(builder, 0, at, at + 100 * MS - 1, i);
        launch(builder, at + 1000, at + 50 * MS);
        if (i > 0) {
            launch(builder, at + 40 * MS, at + 100 * MS);
            continue;
        }
        builder_call(builder, thread, 50LL * MS, 60LL * MS, "cudaMalloc");
        uint32_t call = builder_call(builder, thread, 60LL * MS + 1, 90LL * MS, "cudaLaunchKernel");
        builder_kernel(builder, call, 0, COMPUTE, 90LL * MS + 6000, 100LL * MS, "first");
    }
    launch(builder, 100LL * ALL * MS, (100LL * ALL + 1) * MS);
    struct detection detection = detect_all(builder);
    const struct finding *finding = detection_find(&detection, "compile_warmup", SEVERITY_WARNING);
    assert_non_null(finding);
    assert_in_range(finding->gain_ns, 4 * MS - 20000, 4 * MS + 20000);
    assert_non_null(strstr(finding->why, "is idle for 3.00 ms a step"));
    assert_null(detection_find(&detection, "allocator", SEVERITY_WARNING));
    detection_free(&detection);
}

// ---- copies ------------------------------------------------------------------------------------

static void copy_in(struct profile_builder *builder, int64_t call_end, int64_t from, int64_t to,
                    int64_t bytes, enum memory_kind memory)
{
    uint32_t thread = builder_thread(builder, 1, 1);
    uint32_t call =
        builder_call(builder, thread, from - MS / 10, call_end, "cudaMemcpyAsync_v3020");
    uint32_t work = builder_copy(builder, call, 0, COMPUTE, from, to, bytes);
    builder_copy_kind(builder, work, COPY_HTOD, (int)memory, MEMORY_DEVICE);
}

// Four copies of 20 ms before the first kernel are the start-up of a program: a note, not a
// problem.
static void test_loading(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    for (int i = 0; i < 4; i++)
        copy_in(builder, (10 + 20 * i + 20) * MS - 40000, (10 + 20 * i) * MS, (30 + 20 * i) * MS,
                200000000 + i, MEMORY_PAGEABLE);
    for (int i = 0; i < 30; i++)
        builder_kernel_on(builder, 0, COMPUTE, (90 + 10 * i) * MS, (100 + 10 * i) * MS, "compute");
    struct detection detection = detect_all(builder);
    assert_null(detection_find(&detection, "pageable_copies", SEVERITY_WARNING));
    const struct finding *note = detection_find(&detection, "pageable_copies", SEVERITY_NOTE);
    assert_non_null(note);
    assert_non_null(strstr(note->problem, "80.0 ms (21.1%)")); // of 380 ms
    assert_null(detection_find(&detection, "exposed_copies", SEVERITY_WARNING));
    detection_free(&detection);
}

// Each step has a blocking copy of 6 ms, after which the host needs 4 ms for the next launch. The
// bound is 10 ms, because the call lasted 12.
static void test_blocking(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    for (int i = 0; i < STEPS; i++) {
        int64_t at = 50LL * i * MS;
        builder_step_on(builder, 0, at, at + 50 * MS - 1, i);
        builder_kernel_on(builder, 0, COMPUTE, at + 1 * MS, at + 20 * MS, "compute");
        uint32_t thread = builder_thread(builder, 1, 1);
        uint32_t call =
            builder_call(builder, thread, at + 14 * MS, at + 26 * MS, "cudaMemcpyAsync");
        uint32_t work =
            builder_copy(builder, call, 0, COMPUTE, at + 20 * MS, at + 26 * MS, 60000000);
        builder_copy_kind(builder, work, COPY_HTOD, MEMORY_PAGEABLE, MEMORY_DEVICE);
        call = builder_call(builder, thread, at + 30 * MS, at + 30 * MS + 100, "cudaLaunchKernel");
        builder_kernel(builder, call, 0, COMPUTE, at + 30 * MS + 5000, at + 51 * MS, "compute");
    }
    struct detection detection = detect_all(builder);
    const struct finding *finding = detection_find(&detection, "pageable_copies", SEVERITY_WARNING);
    assert_non_null(finding);
    assert_int_equal(finding->gain_ns, 10 * MS);
    assert_non_null(strstr(finding->why, "6.00 ms of copies"));
    assert_string_equal(finding->opens, "launches");
    detection_free(&detection);
}

// Without steps: two kinds of groups of copies between kernels, repeated, are streamed weights. A
// single kind may be batches.
static void test_streaming(void **state)
{
    (void)state;
    for (int kinds = 1; kinds <= 2; kinds++) {
        struct profile_builder *builder = builder_new();
        for (int i = 0; i < 20; i++) {
            int64_t at = 30LL * i * MS + MS, bytes = i % kinds ? 300000000 : 200000000;
            copy_in(builder, at + 1000, at, at + 10 * MS, bytes, MEMORY_PINNED);
            copy_in(builder, at + 10 * MS, at + 10 * MS, at + 20 * MS, bytes / 2, MEMORY_PINNED);
            builder_kernel_on(builder, 0, COMPUTE, at + 20 * MS, at + 30 * MS, "compute");
        }
        struct detection detection = detect_all(builder);
        const struct finding *finding =
            detection_find(&detection, "streamed_weights", SEVERITY_WARNING);
        assert_int_equal(finding != NULL, kinds == 2);
        if (finding) {
            assert_int_equal(finding->gain_ns, 400 * MS);
            assert_non_null(strstr(finding->problem, "compute stream"));
        } else { // only half of it can be hidden by computation
            finding = detection_find(&detection, "exposed_copies", SEVERITY_WARNING);
            assert_non_null(finding);
            assert_int_equal(finding->gain_ns, 200 * MS);
        }
        detection_free(&detection);
    }
}

// The host is busy for 39 ms between two steps. If it launches work outside of steps after 10 ms of
// it, only these 10 ms count: the rest belongs to that work.
static void test_between_steps(void **state)
{
    (void)state;
    for (int outside = 0; outside < 2; outside++) {
        struct profile_builder *builder = builder_new();
        for (int i = 0; i < 8; i++) {
            int64_t at = 100LL * i * MS;
            builder_step_on(builder, 0, at, at + 61 * MS, i);
            launch(builder, at + 1000, at + 30 * MS);
            launch(builder, at + 60 * MS, at + 61 * MS);
            if (outside)
                launch(builder, at + 71 * MS, at + 81 * MS);
        }
        struct detection detection = detect_all(builder);
        const struct finding *finding =
            detection_find(&detection, "between_steps", SEVERITY_WARNING);
        assert_non_null(finding);
        assert_in_range(finding->gain_ns, outside ? 8 * MS : 34 * MS, outside ? 10 * MS : 39 * MS);
        detection_free(&detection);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selected_steps),    cmocka_unit_test(test_selected_steps_ahead),
        cmocka_unit_test(test_frequency_in_text), cmocka_unit_test(test_loader_without_workers),
        cmocka_unit_test(test_warm_up_with_gap),  cmocka_unit_test(test_loading_in_a_launch),
        cmocka_unit_test(test_loading),           cmocka_unit_test(test_blocking),
        cmocka_unit_test(test_between_steps),     cmocka_unit_test(test_streaming),
    };
    return cmocka_run_group_tests_name("detectors of the host", tests, NULL, NULL);
}
