// SPDX-License-Identifier: Apache-2.0
// Checks model FLOPs utilisation (MFU): which step sizes a user may state, and that the FLOPs of
// the model equal the sum over its kernels.
#include "analysis/reports/report_list.h"
#include "property.h"

#include <math.h>
#include <string.h>

#include "analysis/op_runs/mfu.h"
#include "analysis/report/report.h"
#include "analysis/reports/row_figures.h"
#include "model/profile/loader.h"
#include "profile_builder.h"
#include "scenario.h"

static void test_sizes_are_parsed(void **state)
{
    (void)state;
    struct step_size size = {0};
    struct error error = {0};
    assert_true(step_size_flops(&size, "6*1.3e9*12288", &error));
    assert_true(fabs(size.flops - 6 * 1.3e9 * 12288) < 1);
    assert_true(step_size_items(&size, "tokens:4*3072", &error));
    assert_true(fabs(size.items - 12288) < 1e-9);
    assert_string_equal(size.unit, "tokens");
    assert_true(size.flops > 0);
    static const char *const wrong[] = {"x", "0", "-1", "1/0", "1e999", "6*"};
    static const char *const wrong_items[] = {
        "5",     ":5",    "tokens:",  "tokens:0",
        "a b:5", "7up:5", "tokens:x", "a-name-that-fills-a-whole-line:5"};
    struct step_size before = size;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        error = (struct error){0};
        assert_false(step_size_flops(&size, wrong[i], &error));
        assert_int_equal(error.kind, ERROR_USAGE);
        assert_true(step_size_equal(&size, &before));
    }
    for (size_t i = 0; i < sizeof wrong_items / sizeof *wrong_items; i++) {
        error = (struct error){0};
        assert_false(step_size_items(&size, wrong_items[i], &error));
        assert_int_equal(error.kind, ERROR_USAGE);
        assert_true(step_size_equal(&size, &before));
    }
    assert_true(step_size_items(&size, "off", &error));
    assert_true(size.items <= 0 && !*size.unit && size.flops > 0);
    assert_true(step_size_flops(&size, "", &error));
    assert_true(size.flops <= 0);
}

static struct mfu total_of(const struct profile *profile, struct selection selection,
                           struct arena *arena)
{
    struct rows rows = report_find("mfu")->build(profile, &selection, arena);
    struct mfu sum = mfu_of_rows(&rows), total = mfu_total(profile, &selection, arena);
    assert_true(fabs(sum.model_flops - total.model_flops) <= 1e-9 * total.model_flops);
    assert_int_equal(sum.gpu_ns, total.gpu_ns);
    return total;
}

// The generated training has no checkpointing and uses Flash Attention.
static double flops_of_kernels(const struct profile *profile, const struct selection *selection,
                               struct arena *arena)
{
    const struct op_figures *figures = op_figures_find(profile, selection, arena);
    double sum = 0;
    for (uint32_t w = 0; w < profile->work.count; w++) {
        const struct op_figure *figure = op_figure_of(figures, w);
        const struct formula_share *share = figure ? figure->share : NULL;
        const struct function *function = &profile->functions[AT(profile->work.function, w)];
        const char *name = profile_text(profile, function->full);
        if (!share || share->flops <= 0 || !selection_has_work(profile, selection, w))
            continue;
        if (strstr(name, "gemm") || strstr(name, "nvjet"))
            sum += share->flops;
        else if (strstr(name, "flash_fwd"))
            sum += share->flops / 2;
        else if (strstr(name, "flash_bwd"))
            sum += share->flops / 2.5;
    }
    return sum;
}

#define TENSOR(shape) "{'name': '', 'type': 'tensor', 'shape': (" shape "), 'dtype': 'float32'}"

// A convolution counts by its definition, though its algorithm may need fewer operations. A product
// is capped at what the kernel could do in its time.
static void test_winograd(void **state)
{
    (void)state;
    static const struct {
        const char *op, *kernel;
        double flops; // stated FLOPs, at most 15.7 TFLOP/s for 0.1 ms
        bool is_capped;
    } cases[] = {
        {"'op': 'conv2d', 'args': [" TENSOR("32, 64, 58, 58") ", " TENSOR("64, 64, 3, 3"),
         "volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1",
         2. * 32 * 64 * 56 * 56 * 64 * 9, false},
        {"'op': 'matmul', 'args': [" TENSOR("2048, 2048") ", " TENSOR("2048, 2048"),
         "volta_sgemm_128x64_nn", 2. * 2048 * 2048 * 2048, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena *arena = arena_new(0);
        struct profile_builder *builder = builder_new();
        uint32_t thread = builder_thread(builder, 1, 1);
        char text[512];
        builder_gpu(builder, "Tesla V100-SXM2-16GB");
        snprintf(text, sizeof text, "{'mod': 'torch.nn.functional', %s]}", cases[i].op);
        builder_range(builder, thread, 0, 1000000, "step 0");
        builder_range(builder, thread, 10, 100, "{'traceMarker': ['a.py:1']}");
        builder_range(builder, thread, 20, 90, text);
        uint32_t call = builder_call(builder, thread, 30, 40, "cudaLaunchKernel");
        builder_kernel(builder, call, 0, 7, 1000, 101000, cases[i].kernel);
        struct profile *profile = builder_build(builder, MODE_AUTO);
        struct selection all = selection_all(split_find(profile, arena));
        struct mfu mfu = mfu_total(profile, &all, arena);
        double cap = 15.7e12 * 1e-4, expected = cases[i].is_capped ? cap : cases[i].flops;
        assert_true(cases[i].flops > cap);
        assert_true(fabs(mfu.model_flops - expected) < 1e-6 * expected);
        assert_true(fabs(mfu.hardware_flops - expected) < 1e-6 * expected);
        builder_free(builder);
        arena_free(arena);
    }
}

static void test_model_is_the_sum_of_its_kernels(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct profile *profile = scenario_open("demo --steps=4");
    struct split *split = split_find(profile, arena);
    struct selection all = selection_all(split);
    bool *members = ARENA_ARRAY(arena, bool, split->count);
    all.iterations = members;
    for (uint32_t i = 0; i < split->count; i++)
        members[i] = true;
    struct mfu whole = total_of(profile, all, arena), parts = {0};
    double flops = flops_of_kernels(profile, &all, arena);
    assert_true(flops > 0 && fabs(whole.model_flops - flops) < 1e-6 * flops);
    assert_true(whole.hardware_flops >= whole.model_flops);
    assert_true(mfu_percent(&whole).real > 0 && mfu_percent(&whole).real < 1);
    // The FLOPs of single steps, and of single GPUs, add up to the whole.
    for (uint32_t i = 0; i < split->count; i++) {
        memset(members, 0, split->count);
        members[i] = true;
        struct mfu one = total_of(profile, all, arena);
        mfu_add(&parts, &one);
    }
    assert_true(fabs(parts.model_ns - whole.model_ns) < 1);
    assert_int_equal(parts.all_ns, whole.all_ns);
    memset(members, 1, split->count);
    double of_devices = 0;
    for (all.device = 0; all.device < profile->device_count; all.device++)
        of_devices += total_of(profile, all, arena).model_flops;
    assert_true(fabs(of_devices - flops) < 1e-6 * flops);
    all.device = ROW_NONE;
    // A stated size equal to the derived one gives the same result, except that one peak applies to
    // all types.
    all.step_size.flops = whole.model_flops / whole.gpu_steps;
    struct mfu stated = total_of(profile, all, arena);
    assert_true(stated.is_stated && fabs(stated.model_flops - flops) < 1e-6 * flops);
    assert_string_equal(mfu_types(&stated, arena), "bf16");
    all.step_size.flops *= 1e6;
    stated = total_of(profile, all, arena);
    assert_int_equal(mfu_percent(&stated).kind, VALUE_NONE);
    // An unknown GPU without a clock has no peak.
    all.step_size.flops = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        profile->devices[d].name = STRING_NONE;
        profile->devices[d].clock_hz = UNKNOWN;
    }
    struct mfu unknown = total_of(profile, all, arena);
    assert_int_equal(mfu_percent(&unknown).kind, VALUE_NONE);
    assert_true(unknown.all_ns > 0 && unknown.known_ns == 0 && mfu_lacks_peak(&unknown));
    assert_string_equal(mfu_text(&unknown, true, arena), "");
    profile_free(profile);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_are_parsed),
        cmocka_unit_test(test_model_is_the_sum_of_its_kernels),
        cmocka_unit_test(test_winograd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
