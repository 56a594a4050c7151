// SPDX-License-Identifier: Apache-2.0
// Detectors that use names and order of kernels, and the evidence of findings, checked on hand-made
// profiles.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/reports/report_list.h"
#include "detection.h"
#include "model/profile/copy_kinds.h"

// ---- launches ----------------------------------------------------------------------------------

// Each step has 600 kernels of 55 us, launched every 70 us: too long to count as small. With
// `varies` one of them has another name in each step, so that no CUDA graph could hold them.
static struct detection detect_repeated(bool varies, bool waits)
{
    enum { LAUNCHES = 600, EVERY = 70000 };
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < STEPS; i++) {
        int64_t at = (int64_t)i * LAUNCHES * EVERY;
        builder_step_on(builder, 0, at, at + (int64_t)LAUNCHES * EVERY - 1, i);
        for (int k = 0; k < LAUNCHES; k++, at += EVERY) {
            char name[30] = "compute";
            if (varies && k == 100 + i)
                snprintf(name, sizeof name, "another %d", i);
            uint32_t call = builder_call(builder, thread, at, at + 5000, "cudaLaunchKernel");
            builder_kernel(builder, call, 0, COMPUTE, at + 6000, at + 61000, name);
            if (waits && k == LAUNCHES / 2)
                builder_call(builder, thread, at + 6000, at + 8000, "cudaStreamSynchronize");
        }
    }
    return detect_all(builder);
}

static void test_repeated_launches(void **state)
{
    (void)state;
    struct detection detection = detect_repeated(false, false);
    const struct finding *finding =
        detection_find(&detection, "repeated_launches", SEVERITY_WARNING);
    assert_non_null(finding);
    assert_non_null(strstr(finding->problem, "600 launches a step"));
    // 599 gaps of 15 us are caused by the host.
    assert_in_range(finding->gain_ns, 599 * 9000, 600 * 15000);
    assert_null(detection_find(&detection, "launch_bound", SEVERITY_WARNING));
    detection_free(&detection);
    detection = detect_repeated(true, false);
    assert_null(detection_find(&detection, "repeated_launches", SEVERITY_WARNING));
    detection_free(&detection);
    detection = detect_repeated(false, true); // two rows of 300
    assert_null(detection_find(&detection, "repeated_launches", SEVERITY_WARNING));
    detection_free(&detection);
}

// Two layers of 300 kernels, launched ahead of the GPU in the first layer and late in the second. A
// capture of one step does not show whether they repeat; only launches for which the GPU waits are
// late.
static struct detection detect_repeated_late(int steps)
{
    enum { LAUNCHES = 300, EVERY = 70000 };
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < steps; i++) {
        int64_t at = (int64_t)i * 3 * LAUNCHES * EVERY, begin = at;
        for (int k = 0; k < LAUNCHES; k++, at += EVERY) {
            int64_t launched = begin + k * EVERY / 2;
            uint32_t call =
                builder_call(builder, thread, launched + 1000, launched + 6000, "cudaLaunchKernel");
            builder_kernel(builder, call, 0, COMPUTE, at + 7000, at + 7000 + EVERY, "compute");
        }
        builder_range(builder, thread, begin + 100, begin + LAUNCHES * EVERY / 2, "ahead");
        builder_range(builder, thread, at, at + LAUNCHES * EVERY, "late");
        for (int k = 0; k < LAUNCHES; k++, at += EVERY) {
            uint32_t call =
                builder_call(builder, thread, at + 10000, at + 15000, "cudaLaunchKernel");
            builder_kernel(builder, call, 0, COMPUTE, at + 16000, at + 71000, "compute");
        }
        builder_step_on(builder, 0, begin, begin + 3LL * LAUNCHES * EVERY - 1, i);
    }
    return detect_all(builder);
}

static void test_repeated_launches_once(void **state)
{
    (void)state;
    for (int steps = 1; steps <= 3; steps += 2) {
        struct detection detection = detect_repeated_late(steps);
        const struct finding *finding =
            detection_find(&detection, "repeated_launches", SEVERITY_WARNING);
        assert_non_null(finding);
        assert_non_null(finding->place);
        assert_string_equal(finding->place, "step N > late");
        assert_int_equal(strstr(finding->problem, "the same ones in the same order") != NULL,
                         steps > 1);
        assert_int_equal(strstr(finding->problem, "of one step it is not told") != NULL,
                         steps == 1);
        assert_int_equal(strstr(finding->why, "record several") != NULL, steps == 1);
        detection_free(&detection);
    }
}

// ---- copies ------------------------------------------------------------------------------------

// Each step of 100 ms has `count` copies within GPU memory, 10 ms together.
static struct detection detect_device_copies(int count, bool hidden, bool has_steps)
{
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < STEPS; i++) {
        int64_t at = 100LL * i * MS, copy_ns = 10LL * MS / count;
        if (has_steps)
            builder_step_on(builder, 0, at, at + 100 * MS - 1, i);
        builder_kernel_on(builder, 0, COMPUTE, at + MS, at + (hidden ? 100 : 90) * MS, "compute");
        for (int k = 0; k < count; k++) {
            int64_t from = at + 90LL * MS + k * copy_ns;
            uint32_t call = builder_call(builder, thread, at + 2 * MS + k * 10000,
                                         at + 2 * MS + k * 10000 + 5000, "cudaMemcpyAsync");
            uint32_t work =
                builder_copy(builder, call, 0, COMPUTE + hidden, from, from + copy_ns, 1000000);
            builder_copy_kind(builder, work, COPY_DTOD, MEMORY_DEVICE, MEMORY_DEVICE);
        }
    }
    return detect_all(builder);
}

static void test_device_copies(void **state)
{
    (void)state;
    struct detection detection = detect_device_copies(500, false, true);
    const struct finding *finding = detection_find(&detection, "device_copies", SEVERITY_NOTE);
    assert_non_null(finding);
    assert_non_null(strstr(finding->problem, "500 a step, with nothing beside them for 10.0 ms"));
    assert_int_equal(finding->evidence.device, detection.list.device); // as the figures
    detection_free(&detection);
    detection = detect_device_copies(20, false, true); // the same time in few copies
    assert_null(detection_find(&detection, "device_copies", SEVERITY_NOTE));
    detection_free(&detection);
    detection = detect_device_copies(500, true, true);
    assert_null(detection_find(&detection, "device_copies", SEVERITY_NOTE));
    detection_free(&detection);
    detection =
        detect_device_copies(500, false, false); // without steps they are few for the whole capture
    assert_null(detection_find(&detection, "device_copies", SEVERITY_NOTE));
    detection_free(&detection);
}

// ---- kernels by name ---------------------------------------------------------------------------

// Each step of 100 ms runs these kernels of 1 ms one after the other, `times` times.
static struct detection detect_kernels_named(const char *const *names, int times)
{
    struct profile_builder *builder = builder_new();
    for (int i = 0; i < STEPS; i++) {
        int64_t at = 100LL * i * MS, from = at + MS;
        builder_step_on(builder, 0, at, at + 100 * MS - 1, i);
        for (int k = 0; k < times; k++)
            for (const char *const *name = names; *name; name++, from += MS)
                builder_kernel_on(builder, 0, COMPUTE, from, from + MS, *name);
        builder_kernel_on(builder, 0, COMPUTE, from, at + 101 * MS, "compute");
    }
    return detect_all(builder);
}

// The advice names the types that the GPU's Tensor Cores support.
static void test_fp32_by_card(void **state)
{
    (void)state;
    static const struct {
        const char *card, *says, *never, *bound;
        enum certainty certainty;
    } cases[] = {
        {NULL, "bfloat16 or float16", "neither", "leaves 1/32", CERTAINTY_LIKELY},
        {"NVIDIA RTX 9999", "bfloat16 or float16", "neither", "leaves 1/32", CERTAINTY_LIKELY},
        {"NVIDIA A100-SXM4-80GB", "TF32 on Ampere", "neither", "leaves 1/16", CERTAINTY_CERTAIN},
        // No figure of TF32 or 16 bit is known.
        {"NVIDIA RTX 6000 Ada Generation", "TF32 on Ampere", "neither", "leaves 1/4 ",
         CERTAINTY_CERTAIN},
        {"NVIDIA H100 96GB HBM3", "TF32 on Ampere", "neither", "leaves 1/16 ", CERTAINTY_CERTAIN},
        {"NVIDIA GB200", "TF32 on Ampere", "neither", "leaves 1/32 ", CERTAINTY_CERTAIN},
        {"Tesla V100-SXM2-16GB", "neither bfloat16 nor TF32", "set_float32_matmul_precision",
         "leaves 1/7.96 ", CERTAINTY_CERTAIN},
        {"Quadro RTX 8000", "neither bfloat16 nor TF32", "set_float32_matmul_precision",
         "leaves 1/8 ", CERTAINTY_CERTAIN},
        {"AMD Instinct MI300X", "bfloat16 or float16", "TF32", "leaves 1/8 ", CERTAINTY_CERTAIN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile_builder *builder = builder_new();
        if (cases[i].card)
            builder_gpu(builder, cases[i].card);
        for (int n = 0; n < STEPS; n++) {
            int64_t at = 100LL * n * MS;
            builder_step_on(builder, 0, at, at + 100 * MS - 1, n);
            builder_kernel_on(builder, 0, COMPUTE, at + MS, at + 60 * MS, "ampere_sgemm_128x64_tn");
            builder_kernel_on(builder, 0, COMPUTE, at + 60 * MS, at + 61 * MS,
                              "ampere_h16816gemm_128x64_tn");
        }
        struct detection detection = detect_all(builder);
        const struct finding *finding = detection_find(&detection, "fp32_gemm", SEVERITY_WARNING);
        assert_non_null(finding);
        assert_non_null(strstr(finding->recommendation, cases[i].says));
        assert_null(strstr(finding->recommendation, cases[i].never));
        assert_non_null(strstr(finding->why, cases[i].bound));
        assert_int_equal(finding->certainty, cases[i].certainty);
        detection_free(&detection);
    }
    // This one has no Tensor Cores.
    struct profile_builder *builder = builder_new();
    builder_gpu(builder, "NVIDIA GeForce GTX 1660 Ti");
    for (int n = 0; n < STEPS; n++) {
        int64_t at = 100LL * n * MS;
        builder_step_on(builder, 0, at, at + 100 * MS - 1, n);
        builder_kernel_on(builder, 0, COMPUTE, at + MS, at + 60 * MS, "ampere_sgemm_128x64_tn");
    }
    struct detection detection = detect_all(builder);
    assert_null(detection_find(&detection, "fp32_gemm", SEVERITY_WARNING));
    detection_free(&detection);
}

static void test_fp64(void **state)
{
    (void)state;
    static const char *const doubles[] = {
        "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<double, "
        "double, "
        "double, at::native::binary_internal::MulFunctor<double> >, std::array<char*, 3ul> >(int)",
        "cutlass_80_tensorop_d884gemm_64x64_16x4_tn_align1", NULL};
    // An optimizer with rates as arguments, and a kernel that moves two floats as one double.
    static const char *const others[] = {
        "void "
        "at::native::multi_tensor_apply_kernel<at::native::FusedOptimizerTensorListMetadata<4>, "
        "at::native::FusedAdamMathFunctor<float, 4>, float const*, double, double, double, bool>()",
        "void genericReformat::copyVectorizedKernel<double, __half, __half, true>(unsigned int)",
        NULL};
    struct detection detection = detect_kernels_named(doubles, 3);
    const struct finding *finding = detection_find(&detection, "fp64", SEVERITY_NOTE);
    assert_non_null(finding);
    assert_non_null(strstr(finding->problem, "6.00 ms a step"));
    detection_free(&detection);
    // The evidence of a note is as narrow as its text.
    detection = detect_kernels_named((const char *const[]){doubles[1], NULL}, 6);
    finding = detection_find(&detection, "fp64", SEVERITY_NOTE);
    assert_non_null(finding);
    assert_int_equal(detection_evidence(&detection, finding).count, 1);
    detection_free(&detection);
    detection = detect_kernels_named(others, 3);
    assert_null(detection_find(&detection, "fp64", SEVERITY_NOTE));
    detection_free(&detection);
}

// The cost of a layer includes its backward, and so does the evidence.
static void test_evidence_of_layer(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1), autograd = builder_thread(builder, 1, 2);
    for (int i = 0; i < STEPS; i++) {
        char forward[40], backward[40];
        snprintf(forward, sizeof forward, "aten::mm, seq = %d", i);
        snprintf(backward, sizeof backward, "MmBackward0, seq = %d", i);
        int64_t at = 100LL * i * MS;
        builder_step_on(builder, 0, at, at + 100 * MS - 1, i);
        builder_range(builder, thread, at + 1000, at + MS, "layer 1");
        builder_range(builder, thread, at + 2000, at + MS - 1000, forward);
        uint32_t call = builder_call(builder, thread, at + 3000, at + 8000, "cudaLaunchKernel");
        builder_kernel(builder, call, 0, COMPUTE, at + MS, at + 31 * MS, "dgemm_nn");
        builder_range(builder, autograd, at + 2 * MS, at + 3 * MS, backward);
        call = builder_call(builder, autograd, at + 2 * MS + 1000, at + 2 * MS + 5000,
                            "cudaLaunchKernel");
        builder_kernel(builder, call, 0, COMPUTE, at + 31 * MS, at + 61 * MS, "dgemm_nt");
        builder_kernel_on(builder, 0, COMPUTE, at + 61 * MS, at + 101 * MS, "compute");
    }
    struct detection detection = detect_all(builder);
    const struct finding *finding = detection_find(&detection, "fp64", SEVERITY_NOTE);
    assert_non_null(finding);
    assert_non_null(strstr(finding->place, "layer"));
    assert_int_equal(detection_evidence(&detection, finding).count, 2);
    detection_free(&detection);
}

static void test_math_attention(void **state)
{
    (void)state;
#define SOFTMAX \
    "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, false, false>()"
#define SCALE \
    "void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float> >()"
    static const char *const math[] = {"ampere_sgemm_128x64_tn", SCALE,        SOFTMAX, SCALE,
                                       "ampere_sgemm_128x64_nn", "layer_norm", NULL};
    // A router of experts, the loss after the last product, and a fused kernel.
    static const char *const router[] = {
        "ampere_sgemm_128x64_tn", SOFTMAX,      "void at::native::sbtopk::gatherTopK<float>()",
        "ampere_sgemm_128x64_nn", "layer_norm", NULL};
    static const char *const loss[] = {
        "ampere_sgemm_128x64_tn",
        "void at::native::cunn_SoftMaxForward<4, float, at::native::LogSoftMaxForwardEpilogue>()",
        "ampere_sgemm_128x64_nn", "layer_norm", NULL};
    static const char *const fused[] = {"ampere_sgemm_128x64_tn",
                                        "void flash_fwd_kernel<Softmax<float> >()",
                                        "ampere_sgemm_128x64_nn", "layer_norm", NULL};
    static const char *const *const others[] = {router, loss, fused};
    struct detection detection = detect_kernels_named(math, 6);
    const struct finding *finding = detection_find(&detection, "math_attention", SEVERITY_NOTE);
    assert_non_null(finding);
    assert_non_null(strstr(finding->problem, "6 times a step"));
    assert_non_null(strstr(finding->problem, "takes 18.0 ms"));
    detection_free(&detection);
    detection = detect_kernels_named(math, 2); // one or two layers
    assert_null(detection_find(&detection, "math_attention", SEVERITY_NOTE));
    detection_free(&detection);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        detection = detect_kernels_named(others[i], 6);
        assert_null(detection_find(&detection, "math_attention", SEVERITY_NOTE));
        detection_free(&detection);
    }
}

// ---- evidence of findings ----------------------------------------------------------------------

// GPU 1 needs 44 ms for work that needs 40 ms on the two others, which wait for it in the
// collective.
static void test_evidence_of_slow_gpu(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    for (uint32_t gpu = 0; gpu < 3; gpu++)
        for (int i = 0; i < STEPS; i++) {
            int64_t at = 100LL * i * MS + MS, ready = at + (gpu == 1 ? 44 : 40) * MS;
            builder_step_on(builder, gpu, 100LL * i * MS, 100LL * (i + 1) * MS - 1, i);
            builder_kernel_on(builder, gpu, COMPUTE, at, ready, "compute");
            builder_kernel_on(builder, gpu, COMM, ready, at + 46 * MS, "ncclDevKernel_AllReduce");
            builder_kernel_on(builder, gpu, COMPUTE, at + 46 * MS, at + 66 * MS, "as fast");
        }
    struct detection detection = detect_all(builder);
    const struct finding *finding = detection_find(&detection, "slow_gpu", SEVERITY_WARNING);
    assert_non_null(finding);
    assert_in_range(finding->gain_ns, 4 * MS - 1000, 4 * MS);
    assert_non_null(strstr(finding->problem, "10.0% longer"));
    assert_string_equal(finding->opens, "shapes");
    assert_string_equal(finding->filter, "pace>1.03 class:compute");
    struct rows rows = detection_evidence(&detection, finding);
    assert_int_equal(rows.count, 3);
    for (size_t i = 0; i < rows.count; i++) {
        const char *name = evidence_value(finding, &rows, i, "kernel").text;
        struct value pace = evidence_value(finding, &rows, i, "pace");
        struct value others = evidence_value(finding, &rows, i, "others");
        if (strstr(name, "AllReduce")) { // waits for the others
            assert_int_equal(pace.kind, VALUE_NONE);
            continue;
        }
        bool is_slow = strcmp(name, "compute") == 0;
        assert_int_equal(pace.kind, VALUE_REAL);
        assert_true(pace.real > (is_slow ? 1.0999 : 0.9999) &&
                    pace.real < (is_slow ? 1.1001 : 1.0001));
        assert_true(others.real == (is_slow ? 40.0 : 20.0) * MS);
    }
    // Without a selected GPU there are no others to compare with.
    struct selection all = finding->evidence;
    all.device = ROW_NONE;
    rows = report_find("shapes")->build(builder->profile, &all, detection.arena);
    assert_int_equal(evidence_value(finding, &rows, 0, "pace").kind, VALUE_NONE);
    detection_free(&detection);
}

// In each step the GPU becomes idle while the host waits, and gets new work 5 ms later.
static void test_evidence_of_sync_drain(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < STEPS; i++) {
        int64_t at = 100LL * i * MS;
        builder_step_on(builder, 0, at, at + 100 * MS - 1, i);
        builder_kernel_on(builder, 0, COMPUTE, at + MS, at + 40 * MS, "compute");
        builder_call(builder, thread, at + 2 * MS, at + 41 * MS, "cudaStreamSynchronize");
        builder_kernel_on(builder, 0, COMPUTE, at + 45 * MS + MS / 2, at + 100 * MS + MS / 2,
                          "compute");
    }
    struct detection detection = detect_all(builder);
    const struct finding *finding = detection_find(&detection, "sync_drain", SEVERITY_WARNING);
    assert_non_null(finding);
    assert_in_range(finding->gain_ns, 5 * MS - 20000, 6 * MS);
    assert_string_equal(finding->opens, "idle");
    struct rows rows = detection_evidence(&detection, finding);
    int64_t sync_ns = 0;
    for (size_t i = 0; i < rows.count; i++) {
        if (strcmp(evidence_value(finding, &rows, i, "cause").text, "synchronisation") != 0)
            continue;
        sync_ns += evidence_value(finding, &rows, i, "idle").integer;
        assert_non_null(
            strstr(evidence_value(finding, &rows, i, "evidence").text, "cudaStreamSynchronize"));
    }
    assert_in_range(sync_ns / STEPS, finding->gain_ns - MS, finding->gain_ns + MS);
    detection_free(&detection);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeated_launches),
        cmocka_unit_test(test_repeated_launches_once),
        cmocka_unit_test(test_device_copies),
        cmocka_unit_test(test_fp64),
        cmocka_unit_test(test_fp32_by_card),
        cmocka_unit_test(test_evidence_of_layer),
        cmocka_unit_test(test_math_attention),
        cmocka_unit_test(test_evidence_of_slow_gpu),
        cmocka_unit_test(test_evidence_of_sync_drain),
    };
    return cmocka_run_group_tests_name("detectors by names and order", tests, NULL, NULL);
}
