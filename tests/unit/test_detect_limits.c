// SPDX-License-Identifier: Apache-2.0
// Detectors that compare ops with the least time they could need, checked on hand-made profiles.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "detection.h"

static const char product[] = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn";
static const char elementwise[] = "void at::native::vectorized_elementwise_kernel<4, "
                                  "at::native::CUDAFunctor_add<float> >(int)";

struct batch {         // per step `count` kernels of `length_ns` each, of an op with these sizes
    const char *sizes; // NULL: not recorded
    const char *kernel;
    int count;
    int64_t length_ns;
};

static struct detection detect_batches(const char *gpu, const struct batch *batches, size_t count)
{
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    if (gpu)
        builder_gpu(builder, gpu);
    for (int i = 0; i < STEPS; i++) {
        int64_t step = 50LL * i * MS, launched = step + 2 * MS, from = step + 10 * MS;
        builder_step_on(builder, 0, step, step + 50 * MS - 1, i);
        builder_kernel_on(builder, 0, COMPUTE, step + MS, step + 10 * MS, "compute");
        for (size_t b = 0; b < count; b++)
            for (int k = 0; k < batches[b].count; k++) {
                int64_t to = from + batches[b].length_ns;
                if (batches[b].sizes)
                    builder_range(builder, thread, launched, launched + 300, batches[b].sizes);
                uint32_t call = builder_call(builder, thread, launched + 100, launched + 200,
                                             "cudaLaunchKernel");
                builder_kernel(builder, call, 0, COMPUTE, from, to, batches[b].kernel);
                launched += 400;
                from = to + 500;
            }
    }
    return detect_all(builder);
}

static struct detection detect_steps(const char *gpu, const char *sizes, const char *kernel,
                                     int count, int64_t length_ns)
{
    return detect_batches(gpu, &(struct batch){sizes, kernel, count, length_ns}, 1);
}

enum { IDEAL_NS = 3524074 }; // 2 * 8192^3 / 312 TFLOP/s
static const char a100[] = "NVIDIA A100-SXM4-80GB";
static const char mm[] = "aten::mm, op_id = 1, sizes = [[8192, 8192], [8192, 8192]]";

static void test_far(void **state)
{
    (void)state;
    struct detection detection = detect_steps(a100, mm, product, 1, 20 * MS);
    const struct finding *finding = detection_find(&detection, "far_from_limit", SEVERITY_WARNING);
    assert_non_null(finding);
    assert_in_range(finding->gain_ns, 20 * MS - IDEAL_NS - 1000, 20 * MS - IDEAL_NS + 1000);
    assert_string_equal(finding->id, "far_from_limit:aten::mm");
    assert_non_null(strstr(finding->problem, "aten::mm is far from"));
    assert_non_null(strstr(finding->problem, "20.0 ms a step, 3.52 ms would do"));
    assert_non_null(strstr(finding->why, "M=8192,N=8192,K=8192"));
    assert_non_null(strstr(finding->why, "18% of the time"));
    assert_non_null(strstr(finding->recommendation, "sizes"));
    assert_null(detection_find(&detection, "near_limit", SEVERITY_NOTE));
    detection_free(&detection);
    detection = detect_steps(a100, mm, product, 1, 8 * MS); // 44 % of it
    assert_null(detection_find(&detection, "far_from_limit", SEVERITY_WARNING));
    assert_null(detection_find(&detection, "far_from_limit", SEVERITY_NOT_JUDGED));
    assert_null(detection_find(&detection, "near_limit", SEVERITY_NOTE));
    detection_free(&detection);
}

// An op bound by memory gets different advice.
static void test_far_of_memory(void **state)
{
    (void)state;
    static const char add[] = "aten::add, op_id = 1, sizes = [[8192, 8192], [8192, 8192]]";
    struct detection detection = detect_steps(a100, add, elementwise, 1, 10 * MS);
    const struct finding *finding = detection_find(&detection, "far_from_limit", SEVERITY_WARNING);
    assert_non_null(finding);
    // Two tensors of 8192 x 8192 numbers of 4 bytes are read, one is written, at 2039 GB/s.
    int64_t ideal_ns = (int64_t)(3 * 8192.0 * 8192.0 * 4 / 2039e9 * 1e9);
    assert_in_range(finding->gain_ns, 10 * MS - ideal_ns - 1000, 10 * MS - ideal_ns + 1000);
    assert_non_null(strstr(finding->recommendation, "fuse it"));
    detection_free(&detection);
}

// The time to start and end is not the kernel's fault.
static void test_far_of_small(void **state)
{
    (void)state;
    static const char add[] = "aten::add, op_id = 1, sizes = [[64, 64], [64, 64]]";
    struct detection detection = detect_steps(a100, add, elementwise, 1000, 4000);
    const struct finding *finding = detection_find(&detection, "far_from_limit", SEVERITY_WARNING);
    assert_non_null(finding);
    assert_string_equal(finding->id, "far_from_limit:small kernels");
    assert_non_null(strstr(finding->why, "4.0 us each"));
    assert_in_range(finding->gain_ns, 3900000, 4000000);
    detection_free(&detection);
}

// Findings about small kernels cover only these, whatever else is far from its limit; work of other
// kernels is judged separately.
static void test_far_and_small(void **state)
{
    (void)state;
    static const char add[] = "aten::add, op_id = 1, sizes = [[64, 64], [64, 64]]";
    static const char slow[] = "ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_stages_64x5_nn";
    struct detection detection = detect_batches(a100,
                                                (struct batch[]){{mm, slow, 1, 20 * MS},
                                                                 {mm, product, 1, 4 * MS},
                                                                 {add, elementwise, 1000, 4000}},
                                                3);
    const struct finding *finding = detection_find(&detection, "far_from_limit", SEVERITY_WARNING);
    assert_non_null(finding);
    assert_string_equal(finding->id, "far_from_limit:aten::mm");
    assert_in_range(finding->gain_ns, 20 * MS - IDEAL_NS - 1000, 20 * MS - IDEAL_NS + 1000);
    assert_non_null(strstr(finding->why, "18% of the time"));
    const struct finding *small = NULL;
    for (size_t i = 0; i < detection.list.count; i++)
        if (strcmp(detection.list.items[i].id, "far_from_limit:small kernels") == 0)
            small = &detection.list.items[i];
    assert_non_null(small);
    assert_non_null(strstr(small->why, "Most of it: aten::add"));
    detection_free(&detection);
}

// Without sizes, or on an unknown GPU, no op is reported as good.
static void test_unknown(void **state)
{
    (void)state;
    struct detection detection = detect_steps(a100, NULL, elementwise, 1, 20 * MS);
    const struct finding *finding =
        detection_find(&detection, "far_from_limit", SEVERITY_NOT_JUDGED);
    assert_non_null(finding);
    assert_string_equal(finding->flag, "--pytorch=autograd-shapes-nvtx");
    detection_free(&detection);
    detection = detect_steps(a100, NULL, "somebody's", 1, 20 * MS); // not a PyTorch kernel
    assert_null(detection_find(&detection, "far_from_limit", SEVERITY_NOT_JUDGED));
    detection_free(&detection);
    detection = detect_steps("A card of tomorrow", mm, product, 1, 20 * MS);
    finding = detection_find(&detection, "far_from_limit", SEVERITY_NOT_JUDGED);
    assert_non_null(finding);
    assert_non_null(strstr(finding->recommendation, "gpus.yaml"));
    assert_null(detection_find(&detection, "far_from_limit", SEVERITY_WARNING));
    detection_free(&detection);
}

static void test_near(void **state)
{
    (void)state;
    struct detection detection = detect_steps(a100, mm, product, 2, 4 * MS); // 88 %
    const struct finding *finding = detection_find(&detection, "near_limit", SEVERITY_NOTE);
    assert_non_null(finding);
    assert_int_equal(finding->gain_ns, UNKNOWN);
    assert_non_null(strstr(finding->problem, "8.00 ms a step"));
    assert_non_null(strstr(finding->why, "0% of it waits for memory"));
    struct rows rows = detection_evidence(&detection, finding);
    assert_int_equal(rows.count, 1);
    assert_int_equal(evidence_value(finding, &rows, 0, "kernels").integer, 2 * STEPS);
    detection_free(&detection);
    // FP32 at its own limit: 16 bit would be faster.
    detection = detect_steps(a100, mm, "ampere_sgemm_128x64_tn", 1, 38 * MS);
    assert_null(detection_find(&detection, "near_limit", SEVERITY_NOTE));
    assert_null(detection_find(&detection, "far_from_limit", SEVERITY_WARNING));
    detection_free(&detection);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far),          cmocka_unit_test(test_far_of_memory),
        cmocka_unit_test(test_far_of_small), cmocka_unit_test(test_far_and_small),
        cmocka_unit_test(test_unknown),      cmocka_unit_test(test_near),
    };
    return cmocka_run_group_tests_name("detectors by limits", tests, NULL, NULL);
}
