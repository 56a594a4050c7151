// SPDX-License-Identifier: Apache-2.0
// Detectors of GPUs that work together: checks on hand-made profiles, where planted problems
// (test_plants.c) are too coarse, what each reports and when it stays silent.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/report/stats.h"
#include "detection.h"

// ---- collectives -------------------------------------------------------------------------------

// Five times per step: 15 ms of computation, then 5 ms of an exposed collective.
static struct detection detect_exposed(uint32_t stream, const char *name)
{
    struct profile_builder *builder = builder_new();
    for (uint32_t gpu = 0; gpu < 2; gpu++)
        for (int i = 0; i < STEPS; i++) {
            int64_t at = 100LL * i * MS + MS;
            builder_step_on(builder, gpu, at - MS / 2, at + 99 * MS, i);
            for (int k = 0; k < 5; k++, at += 20 * MS) {
                builder_kernel_on(builder, gpu, COMPUTE, at, at + 15 * MS, "compute");
                builder_kernel_on(builder, gpu, stream, at + 15 * MS, at + 20 * MS, name);
            }
        }
    return detect_all(builder);
}

// The advice depends on the kind of communication: no bucket hides collectives of tensor
// parallelism, which run between the kernels of one stream, nor those that gather weights.
static void test_exposed_collectives(void **state)
{
    (void)state;
    static const struct {
        uint32_t stream;
        const char *name, *advice, *other;
    } cases[] = {
        {COMPUTE, "ncclDevKernel_AllReduce", "sequence parallelism", "bucket"},
        {COMM, "ncclDevKernel_AllGather_RING_LL", "forward_prefetch", "bucket_cap_mb"},
        {COMM, "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", "forward_prefetch", "bucket_cap_mb"},
        {COMM, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "bucket_cap_mb", "forward_prefetch"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct detection detection = detect_exposed(cases[i].stream, cases[i].name);
        const struct finding *finding =
            detection_find(&detection, "exposed_communication", SEVERITY_WARNING);
        assert_non_null(finding);
        assert_non_null(strstr(finding->recommendation, cases[i].advice));
        assert_null(strstr(finding->recommendation, cases[i].other));
        detection_free(&detection);
    }
}

// Each step is exposed communication between this many GPUs, after a kernel that hides none of it.
// With one GPU the file has only one rank of the collectives.
static struct detection detect_only_communication(uint32_t gpus, const char *name)
{
    struct profile_builder *builder = builder_new();
    for (uint32_t gpu = 0; gpu < gpus; gpu++)
        for (int i = 0; i <= STEPS; i++) {
            int64_t at = 20LL * i * MS + MS, first = at + MS / 10;
            builder_step_on(builder, gpu, at - MS * 3 / 4, at + 19 * MS, i);
            builder_kernel_on(builder, gpu, COMPUTE, at, first, "compute");
            builder_kernel_on(builder, gpu, COMM, first, at + 20 * MS, name);
        }
    return detect_all(builder);
}

// Exposed communication without a bound is still reported: as not judged if waiting cannot be
// separated from transfer (collectives with only one rank in the file, sends and receives), and as
// a note if no other work could hide it.
static void test_exposed_without_a_bound(void **state)
{
    (void)state;
    static const struct {
        uint32_t gpus;
        const char *name, *problem, *why;
        enum severity severity;
    } cases[] = {
        {1, "ncclDevKernel_AllReduce", "19.9 ms a step of a GPU; whether it waits", "all ranks",
         SEVERITY_NOT_JUDGED},
        {2, "ncclDevKernel_SendRecv", "19.9 ms a step of a GPU; whether it waits",
         "sends and receives", SEVERITY_NOT_JUDGED},
        {2, "ncclDevKernel_AllReduce", "no computing is left", NULL, SEVERITY_NOTE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct detection detection = detect_only_communication(cases[i].gpus, cases[i].name);
        assert_null(detection_find(&detection, "exposed_communication", SEVERITY_WARNING));
        const struct finding *finding =
            detection_find(&detection, "exposed_communication", cases[i].severity);
        assert_non_null(finding);
        assert_non_null(strstr(finding->problem, cases[i].problem));
        if (cases[i].why)
            assert_non_null(strstr(finding->why, cases[i].why));
        detection_free(&detection);
    }
}

// GPU 1 computes `late` ms longer in each step, and the other waits for it in the collective. Its
// clock is `skew` ms ahead: then it is unknown which GPU waits, and no GPU is blamed.
static struct profile_builder *late_gpu_profile(int late, int skew, bool alternates)
{
    struct profile_builder *builder = builder_new();
    for (uint32_t gpu = 0; gpu < 2; gpu++)
        for (int i = 0; i < STEPS; i++) {
            int64_t clock = gpu ? (int64_t)skew * (i + 1) * MS : 0,
                    at = 100LL * i * MS + MS + clock;
            bool is_late = alternates ? (uint32_t)i % 2 == gpu : gpu == 1;
            int64_t ready = at + (60 + (is_late ? late : 0)) * MS;
            builder_step_on(builder, gpu, 100LL * i * MS, 100LL * (i + 1) * MS - 1, i);
            builder_kernel_on(builder, gpu, COMPUTE, at, at + 60 * MS, "compute");
            if (is_late)
                builder_kernel_on(builder, gpu, COMPUTE, at + 60 * MS, ready, "more of it");
            builder_kernel_on(builder, gpu, COMM, ready, at + (60 + late + 2) * MS,
                              "ncclDevKernel_AllReduce");
            builder_kernel_on(builder, gpu, COMPUTE, at + (60 + late + 2) * MS, at + 99 * MS,
                              "compute after");
        }
    return builder;
}

static struct detection detect_late_gpu(int late, int skew, bool alternates)
{
    return detect_all(late_gpu_profile(late, skew, alternates));
}

// Clocks that do not agree do not show which GPU waits. The shortest run of each collective is
// transfer, not waiting; if that is most of the time, a note says so.
static void test_exposed_with_clock_skew(void **state)
{
    (void)state;
    static const struct {
        int late;
        enum severity severity;
        const char *problem;
    } cases[] = {
        {0, SEVERITY_NOTE, "100% of all communication moves data"},
        {30, SEVERITY_NOTE, "80% of all communication moves data"}, // 60 of 90 and of 60
        {70, SEVERITY_NOT_JUDGED, "whether it waits"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct profile_builder *builder = builder_new();
        for (uint32_t gpu = 0; gpu < 2; gpu++)
            for (int i = 0; i < STEPS; i++) {
                int64_t at = 100LL * i * MS + MS + (gpu ? 3LL * i * MS : 0), first = at + MS / 10;
                builder_step_on(builder, gpu, at - MS * 3 / 4, at + 98 * MS, i);
                builder_kernel_on(builder, gpu, COMPUTE, at, first, "compute");
                builder_kernel_on(builder, gpu, COMM, first + (gpu ? cases[c].late : 0) * MS,
                                  first + 90 * MS, "ncclDevKernel_AllReduce");
            }
        struct detection detection = detect_all(builder);
        assert_null(detection_find(&detection, "exposed_communication", SEVERITY_WARNING));
        const struct finding *finding =
            detection_find(&detection, "exposed_communication", cases[c].severity);
        assert_non_null(finding);
        assert_non_null(strstr(finding->problem, cases[c].problem));
        detection_free(&detection);
    }
}

// A third GPU takes part in all but the last collective, which is therefore incomplete: no waiting
// is derived from it, whatever its two members do.
static void test_cut_collective(void **state)
{
    (void)state;
    struct profile_builder *builder = late_gpu_profile(20, 0, false);
    for (int i = 0; i < STEPS; i++) {
        int64_t at = 100LL * i * MS + MS;
        builder_kernel_on(builder, 2, COMPUTE, at, at + 60 * MS, "compute");
        builder_kernel_on(builder, 2, COMM, at + 60 * MS, at + 82 * MS, "ncclDevKernel_AllReduce");
        builder_kernel_on(builder, 2, COMPUTE, at + 82 * MS, at + 99 * MS, "compute after");
        builder_step_on(builder, 2, 100LL * i * MS, 100LL * (i + 1) * MS - 1, i);
    }
    // A collective of GPU 0 and 1 only, launched in the last step and exposed after it; GPU 1 joins
    // late.
    int64_t last = 100LL * STEPS * MS + MS / 4;
    for (uint32_t gpu = 0; gpu < 2; gpu++) {
        uint32_t thread = builder_thread(builder, gpu + 1, gpu + 1);
        uint32_t call =
            builder_call(builder, thread, last - MS, last - MS + 100, "cudaLaunchKernel");
        builder_kernel(builder, call, gpu, COMM, last + gpu * 9 * MS, last + 10 * MS,
                       "ncclDevKernel_AllReduce");
    }
    struct detection detection = detect_all(builder);
    const struct finding *finding = detection_find(&detection, "straggler", SEVERITY_WARNING);
    assert_non_null(finding);
    assert_non_null(strstr(finding->why, "nothing beside them for 20.0 ms"));
    detection_free(&detection);
}

static void test_binomial_tail(void **state)
{
    (void)state;
    assert_float_equal(stats_binomial_tail(12, 7, 0.25), 0.01425278, 1e-7);
    assert_float_equal(stats_binomial_tail(12, 12, 0.5), 1.0 / 4096, 1e-12);
    assert_float_equal(stats_binomial_tail(12, 0, 0.5), 1, 1e-12);
    assert_float_equal(stats_binomial_tail(2000, 1001, 0.5), 0.49108, 1e-5);
}

static void test_late_gpu(void **state)
{
    (void)state;
    struct detection detection = detect_late_gpu(20, 0, false);
    const struct finding *finding = detection_find(&detection, "straggler", SEVERITY_WARNING);
    assert_non_null(finding);
    assert_int_equal(finding->gain_ns, 20 * MS);
    assert_string_equal(finding->place, "GPU 1");
    assert_string_equal(finding->opens, "streams"); // shows where communication is exposed
    assert_non_null(strstr(finding->why, "it has more to do"));
    // In a capture of so few steps (n), one of two GPUs is the last in every step by chance with
    // probability 2^-(n-1).
    assert_non_null(strstr(finding->why, "most of it in "));
    assert_int_equal(finding->certainty,
                     2 * pow(0.5, STEPS) > 0.01 ? CERTAINTY_LIKELY : CERTAINTY_CERTAIN);
    assert_null(detection_find(&detection, "exposed_communication", SEVERITY_WARNING));
    detection_free(&detection);
    detection = detect_late_gpu(20, 0, true);
    assert_null(detection_find(&detection, "straggler", SEVERITY_WARNING));
    detection_free(&detection);
    detection = detect_late_gpu(20, 1, false);
    assert_null(detection_find(&detection, "straggler", SEVERITY_WARNING));
    assert_null(detection_find(&detection, "slow_gpu", SEVERITY_WARNING));
    const struct finding *unknown = detection_find(&detection, "straggler", SEVERITY_NOT_JUDGED);
    assert_non_null(unknown);
    assert_non_null(strstr(unknown->problem, "clocks of the GPUs do not agree"));
    detection_free(&detection);
    detection = detect_late_gpu(20, 0, false);
    assert_null(detection_find(&detection, "straggler", SEVERITY_NOT_JUDGED));
    detection_free(&detection);
}

// GPU 1 begins each step 20 ms late, and so joins the collective late, because its host is busy
// before: with a problem that has a finding of its own, or for an unknown reason.
static struct detection detect_late_host(bool allocates)
{
    struct profile_builder *builder = builder_new();
    for (uint32_t gpu = 0; gpu < 2; gpu++) {
        uint32_t thread = builder_thread(builder, gpu + 1, gpu + 1);
        for (int i = 0; i < STEPS; i++) {
            int64_t at = 100LL * i * MS + MS, begin = at + 20 * (int)gpu * MS;
            builder_step_on(builder, gpu, at - MS, at + 99 * MS - 1, i);
            builder_kernel_on(builder, gpu, COMPUTE, at, at + MS, "compute before");
            if (gpu && allocates)
                builder_call(builder, thread, at + MS - 5000, begin - 10000, "cudaMalloc");
            uint32_t call =
                builder_call(builder, thread, begin - 8000, begin - 3000, "cudaLaunchKernel");
            builder_kernel(builder, call, gpu, COMPUTE, begin + MS, begin + 60 * MS, "compute");
            builder_kernel_on(builder, gpu, COMM, begin + 60 * MS, at + 82 * MS,
                              "ncclDevKernel_AllReduce");
            builder_kernel_on(builder, gpu, COMPUTE, at + 82 * MS, at + 99 * MS, "compute after");
            builder_call(builder, thread, at + 82 * MS, at + 98 * MS, "cudaEventSynchronize");
        }
    }
    return detect_all(builder);
}

// The cause that makes one GPU late is reported once.
static void test_late_host(void **state)
{
    (void)state;
    struct detection detection = detect_late_host(false);
    const struct finding *finding = detection_find(&detection, "straggler", SEVERITY_WARNING);
    assert_non_null(finding);
    assert_in_range(finding->gain_ns, 20 * MS - 1000, 20 * MS);
    assert_non_null(strstr(finding->why, "no longer than they do: its host is late"));
    detection_free(&detection);
    detection = detect_late_host(true);
    finding = detection_find(&detection, "allocator", SEVERITY_WARNING);
    assert_non_null(finding);
    assert_in_range(finding->gain_ns, 19 * MS - 20000, 19 * MS);
    assert_null(detection_find(&detection, "straggler", SEVERITY_WARNING));
    detection_free(&detection);
}

static void launched_late(struct profile_builder *builder, uint32_t gpu, uint32_t stream,
                          int64_t from, int64_t to, const char *name)
{
    uint32_t thread = builder_thread(builder, gpu + 1, gpu + 1);
    uint32_t call = builder_call(builder, thread, from - 6000, from - 5000, "cudaLaunchKernel");
    builder_kernel(builder, call, gpu, stream, from, to, name);
}

// The hosts of both GPUs allocate in each step, one for 10 ms and one for 20, alternately: on
// average 15 ms idle and 5 ms of waiting for the other GPU, which is idle longer. If that GPU
// computes instead, allocation is not the reason for the waiting.
static void test_hosts_late_alternately(void **state)
{
    (void)state;
    for (int computes = 0; computes < 2; computes++) {
        struct profile_builder *builder = builder_new();
        for (uint32_t gpu = 0; gpu < 2; gpu++)
            for (int i = 0; i < STEPS; i++) {
                int64_t at = 100LL * i * MS + MS, late = (uint32_t)i % 2 == gpu ? 10 * MS : 0;
                int64_t ready = at + 11 * MS + (computes ? 0 : late);
                uint32_t thread = builder_thread(builder, gpu + 1, gpu + 1);
                builder_step_on(builder, gpu, 100LL * i * MS, 100LL * (i + 1) * MS - 1, i);
                launched_late(builder, gpu, COMPUTE, at, at + MS, "compute");
                builder_call(builder, thread, at + 100, ready - 7000, "cudaMalloc");
                launched_late(builder, gpu, COMPUTE, ready, at + 61 * MS + late, "compute");
                builder_kernel_on(builder, gpu, COMM, at + 61 * MS + late, at + 73 * MS,
                                  "ncclDevKernel_AllReduce");
                builder_kernel_on(builder, gpu, COMPUTE, at + 73 * MS, at + 100 * MS,
                                  "compute after");
            }
        struct detection detection = detect_all(builder);
        const struct finding *finding = detection_find(&detection, "allocator", SEVERITY_WARNING);
        assert_non_null(finding);
        assert_in_range(finding->gain_ns, (computes ? 10 : 20) * MS - MS / 10,
                        (computes ? 10 : 20) * MS);
        assert_null(detection_find(&detection, "straggler", SEVERITY_WARNING));
        detection_free(&detection);
    }
}

// ---- pipelines ---------------------------------------------------------------------------------

// Three stages with three micro-batches: 10 ms of computation each, 40 ms of waiting in a step of
// 70.
static struct detection detect_pipeline(uint32_t gpus, bool has_ranges)
{
    struct profile_builder *builder = builder_new();
    for (uint32_t gpu = 0; gpu < gpus; gpu++)
        for (int i = 0; i < STEPS; i++) {
            int64_t at = 90LL * i * MS + MS;
            builder_step_on(builder, gpu, at - MS, at + 89 * MS - 1, i);
            for (int k = 0; k < 3; k++, at += 30 * MS) {
                char text[20];
                snprintf(text, sizeof text, "microbatch %d", k);
                if (has_ranges)
                    builder_range(builder, builder_thread(builder, gpu + 1, gpu + 1),
                                  at - 3 * MS / 4, at + 28 * MS, text);
                builder_kernel_on(builder, gpu, COMPUTE, at, at + 10 * MS, "compute");
                builder_kernel_on(builder, gpu, COMM, at + 10 * MS, at + 20 * MS,
                                  "ncclDevKernel_SendRecv");
                if (gpu > 0 && gpu + 1 < gpus)
                    builder_kernel_on(builder, gpu, COMM, at + 20 * MS, at + 30 * MS,
                                      "ncclDevKernel_SendRecv");
                else
                    builder_kernel_on(builder, gpu, COMPUTE, at + 20 * MS, at + 30 * MS, "compute");
            }
        }
    return detect_all(builder);
}

static void test_pipeline(void **state)
{
    (void)state;
    struct detection detection = detect_pipeline(4, true);
    const struct finding *finding = detection_find(&detection, "pipeline_bubble", SEVERITY_WARNING);
    // The first and last stage compute for 60 ms of 90 and wait for 30; 4 stages and 3
    // micro-batches need 60.
    assert_null(finding);
    assert_null(detection_find(&detection, "exposed_communication", SEVERITY_WARNING));
    detection_free(&detection);
    detection = detect_pipeline(4, false);
    const struct finding *unknown =
        detection_find(&detection, "pipeline_bubble", SEVERITY_NOT_JUDGED);
    assert_non_null(unknown);
    assert_string_equal(unknown->flag, "-t cuda,nvtx");
    assert_null(detection_find(&detection, "exposed_communication", SEVERITY_WARNING));
    detection_free(&detection);
    // Two GPUs that exchange borders are no pipeline.
    detection = detect_pipeline(2, false);
    assert_null(detection_find(&detection, "pipeline_bubble", SEVERITY_NOT_JUDGED));
    finding = detection_find(&detection, "exposed_communication", SEVERITY_WARNING);
    assert_non_null(finding);
    assert_non_null(strstr(finding->recommendation, "sends and receives"));
    detection_free(&detection);
    // Two stages need 20 ms: a third of 60. The wait of 1 ms before the first step counts.
    detection = detect_pipeline(2, true);
    finding = detection_find(&detection, "pipeline_bubble", SEVERITY_WARNING);
    assert_non_null(finding);
    assert_in_range(finding->gain_ns, 10 * MS + MS / STEPS - 2, 10 * MS + MS / STEPS + 2);
    detection_free(&detection);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exposed_collectives),
        cmocka_unit_test(test_exposed_without_a_bound),
        cmocka_unit_test(test_exposed_with_clock_skew),
        cmocka_unit_test(test_cut_collective),
        cmocka_unit_test(test_binomial_tail),
        cmocka_unit_test(test_late_gpu),
        cmocka_unit_test(test_late_host),
        cmocka_unit_test(test_hosts_late_alternately),
        cmocka_unit_test(test_pipeline),
    };
    return cmocka_run_group_tests_name("detectors of GPUs together", tests, NULL, NULL);
}
