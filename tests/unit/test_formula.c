// SPDX-License-Identifier: Apache-2.0
// Compares FLOPs and bytes of op runs, for each class of rules/formulas.yaml, with figures worked
// out by hand.
#include "property.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_text.h"
#include "model/rules/formula.h"
#include "model/rules/rules.h"

enum { KERNELS = 12 };

static struct profile profile;
static struct formula_evaluator *evaluator;
static struct function functions[500];
static struct marker markers[500]; // never reused: the evaluator identifies a marker by its address
static size_t marker_count;

static int set_up(void **state)
{
    (void)state;
    struct error error = {0};
    profile = (struct profile){.arena = arena_new(0), .functions = functions};
    profile.strings = strings_new(profile.arena);
    profile.function_count = sizeof functions / sizeof *functions;
    marker_count = 0;
    memset(functions, 0, sizeof functions);
    bool is_ready = rules_ready(&error);
    if (is_ready)
        evaluator = formula_evaluator_new(&profile, profile.arena);
    return !is_ready;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(profile.arena);
    return 0;
}

// ---- evaluating runs ---------------------------------------------------------------------------

static uint32_t function_row(const char *name)
{
    string_id full = strings_intern_text(profile.strings, name);
    uint32_t row = 0;
    while (functions[row].full && functions[row].full != full)
        row++;
    functions[row] = (struct function){.kind = WORK_KERNEL, .full = full, .brief = full};
    return row;
}

static const struct marker *read_marker(const char *text)
{
    struct marker *marker = &markers[marker_count++];
    marker_parse(profile.strings, profile.arena, "", strings_intern_text(profile.strings, text),
                 marker);
    return marker;
}

// Evaluates a run. `kernels` lists names, one per line; `text` is a range as PyTorch or PyProf
// writes it.
static const struct formula_result *evaluate_timed(const char *text, bool is_backward,
                                                   const char *kernels, const double *durations)
{
    uint32_t rows[KERNELS];
    char copy[2000];
    struct formula_query query = {
        .marker = read_marker(text), .is_backward = is_backward, .durations = durations};
    snprintf(copy, sizeof copy, "%s", kernels);
    for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n"))
        rows[query.kernel_count++] = function_row(line);
    query.functions = rows;
    query.module = strings_text(profile.strings, query.marker->module);
    query.op = strings_text(profile.strings, query.marker->title);
    return formula_eval_run(evaluator, &query);
}

static const struct formula_result *evaluate(const char *text, bool is_backward,
                                             const char *kernels)
{
    return evaluate_timed(text, is_backward, kernels, NULL);
}

static void assert_figure(const char *text, const char *what, double figure, double expected)
{
    if (figure != expected)
        fail_msg("%s: %.15g %s and not %.15g", text, figure, what, expected);
}

static void check_cost(const char *text, bool is_backward, const char *kernels, double flops,
                       double bytes)
{
    const struct formula_result *result = evaluate(text, is_backward, kernels);
    assert_figure(text, "FLOPs", result->flops, flops);
    assert_figure(text, "bytes", result->bytes, bytes);
}

// Checks a forward range of PyTorch with a kernel whose name contains bf16.
static void check_elementwise(const char *text, double flops, double bytes)
{
    check_cost(text, false, "void kernel<c10::BFloat16>()", flops, bytes);
}

#define T(shape) "{'name': '', 'type': 'tensor', 'shape': (" shape "), 'dtype': 'float32'}"
#define TYPED(shape, type) \
    "{'name': '', 'type': 'tensor', 'shape': (" shape "), 'dtype': '" type "'}"
#define INT(value)            "{'name': '', 'type': 'int', 'value': " value "}"
#define TUPLE(value)          "{'name': '', 'type': 'tuple', 'value': (" value ")}"
#define NONE                  "{'name': '', 'type': 'NoneType', 'value': None}"
#define F(op, arguments)      "{'mod': 'torch.nn.functional', 'op': '" op "', 'args': [" arguments "]}"
#define TORCH(op, arguments)  "{'mod': 'torch', 'op': '" op "', 'args': [" arguments "]}"
#define TENSOR(op, arguments) "{'mod': 'Tensor', 'op': '" op "', 'args': [" arguments "]}"
#define ELEMENTWISE           "void at::native::vectorized_elementwise_kernel<4, float>(int)"
#define UNKNOWN_FIGURE        FORMULA_UNKNOWN

// ---- products ----------------------------------------------------------------------------------

static void test_linear(void **state)
{
    (void)state;
    static const char text[] = F("linear", T("32, 400") ", " T("120, 400") ", " T("120,"));
    // M 120, N 32, K 400: 2 M N K = 3,072,000; (3,840 + 48,000 + 12,800) x 4 = 258,560. The split-K
    // reduction is a helper and costs nothing; so is the bias: M N and 2 M N x 4.
    const struct formula_result *result =
        evaluate(text, false,
                 "volta_sgemm_32x32_sliced1x4_tn\nvoid splitKreduce_kernel<float>()\n" ELEMENTWISE);
    assert_figure(text, "FLOPs", result->shares[0].flops, 3072000);
    assert_figure(text, "bytes", result->shares[0].bytes, 258560);
    assert_figure(text, "FLOPs of the helper", result->shares[1].flops, 0);
    assert_figure(text, "FLOPs of the bias", result->shares[2].flops, 3840);
    assert_figure(text, "bytes of the bias", result->shares[2].bytes, 30720);
    assert_figure(text, "FLOPs", result->flops, 3075840);
    assert_string_equal(result->shares[2].op, "bias");
    assert_true(result->shares[0].is_main && !result->shares[1].is_main &&
                !result->shares[2].is_main);
    assert_int_equal(result->main_kernel, 0);
    assert_false(result->is_autotuned);
    assert_false(result->is_guess);
    assert_string_equal(result->dtype, "fp32");
    assert_string_equal(result->rule, "linear");
    assert_string_equal(result->params, "M=120,N=32,K=400,fp32,");
    // Backward: two products, each of the same cost.
    result =
        evaluate(text, true, "volta_sgemm_nn\nvolta_sgemm_nt\nvoid splitKreduce_kernel<float>()");
    assert_figure(text, "FLOPs", result->flops, 6144000);
    assert_figure(text, "FLOPs of dgrad", result->shares[0].flops, 3072000);
    assert_figure(text, "FLOPs of wgrad", result->shares[1].flops, 3072000);
    assert_string_equal(result->shares[0].params, "M=400,N=32,K=120,fp32,");
    assert_string_equal(result->shares[1].params, "M=400,N=120,K=32,fp32,");
    assert_string_equal(result->shares[2].params, "X=(32,400),W=(120,400),fp32,");
    // Dims before the last are multiplied into one; the first layer needs one gradient only.
    result = evaluate(F("linear", T("4, 8, 400") ", " T("120, 400")), true, "volta_sgemm_nt");
    assert_figure(text, "FLOPs", result->flops, 3072000);
    result = evaluate(F("linear", T("4, 8, 400") ", " T("120, 400")), false, "volta_sgemm_nt");
    assert_string_equal(result->params, "M=120,N=(4,8),K=400,fp32,");
    // Without kernels the whole cost.
    check_cost(text, true, "", 6144000 + 3840, 2 * 258560 + 30720);
}

static void test_products(void **state)
{
    (void)state;
    const char *gemm = "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_tn";
    // 2 x 128 x 256 x 512; (128 x 256 + 128 x 512 + 256 x 512) x 2.
    check_cost("aten::mm, op_id = 1, sizes = [[256, 512], [512, 128]]", false, gemm, 33554432,
               458752);
    check_cost("aten::addmm, op_id = 1, sizes = [[128], [256, 512], [512, 128], [], []]", false,
               gemm, 33554432, 458752);
    check_cost("aten::_scaled_mm, sizes = [[256, 512], [512, 128], [], [], [], [], [], []]", false,
               "nvjet_qqtst_128x128_128x6_2x1_v_bz_TNT", 33554432, 229376); // one byte each
    // Two 4-bit numbers per element, which is a byte: the same product, (128 x 256 + 256 x 256 +
    // 256 x 128) of them. This holds for every product, whether the type is recorded or known from
    // the kernel's name.
    check_cost("aten::_scaled_mm, sizes = [[256, 256], [256, 128], [], [], [], [], [], []]", false,
               "cutlass3x_sm100_bstensorop_gemm_block_scaled_ue4m3xe2m1_ue4m3xe2m1_f32_bf16",
               33554432, 131072);
#define FP4(shape) TYPED(shape, "float4_e2m1fn_x2")
    check_cost(TORCH("mm", FP4("256, 256") ", " FP4("256, 128")), false, "nvjet_sm100_o", 33554432,
               131072);
    check_cost(TORCH("bmm", FP4("8, 64, 32") ", " FP4("8, 32, 16")), false, "nvjet_sm100_o",
               2 * 524288, 8. * (1024 + 512 + 2048));
    check_cost(F("linear", FP4("32, 200") ", " FP4("120, 200")), false, "nvjet_sm100_o", 3072000,
               32 * 120 + 120 * 200 + 32 * 200);
    // Ops that are no products count elements.
    check_cost(TENSOR("abs", FP4("32, 128")), false, ELEMENTWISE, 4096, 8192);
    check_cost(TENSOR("addmm_", T("256, 128") ", " T("256, 512") ", " T("512, 128")), false, gemm,
               33554432, 917504);
    // Shapes that do not fit together are no product.
    check_cost("aten::mm, op_id = 1, sizes = [[256, 512], [128, 512]]", false, gemm, UNKNOWN_FIGURE,
               UNKNOWN_FIGURE);
    // 8 times 2 x 16 x 64 x 32; 8 x (1,024 + 512 + 2,048) x 2.
    check_cost("aten::bmm, op_id = 1, sizes = [[8, 64, 32], [8, 32, 16]]", false, gemm, 524288,
               57344);
    // addbmm sums over the batch: 2 x 8 x 32 x 64 x 16; 2 x (2,048 + 8 x (512 + 1,024)).
    check_cost("aten::addbmm, sizes = [[64, 32], [8, 64, 16], [8, 16, 32], [], []]", false, gemm,
               524288, 2. * (2048 + 8 * 1536));
    // A gate: 20 for each of 16 results; 32 numbers read, 16 written.
    check_elementwise("aten::glu, sizes = [[4, 8], []]", 320, 2. * 48);
    check_elementwise("aten::glu_backward, sizes = [[4, 4], [4, 8], []]", 320, 2. * (16 + 32 + 32));
    check_cost("aten::baddbmm, sizes = [[8, 64, 16], [8, 64, 32], [8, 32, 16], [], []]", false,
               gemm, 524288, 57344);
    // 96 times 2 x 128 x 128 x 64; 2 x 786,432 and 1,572,864 elements of 4 bytes.
    check_cost(TORCH("matmul", T("8, 12, 128, 64") ", " T("8, 12, 64, 128")), false,
               "volta_sgemm_tn", 201326592, 12582912);
    // A batch of 4 x 3 of 5 x 2 x 7: 2 x 12 x 70; (140 + 42 + 120) x 4.
    check_cost(TORCH("matmul", T("4, 1, 5, 7") ", " T("3, 7, 2")), false, "volta_sgemm_tn", 1680,
               1208);
    check_cost(TORCH("matmul", T("7,") ", " T("7,")), false, "void dot_kernel<float>()", 14, 60);
    check_cost(TORCH("matmul", T("5, 7") ", " T("7,")), false, "void gemv2T_kernel_val<float>()",
               70, 188);
    check_cost("aten::mv, sizes = [[5, 7], [7]]", false, "void gemv2T_kernel_val<float>()", 70,
               188);
    // 2 x 2 x 8 x 16 x 32 x 64; 4 bytes of (16,384 + 32,768 + 8,192).
    check_cost(TORCH("einsum", "{'name': '', 'type': 'str', 'value': 'bhid,bhjd->bhij'}, " T(
                                   "2, 8, 16, 64") ", " T("2, 8, 32, 64")),
               false, "volta_sgemm_tn", 1048576, 229376);
    // With an unknown name, the kernel that is no helper is the main one.
    const struct formula_result *result =
        evaluate("aten::mm, sizes = [[256, 512], [512, 128]]", false,
                 "void splitKreduce_kernel<float>()\nsome_new_library_16bit");
    assert_int_equal(result->main_kernel, 1);
    assert_figure("a new name", "FLOPs", result->flops, 33554432);
    assert_true(result->is_guess); // the type is not recorded
}

// ---- convolutions ------------------------------------------------------------------------------

#define CONV F("conv2d", T("32, 3, 32, 32") ", " T("6, 3, 3, 3") ", " T("6,"))

static void test_convolution(void **state)
{
    (void)state;
    // P and Q are 30: 2 x 32 x 6 x 30 x 30 x 3 x 3 x 3; 4 x (98,304 + 162 + 172,800).
    check_cost(CONV, false, "void cudnn::detail::implicit_convolve_sgemm<float>()", 9331200,
               1085064);
    // Several algorithms are tried, and the last one counts; the FFT kernels are only helpers.
    const struct formula_result *result = evaluate(
        CONV, false,
        "void cudnn::detail::implicit_convolve_sgemm<float>()\n"
        "cudnn::gemm::computeOffsetsKernel(int)\nvolta_scudnn_128x64_relu_interior_nn_v1\n"
        "void fft2d_r2c_32x32<float>()\nvolta_gcgemm_32x32_nt\nvoid fft2d_c2r_32x32<float>()\n"
        "void cudnn::winograd_nonfused::winogradForwardData4x4<float>()\n"
        "void gemmSN_NN_kernel<float>()\n"
        "void cudnn::winograd_nonfused::winogradForwardOutput4x4<float>()\n" ELEMENTWISE);
    assert_figure(CONV, "FLOPs", result->flops, 9331200);
    assert_int_equal(result->main_kernel, 7);
    assert_true(result->is_autotuned);
    for (uint32_t k = 0; k < 10; k++)
        assert_figure(CONV, "FLOPs of a kernel", result->shares[k].flops, k == 7 ? 9331200 : 0);
    assert_string_equal(result->params,
                        "N=32,C=3,H=32,W=32,K=6,P=30,Q=30,R=3,S=3,ph=0,pw=0,U=1,V=1,"
                        "dh=1,dw=1,g=1,fp32,");
    // Both gradients are known by their names, in either order, and so is the gradient of the bias.
    result = evaluate(CONV, true,
                      "void calc_bias_diff<2, float>()\nsm80_xmma_wgrad_implicit_gemm_tf32f32\n"
                      "sm80_xmma_dgrad_implicit_gemm_tf32f32");
    assert_figure(CONV, "FLOPs", result->flops, 2 * 9331200 + 172800);
    assert_false(result->is_autotuned);
    assert_string_equal(result->dtype, "tf32");
    // Only one of them, under any name.
    check_cost(CONV, true, "volta_scudnn_128x64_stridedB_splitK_interior_nn_v1", 9331200, 1085064);
    // The main kernel is missing.
    check_cost(CONV, false, "void cudnn::ops::nchwToNhwcKernel<float>()", UNKNOWN_FIGURE,
               UNKNOWN_FIGURE);
    // Two groups, stride 2, padding 1: P and Q 14; 2 x 8 x 32 x 14 x 14 x 16 x 9 / 2. With two
    // kernels each has half of it.
    static const char grouped[] =
        F("conv2d", T("8, 16, 28, 28") ", " T("32, 8, 3, 3") ", " NONE ", " TUPLE(
                        "2, 2") ", " TUPLE("1, 1") ", " TUPLE("1, 1") ", " INT("2"));
    result = evaluate(grouped, false, "volta_scudnn_a\nvolta_scudnn_a");
    assert_figure(grouped, "FLOPs", result->flops, 7225344);
    assert_figure(grouped, "FLOPs of each", result->shares[0].flops, 3612672);
    assert_figure(grouped, "FLOPs of each", result->shares[1].flops, 3612672);
    assert_false(result->is_autotuned);
    // Same size as the input: ceil(20 / 1) x ceil(30 / 1).
    check_cost("{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': [" T("2, 3, 20, 30") ", " T(
                   "8, 3, 5, 3") ", {'name': 'padding', 'type': 'str', 'value': 'same'}]}",
               false, "volta_scudnn_a", 2. * 2 * 8 * 20 * 30 * 3 * 15, 4 * (3600 + 360 + 9600));
}

// Backward kernels whose names do not say which gradient they compute are assigned by order: the
// gradient of the input comes first, then that of the weights, each after trial runs. Helpers have
// names derived from the kernel they help.
static void test_convolution_backward(void **state)
{
    (void)state;
#define INPUT    "void cudnn::cnn::dgrad_engine<float>()\n"
#define WEIGHTS  "void cudnn::cnn::wgrad_alg0_engine<float>()\n"
#define EITHER_A "volta_scudnn_128x64_stridedB_small_nn_v1\n"
#define EITHER_B "volta_scudnn_128x128_stridedB_splitK_small_nn_v1\n"
#define OFFSETS  "cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)\n"
#define SPLIT \
    "cask_cudnn::computeWgradSplitKOffsetsKernel(cask_cudnn::ComputeSplitKOffsetsParams)\n"
#define REDUCE         "void cudnn::cnn::reduce_wgrad_nchw_helper<float, 512>(cudnn::reduced_divisor)\n"
#define WINOGRAD(what) "void cudnn::winograd_nonfused::winograd" what "4x4<float, float>()\n"
#define FFT            "void fft2d_r2c_16x16<float>()\nvolta_cgemm_32x32_tn\nvoid fft2d_c2r_16x16<float>()\n"
    static const struct {
        const char *kernels, *has; // '1' for each kernel that has the FLOPs of one gradient
        bool is_autotuned;
    } cases[] = {
        {"volta_sgemm_32x128_nt\nvolta_sgemm_32x128_tn\n" REDUCE, "110", false},
        {EITHER_A SPLIT EITHER_B, "101", false},
        {WEIGHTS EITHER_A, "11", false}, // in the other order
        {SPLIT EITHER_B EITHER_A, "011", false},
        {INPUT OFFSETS EITHER_A WEIGHTS SPLIT EITHER_B, "001001", true},
        {INPUT EITHER_A WEIGHTS SPLIT EITHER_B WEIGHTS, "010001", true},
        {WEIGHTS SPLIT EITHER_B WEIGHTS, "0001", true}, // the input needs none
        {INPUT WINOGRAD("ForwardData") "volta_sgemm_128x64_nt\n" WINOGRAD("ForwardOutput")
             WEIGHTS WINOGRAD("WgradData")
                 WINOGRAD("WgradDelta") "volta_sgemm_128x64_nt\n" WINOGRAD("WgradOutput"),
         "001000010", true},
        {INPUT WEIGHTS FFT WEIGHTS, "100001", true},
        {INPUT INPUT WEIGHTS, "011", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct formula_result *result = evaluate(CONV, true, cases[i].kernels);
        double sum = 0;
        for (size_t k = 0; cases[i].has[k]; k++) {
            assert_figure(cases[i].kernels, "FLOPs of a kernel", result->shares[k].flops,
                          cases[i].has[k] == '1' ? 9331200 : 0);
            sum += cases[i].has[k] == '1' ? 9331200 : 0;
        }
        assert_figure(cases[i].kernels, "FLOPs", result->flops, sum);
        assert_int_equal(result->is_autotuned, cases[i].is_autotuned);
        assert_string_equal(result->dtype, "fp32");
    }
    // If no marker gives the type, neither does the product within an FFT.
    static const char untyped[] =
        "aten::cudnn_convolution, sizes = [[32, 3, 32, 32], [6, 3, 3, 3], "
        "[], [], [], [], [], [], []]";
    const struct formula_result *result =
        evaluate(untyped, false, "void implicit_convolve_sgemm<float>()\nvolta_cgemm_32x32_tn");
    assert_string_equal(result->dtype, "fp32");
}

// Model FLOPs (MFU): only products, convolutions and attention count, in both passes.
static void test_model_flops(void **state)
{
    (void)state;
    static const char conv[] = F("conv2d", T("2, 3, 8, 8") ", " T("4, 3, 3, 3"));
    static const char cell[] =
        "{'mod': 'LSTMCell', 'op': 'forward', 'args': [" T("2, 8") ", " T("2, 8") "]}";
    const struct {
        const char *text, *kernels;
        bool is_backward;
        double flops;
    } cases[] = {
        {conv, "implicit_convolve_sgemm", false, 15552},
        {conv,
         "void cudnn::cnn::dgrad_engine<float>()\nvoid cudnn::cnn::wgrad_alg0_engine<float>()",
         true, 2 * 15552},
        {conv, "sm80_xmma_dgrad_implicit_gemm_f32f32", true, 15552},
        {cell, "volta_sgemm_tn\nvolta_sgemm_tn", false, 2 * 2. * 32 * 2 * 8},
        {cell, "volta_sgemm_nn\nvolta_sgemm_nt", true, 2 * 2. * 32 * 2 * 8},
        {F("relu", T("2, 3")), ELEMENTWISE, true, -1},
        {F("max_pool2d", T("1, 6, 10, 10") ", " INT("2")), ELEMENTWISE, false, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct formula_result *result =
            evaluate(cases[i].text, cases[i].is_backward, cases[i].kernels);
        if (result->is_of_model != (cases[i].flops >= 0))
            fail_msg("%s, %s: of the model %d", cases[i].text, cases[i].kernels,
                     result->is_of_model);
        if (result->is_of_model)
            assert_figure(cases[i].kernels, "model FLOPs", result->model_flops, cases[i].flops);
    }
}

// Checks a forward whose marker lacks the size of the result, if the marker of its backward
// contains it.
static void check_with_backward(const char *text, const char *backward, bool is_backward,
                                double flops, double bytes)
{
    uint32_t row = function_row(is_backward ? "void cudnn::cnn::dgrad_engine<float>()"
                                            : "void implicit_convolve_sgemm<float>()");
    const struct marker *marker = read_marker(text);
    const struct formula_query query = {
        .marker = marker,
        .backward = read_marker(backward),
        .is_backward = is_backward,
        .functions = &row,
        .kernel_count = 1,
        .module = "",
        .op = strings_text(profile.strings, marker->title),
    };
    const struct formula_result *result = formula_eval_run(evaluator, &query);
    assert_figure(backward, "FLOPs", result->flops, flops);
    assert_figure(backward, "bytes", result->bytes, bytes);
}

static void test_backward_arguments(void **state)
{
    (void)state;
    static const char conv[] = "aten::convolution, sizes = [[2, 3, 8, 8], [4, 3, 3, 3], [4], []]";
    static const char same[] = "aten::convolution, sizes = [[2, 4, 8, 8], [4, 4, 3, 3], [], []]";
    static const char transposed[] = "aten::convolution, sizes = [[2, 4, 6, 6], [4, 3, 3, 3], []]";
    // Results (2, 4, 6, 6): 2 x 288 x 27; 4 x (384 + 108 + 288). The gradient comes first or
    // second.
    for (int is_backward = 0; is_backward < 2; is_backward++) {
        check_with_backward(
            conv, "aten::convolution_backward, sizes = [[2, 4, 6, 6], [2, 3, 8, 8], [4, 3, 3, 3]]",
            is_backward, 15552, 3120);
        check_with_backward(
            conv,
            "aten::cudnn_convolution_backward, sizes = [[2, 3, 8, 8], [2, 4, 6, 6], [4, 3, 3, 3]]",
            is_backward, 15552, 3120);
        // Padded to the same size, with the same number of channels: 2 x 512 x 36.
        check_with_backward(
            same, "aten::convolution_backward, sizes = [[2, 4, 8, 8], [2, 4, 8, 8], [4, 4, 3, 3]]",
            is_backward, 36864, 4. * (512 + 144 + 512));
        // Strides halve it: 2 x 128 x 36.
        check_with_backward(
            same, "aten::convolution_backward, sizes = [[2, 4, 4, 4], [2, 4, 8, 8], [4, 4, 3, 3]]",
            is_backward, 9216, 4. * (512 + 144 + 128));
        // Transposed: each of 288 inputs is multiplied with 3 x 3 x 3.
        check_with_backward(
            transposed,
            "aten::convolution_backward, sizes = [[2, 3, 8, 8], [2, 4, 6, 6], [4, 3, 3, 3]]",
            is_backward, 15552, 3120);
    }
    // Not a transposed convolution: the same number of channels and a larger result: 2 x 1408 x 4.
    check_with_backward(
        "aten::_conv_depthwise2d, sizes = [[2, 64, 1, 8], [64, 1, 1, 4], [], [], [], []]",
        "aten::_conv_depthwise2d_backward, sizes = [[2, 64, 1, 11], [2, 64, 1, 8], [64, 1, 1, 4]]",
        false, 11264, 4. * (1024 + 256 + 1408));
    // The marker of another op gives no size.
    check_with_backward(conv, "aten::mm, sizes = [[2, 4], [4, 3]]", false, UNKNOWN_FIGURE,
                        UNKNOWN_FIGURE);
    // Pooling: the size of the result is known, the size of the window is not.
    check_with_backward(
        "aten::max_pool2d_with_indices, sizes = [[2, 4, 6, 6], [], []]",
        "aten::max_pool2d_with_indices_backward, sizes = [[2, 4, 3, 3], [2, 4, 6, 6]]", false,
        UNKNOWN_FIGURE, 4. * (288 + 72) + 8 * 72);
    check_with_backward("aten::avg_pool2d, sizes = [[2, 4, 6, 6], [], []]",
                        "aten::avg_pool2d_backward, sizes = [[2, 4, 3, 3], [2, 4, 6, 6]]", false,
                        UNKNOWN_FIGURE, 4. * (288 + 72));
}

static void test_other_convolutions(void **state)
{
    (void)state;
    // Q 100: 2 x 4 x 64 x 100 x 80 x 5; (32,000 + 25,600 + 25,600) x 4.
    check_cost(F("conv1d", T("4, 80, 100") ", " T("64, 80, 5") ", " T("64,") ", " TUPLE(
                               "1,") ", " TUPLE("2,")),
               false, "volta_scudnn_a", 20480000, 332800);
    // 6 x 14 x 14 results of 27 x 3: 2 x 8 x 1,176 x 81; inputs 6,144, weights 648, 8 results.
    check_cost(F("conv3d", T("1, 3, 8, 16, 16") ", " T("8, 3, 3, 3, 3")), false, "volta_scudnn_a",
               2. * 8 * 1176 * 81, 4. * (6144 + 648 + 8 * 1176));
    // Each input is multiplied with K/g R S of the filter: 2 x 12,544 x 8 x 16; result (14 - 1) x 2
    // + 4 = 30.
    check_cost(
        F("conv_transpose2d", T("4, 16, 14, 14") ", " T("16, 8, 4, 4") ", " NONE ", " INT("2")),
        false, "void cudnn::detail::dgrad_engine<float>()", 3211264,
        4. * (12544 + 2048 + 4 * 8 * 30 * 30));
    // PyTorch's own ranges do not record strides; in a backward the gradient gives the size of the
    // result.
    check_cost("aten::cudnn_convolution, sizes = [[32, 3, 32, 32], [6, 3, 3, 3], [], []]", false,
               "volta_scudnn_a", UNKNOWN_FIGURE, UNKNOWN_FIGURE);
    check_cost("aten::conv2d, sizes = [[32, 3, 32, 32], [6, 3, 3, 3], [6], [], [], [], []]", false,
               "volta_scudnn_a", UNKNOWN_FIGURE, UNKNOWN_FIGURE);
    check_cost(
        "aten::convolution_backward, sizes = [[32, 6, 30, 30], [32, 3, 32, 32], [6, 3, 3, 3]]",
        false, "sm80_xmma_dgrad_implicit_gemm_f32f32\nsm80_xmma_wgrad_implicit_gemm_f32f32",
        2 * 9331200, 2 * 1085064);
    // Transposed, 64 channels to 32: each element of the input is multiplied with 32 x 4 x 4.
    check_cost(
        "aten::convolution_backward, sizes = [[8, 32, 32, 32], [8, 64, 16, 16], [64, 32, 4, 4]]",
        false, "sm80_xmma_dgrad_implicit_gemm_f32f32\nsm80_xmma_wgrad_implicit_gemm_f32f32",
        2. * 2 * 131072 * 512, 2. * 4 * (262144 + 131072 + 32768));
    // The same number of channels: the larger of result and input decides.
    check_cost(
        "aten::convolution_backward, sizes = [[8, 64, 32, 32], [8, 64, 16, 16], [64, 64, 4, 4]]",
        false, "sm80_xmma_dgrad_implicit_gemm_f32f32", 2. * 131072 * 1024,
        4. * (524288 + 131072 + 65536));
    check_cost(
        "aten::convolution_backward, sizes = [[8, 64, 8, 8], [8, 64, 16, 16], [64, 64, 4, 4]]",
        false, "sm80_xmma_dgrad_implicit_gemm_f32f32", 2. * 32768 * 1024,
        4. * (32768 + 131072 + 65536));
}

// ---- attention ---------------------------------------------------------------------------------

static void test_attention(void **state)
{
    (void)state;
    // 4 x 16 heads, 1,024 positions, width 64: 2 x 64 x 1,024 x 1,024 x 128, half of it with a
    // causal mask. Queries, keys, values and results: 4 x 4,194,304 of 2 bytes.
    static const char sdpa[] = "aten::scaled_dot_product_attention, sizes = [[4, 16, 1024, 64], "
                               "[4, 16, 1024, 64], [4, 16, "
                               "1024, 64], [], [], [], []]";
    static const char flash[] = "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, "
                                "false, false, cutlass::bfloat16_t> >()";
    const struct formula_result *result = evaluate(sdpa, false, flash);
    assert_figure(sdpa, "FLOPs", result->flops, 17179869184);
    assert_figure(sdpa, "FLOPs below the diagonal", result->causal_flops, 8589934592);
    assert_figure(sdpa, "FLOPs of the model", result->model_flops, 8589934592);
    assert_true(result->is_of_model);
    assert_figure(sdpa, "bytes", result->bytes, 33554432);
    assert_string_equal(result->dtype, "bf16");
    // The kernel's name decides: Is_dropout and Is_causal follow its traits.
    result = evaluate(
        sdpa, false,
        "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
        "cutlass::bfloat16_t, Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, "
        "false, false, false, true>(Flash_fwd_params)");
    assert_figure(sdpa, "FLOPs of all pairs", result->causal_flops, 17179869184);
    result = evaluate(
        sdpa, true,
        "void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<(int)64, "
        "(bool)0, cutlass::half_t>, (bool)1, (bool)1, (bool)0>(Flash_bwd_params)");
    assert_figure(sdpa, "FLOPs below the diagonal", result->causal_flops, 21474836480);
    assert_figure(sdpa, "FLOPs of the model", result->model_flops, 17179869184);
    // The kernel's own op has positions before heads.
    check_cost(
        "aten::_flash_attention_forward, sizes = [[4, 1024, 16, 64], [4, 1024, 16, 64], [4, 1024, "
        "16, 64], [], []]",
        false, flash, 17179869184, 33554432);
    // Five products; kernels that prepare and convert are helpers.
    result = evaluate(sdpa, true,
                      "void flash_bwd_dot_do_o_kernel<bfloat16_t>()\n"
                      "void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<bfloat16_t>()\n"
                      "void flash_bwd_convert_dq_kernel<bfloat16_t>()");
    assert_figure(sdpa, "FLOPs", result->flops, 42949672960);
    assert_figure(sdpa, "FLOPs below the diagonal", result->causal_flops, 21474836480);
    assert_figure(sdpa, "FLOPs of the model", result->model_flops, 17179869184);
    assert_int_equal(result->main_kernel, 1);
    assert_false(result->is_autotuned);
    // The marker states whether the mask is causal.
    static const char check_with_backward[] =
        "{'mod': 'torch.nn.functional', 'op': 'scaled_dot_product_attention', "
        "'args': [" TYPED("2, 8, 16, 64", "float16") ", " TYPED(
            "2, 8, 32, 64", "float16") ", " TYPED("2, 8, 32, 32", "float16") "]}";
    result = evaluate(check_with_backward, false, "fmha_cutlassF_f16_aligned_64x64_rf_sm80");
    assert_figure(check_with_backward, "FLOPs", result->flops,
                  2. * 16 * 16 * 32 * 96); // widths 64 and 32
    assert_figure(check_with_backward, "FLOPs below the diagonal", result->causal_flops,
                  result->flops);
}

// ---- other -------------------------------------------------------------------------------------

// Since PyTorch 2 a trace contains the values of numbers: strides of a convolution, whether a mask
// is causal. If it contains only types, no value is assumed.
static void test_recorded_values(void **state)
{
    (void)state;
#define CONVOLUTION(op, more, values)                                                           \
    "aten::" op ", sizes = [[1, 3, 1008, 1008], [1024, 3, 14, 14]" more ", [], [], []], types " \
    "= [\"c10::BFloat16\", \"c10::BFloat16\", \"\", \"ScalarList\", \"ScalarList\", "           \
    "\"ScalarList\", "                                                                          \
    "\"Scalar\"]" values
#define VALUES(list) ", values = [\"\", \"\", " list "]"
    const double flops = 2. * 1024 * 72 * 72 * 3 * 14 * 14;
    const double bytes = 2. * (3 * 1008 * 1008 + 1024 * 3 * 14 * 14 + 1024 * 72 * 72);
    static const char kernel[] = "sm80_xmma_fprop_implicit_gemm_bf16bf16";
    check_cost(CONVOLUTION("convolution", ", [], []",
                           VALUES("\"\", \"[14, 14]\", \"[0, 0]\", \"[1, 1]\", \"False\"")),
               false, kernel, flops, bytes);
    check_cost(CONVOLUTION("convolution", ", [], []",
                           VALUES("\"\", \"[14, 14]\", \"[0, 0]\", \"[1, 1]\", \"True\"")),
               false, kernel, 2. * 3 * 1008 * 1008 * 3 * 14 * 14, UNKNOWN_FIGURE);
    check_cost(CONVOLUTION("convolution", ", [], []", ""), false, kernel, UNKNOWN_FIGURE,
               UNKNOWN_FIGURE);
    check_cost(CONVOLUTION("miopen_convolution", ", [], []",
                           VALUES("\"\", \"[0, 0]\", \"[14, 14]\", \"[1, 1]\"")),
               false, kernel, flops, bytes);
    check_cost(
        "aten::cudnn_convolution, sizes = [[1, 3, 1008, 1008], [1024, 3, 14, 14], [], [], []], "
        "types = [\"c10::BFloat16\", \"c10::BFloat16\", \"ScalarList\", \"ScalarList\", "
        "\"ScalarList\"], values = [\"\", \"\", \"[0, 0]\", \"[14, 14]\", \"[1, 1]\"]",
        false, kernel, flops, bytes);
#define FLASH(values)                                                                            \
    "aten::_flash_attention_forward, sizes = [[1, 77, 12, 64], [1, 77, 12, 64], [1, 77, 12, "    \
    "64], [], [], [], [], [], []], types = [\"c10::Half\", \"c10::Half\", \"c10::Half\", \"\", " \
    "\"\", "                                                                                     \
    "\"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]" values
#define MASK(word) ", values = [\"\", \"\", \"\", \"\", \"\", \"77\", \"77\", \"0.\", \"" word "\"]"
    const double all = 4. * 12 * 77 * 77 * 64;
    static const struct {
        const char *text;
        double run;
    } masks[] = {{FLASH(MASK("True")), 0.5}, {FLASH(MASK("False")), 1}, {FLASH(""), 0.5}};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        const struct formula_result *result = evaluate(masks[i].text, false, "attn_fwd");
        assert_figure(masks[i].text, "FLOPs", result->flops, all);
        assert_figure(masks[i].text, "FLOPs run", result->causal_flops, masks[i].run * all);
    }
}

static void test_elementwise(void **state)
{
    (void)state;
    check_cost(TORCH("exp", T("32, 128")), false, ELEMENTWISE, 81920, 32768); // 20 each
    check_cost(TENSOR("abs_", T("32, 128")), false, ELEMENTWISE, 4096, 32768);
    check_cost(TENSOR("__add__", T("32, 1, 16") ", " T("8, 16")), false, ELEMENTWISE, 4096, 18944);
    check_cost(TENSOR("__add__", T("32, 1, 16") ", " T("8, 16")), true, ELEMENTWISE, 0, 32768);
    check_cost(TENSOR("mul", T("32, 128") ", " INT("3")), false, ELEMENTWISE, 4096, 32772);
    check_cost(TENSOR("mul", T("32, 128") ", " INT("3")), true, ELEMENTWISE, 4096, 49152);
    check_cost(TENSOR("eq", TYPED("32, 128", "int64") ", " TYPED("32, 128", "int64")), false,
               ELEMENTWISE, 4096, 69632);
    check_cost(TENSOR("addcmul", T("32, 128") ", " INT("2") ", " T("32, 128") ", " T("1, 128")),
               false, ELEMENTWISE, 12288, 49664);
    // x + alpha y, as PyTorch 1.4 writes it: 2 each.
    check_cost(TENSOR("add_", T("600, 200") ", " INT("-5") ", " T("600, 200")), false, ELEMENTWISE,
               240000, 1440000);
    check_cost(TENSOR("pow", T("32, 128") ", " T("128,")), false, ELEMENTWISE, 81920, 33280);
    check_elementwise("aten::add_, op_id = 3, sizes = [[4, 8], [8], []]", 32, 144); // 2 bytes each
    check_elementwise("aten::mul, op_id = 3, sizes = [[4, 8], []]", 32, 132);
    // Without arguments the figures are unknown.
    check_cost("aten::add_, op_id = 3", false, ELEMENTWISE, UNKNOWN_FIGURE, UNKNOWN_FIGURE);
}

static void test_layers(void **state)
{
    (void)state;
    check_cost(F("relu", T("32, 512")), false, ELEMENTWISE, 16384, 131072);
    check_cost(F("relu_", T("32, 512")), true, ELEMENTWISE, 16384, 196608);
    check_elementwise("aten::relu_, sizes = [[32, 512]]", 16384, 65536);
    check_elementwise("aten::threshold_backward, sizes = [[32, 512], [32, 512], []]", 16384, 98304);
    check_cost(F("gelu", T("32, 128")), false, ELEMENTWISE, 81920, 32768);
    check_cost(F("gelu", T("32, 128")), true, ELEMENTWISE, 81920, 49152);
    check_elementwise("aten::silu, sizes = [[32, 128]]", 81920, 16384);
    check_cost(F("softmax", T("64, 12")), false, ELEMENTWISE, 30720, 9216);
    check_cost(F("log_softmax", T("64, 1000")), true, ELEMENTWISE, 1344000, 1280000);
    check_cost(F("batch_norm", T("8, 64")), false, "bn_fw\nbn_fw_other", 4096,
               8192); // once, not twice
    check_cost(F("layer_norm", T("32, 128") ", " TUPLE("128,") ", " T("128,")), true, ELEMENTWISE,
               65536, 3 * 16384 + 2 * 512);
    check_elementwise("aten::native_layer_norm, sizes = [[4, 8], [], [8], [8], []]", 256, 128);
    check_elementwise("aten::native_group_norm, sizes = [[4, 32, 8, 8], [32], [32]]", 65536, 32768);
    check_elementwise("aten::rms_norm, sizes = [[4, 8], [], [8], []]", 160, 128);
    check_cost(F("dropout", T("32, 512")), false, ELEMENTWISE, 81920, 131072);
    // 5 x 5 windows of 2 x 2 in each of 6 planes: results, their indices, and the input.
    check_cost(F("max_pool2d", T("1, 6, 10, 10") ", " INT("2")), false, ELEMENTWISE, 600,
               2400 + 12. * 150);
    check_cost(F("avg_pool2d", T("1, 6, 10, 10") ", " TUPLE("2, 2") ", " INT("1")), false,
               ELEMENTWISE, 6. * 81 * 4, 2400 + 4. * 6 * 81);
    // Rounded up to 3 x 3 instead of 2 x 2 windows of 4; no window begins after the input.
#define UP "{'name': 'ceil_mode', 'type': 'bool', 'value': True}"
    check_cost(F("max_pool2d", T("1, 1, 5, 5") ", " INT("2") ", " UP), false, ELEMENTWISE, 9 * 4,
               100 + 12 * 9);
    check_cost(F("max_pool2d", T("1, 1, 4, 4") ", " INT("1") ", " INT("2") ", " UP), false,
               ELEMENTWISE, 4, 64 + 12 * 4);
    check_cost(F("avg_pool2d", T("1, 1, 5, 5") ", " INT("2") ", " NONE ", " INT("0") ", " UP),
               false, ELEMENTWISE, 9 * 4, 100 + 4 * 9);
    // Each plane becomes 2 x 2; for the maximum also the indices. A size that stays the same is not
    // recorded.
    check_cost(F("adaptive_avg_pool2d", T("1, 6, 10, 10") ", " TUPLE("2, 2")), false, ELEMENTWISE,
               600, 2400 + 4. * 24);
    check_cost(F("adaptive_avg_pool1d", T("2, 6, 10") ", " INT("5")), false, ELEMENTWISE, 120,
               480 + 4. * 60);
    check_cost(F("adaptive_max_pool2d", T("1, 6, 10, 10") ", " INT("2")), false, ELEMENTWISE, 600,
               2400 + 12. * 24);
    const struct formula_result *part = evaluate(
        F("adaptive_avg_pool2d", T("1, 6, 10, 10") ", " TUPLE("None, 2")), false, ELEMENTWISE);
    assert_figure("None", "bytes", part->bytes, 2400);
    assert_true(part->is_guess);
    check_elementwise("aten::max_pool2d_with_indices, sizes = [[1, 6, 10, 10], [], [], [], [], []]",
                      UNKNOWN_FIGURE, UNKNOWN_FIGURE);
    check_cost(F("mse_loss", T("32, 10") ", " T("32, 10")), false, ELEMENTWISE "\n" ELEMENTWISE,
               1281, 2560);
    check_cost(F("cross_entropy", T("16, 1000") ", " TYPED("16,", "int64")), false, ELEMENTWISE,
               336016, 64128);
    // The backward consists of two nodes of the graph, whose kernels have one part each.
    static const char loss[] = F("cross_entropy", T("16, 1000") ", " TYPED("16,", "int64"));
    const struct formula_result *half = evaluate(loss, true, "cunn_SoftMaxBackward");
    assert_figure(loss, "FLOPs", half->shares[0].flops, 336000);
    assert_figure(loss, "bytes", half->shares[0].bytes, 2 * 64000 + 128);
    half = evaluate(loss, true, "cunn_ClassNLLCriterion_updateGradInput_kernel");
    assert_figure(loss, "FLOPs", half->shares[0].flops, 16);
    assert_figure(loss, "bytes", half->shares[0].bytes, 64000 + 128);
    check_cost(loss, true, "triton_red_fused_0", 336000, 2 * 64000 + 128);
    check_elementwise("aten::nll_loss_forward, sizes = [[16, 1000], [16], [], [], []]", 16,
                      16 * 2 + 16 * 8);
    check_elementwise("aten::embedding, sizes = [[2000, 512], [8, 128], [], [], []]", 0,
                      8 * 1024 + 2. * 1024 * 512 * 2);
    check_cost(F("embedding", TYPED("16,", "int32") ", " TYPED("100, 64", "float16")), false,
               ELEMENTWISE, 0, 4160);
}

// An LSTM cell: 4 x 512 rows, from an input of 256 and a state of 512, for a batch of 64.
static void test_cells(void **state)
{
    (void)state;
    static const char text[] = "{'mod': 'LSTMCell', 'op': 'forward', 'args': [" T("64, 256") ", " T(
        "64, 512") ", " T("64, 512") "]}";
    const struct formula_result *result = evaluate(
        text, false, "volta_sgemm_tn\nvolta_sgemm_tn\nvoid kernel::lstm_cell_forward<float>()");
    assert_figure(text, "FLOPs of the layer", result->shares[0].flops, 2. * 2048 * 64 * 256);
    assert_figure(text, "FLOPs of the state", result->shares[1].flops, 2. * 2048 * 64 * 512);
    assert_figure(text, "bytes of the cell", result->shares[2].bytes, 4. * (2 * 4 + 3) * 512 * 64);
    assert_string_equal(result->shares[1].params, "gemm=recur,M=2048,N=64,K=512,fp32,");
    // Only its sequence number (op_figures.c) decides which of the two products a backward is of.
    check_cost(text, true, "volta_sgemm_128x64_nn", UNKNOWN_FIGURE, UNKNOWN_FIGURE);
    static const struct {
        uint32_t part;
        double width;
        const char *params[2];
    } parts[] = {
        {1, 256, {"gemm=layer,M=256,N=64,K=2048,fp32,", "gemm=layer,M=256,N=2048,K=64,fp32,"}},
        {2, 512, {"gemm=recur,M=512,N=64,K=2048,fp32,", "gemm=recur,M=512,N=2048,K=64,fp32,"}},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        // Products for the input and for the weights; the sum of a bias is no product.
        uint32_t rows[] = {function_row("turing_sgemm_128x64_nn"),
                           function_row("ampere_sgemm_128x64_nt"), function_row("reduce_kernel")};
        const struct marker *marker = read_marker(text);
        struct formula_query query = {.module = strings_text(profile.strings, marker->module),
                                      .op = strings_text(profile.strings, marker->title),
                                      .marker = marker,
                                      .is_backward = true,
                                      .forward_part = parts[i].part,
                                      .functions = rows,
                                      .kernel_count = 3};
        result = formula_eval_run(evaluator, &query);
        for (int k = 0; k < 2; k++) {
            assert_figure(text, "FLOPs", result->shares[k].flops, 2. * 2048 * 64 * parts[i].width);
            assert_string_equal(result->shares[k].params, parts[i].params[k]);
        }
        assert_figure(text, "FLOPs of the bias", result->shares[2].flops, 0);
    }
    // If input and state have the same width both products cost the same, and which one it is stays
    // unknown.
    static const char wide[] =
        "{'mod': 'LSTMCell', 'op': 'forward', 'args': [" T("64, 512") ", " T("64, 512") "]}";
    result = evaluate(wide, true, "volta_sgemm_128x64_nn");
    assert_figure(wide, "FLOPs", result->flops, 2. * 2048 * 64 * 512);
    assert_string_equal(result->params, "gemm=na,M=512,N=64,K=2048,fp32,");
    assert_false(result->shares[0].is_unsure);
    // A product with an unknown name is dgrad or wgrad, which cost the same: the params that differ
    // are unknown. If there are two, their order decides; if one name is known, it decides for the
    // other.
    static const struct {
        const char *kernels, *params[2];
    } names[] = {
        {"nvjet_hsh_128x64", {"gemm=na,M=512,N=na,K=na,fp16,"}},
        {"nvjet_hsh_128x64\nnvjet_hsh_64x64",
         {"gemm=na,M=512,N=64,K=2048,fp16,", "gemm=na,M=512,N=2048,K=64,fp16,"}},
        {"nvjet_hsh_128x64\nvolta_h884gemm_128x64_nn",
         {"gemm=na,M=512,N=2048,K=64,fp16,", "gemm=na,M=512,N=64,K=2048,fp16,"}},
    };
    static const char half[] = "{'mod': 'LSTMCell', 'op': 'forward', 'args': [" TYPED(
        "64, 512", "float16") ", " TYPED("64, 512", "float16") "]}";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        result = evaluate(half, true, names[i].kernels);
        for (int k = 0; k < 2 && names[i].params[k]; k++) {
            assert_string_equal(result->shares[k].params, names[i].params[k]);
            assert_figure(half, "FLOPs", result->shares[k].flops, 2. * 2048 * 64 * 512);
            assert_int_equal(result->shares[k].is_unsure, i == 0);
        }
    }
    // The gates are no product.
    assert_figure(wide, "FLOPs of a gate", evaluate(wide, true, "elementwise_kernel")->flops,
                  UNKNOWN_FIGURE);
}

// 2 layers of 4 x 32 rows, 16 wide in the first and 32 in the second, for 10 positions of 8
// sequences.
static void test_recurrent_layers(void **state)
{
    (void)state;
    static const char text[] =
        "aten::lstm, sizes = [[10, 8, 16], [2, 8, 32], [2, 8, 32], [128, 16], [128, 32], [128], "
        "[128], [128, 32], [128, 32], [128], [128], [], [], [], [], [], []]";
    double flops = 2. * 80 * (2048 + 3 * 4096);
    const struct formula_result *result =
        evaluate(text, false, "volta_sgemm_tn\nvoid LSTM_elementWise_fp<float>()\nvolta_sgemm_tn");
    assert_figure(text, "FLOPs", result->flops, flops);
    assert_figure(text, "FLOPs of a kernel", result->shares[0].flops, flops / 3);
    assert_false(result->is_autotuned);
    static const char module[] = "{'mod': 'LSTM', 'op': 'forward', 'args': [" T("10, 8, 16") ", " T(
        "2, 8, 32") ", " T("2, 8, 32") "]}";
    result = evaluate(module, true, "volta_sgemm_tn");
    assert_figure(module, "FLOPs", result->flops, 2 * flops);
    assert_true(result->is_guess);
    // cuDNN's own op has its weights before its states: the result is as wide as the second.
    check_cost(
        "aten::_cudnn_rnn, sizes = [[10, 8, 16], [128, 16], [128, 32], [128], [128], [], [], [1, "
        "8, "
        "32], [1, 8, 32], [], [], [], [], [], [], [], [], []]",
        false, "volta_sgemm_tn", 2. * 80 * (2048 + 4096),
        4. * (1280 + 2048 + 4096 + 256 + 512) + 4. * 80 * 32);
}

static void test_optimizers(void **state)
{
    (void)state;
    const char *kernel = "void multi_tensor_apply_kernel<float>()";
    // Two tensors of 100 and 20 elements in four lists: 12 x 120, 7 x 120 x 4.
    check_cost(
        "aten::_fused_adamw_, sizes = [[10, 10], [20], [10, 10], [20], [10, 10], [20], [10, 10], "
        "[20], [], [], []]",
        false, kernel, 1440, 3360);
    // Three lists of one tensor: with momentum.
    check_cost("aten::_fused_sgd_, sizes = [[10, 10], [10, 10], [10, 10], []]", false, kernel, 400,
               2000);
    check_cost("aten::_foreach_addcdiv_, sizes = [[10], [10], [10]]", false, kernel, 30, 160);
    check_cost("aten::_foreach_mul_, sizes = [[10], [20], []]", false, kernel, 30, 240);
    check_cost("aten::_foreach_sqrt, sizes = [[10], [20]]", false, kernel, 600, 240);
    assert_true(evaluate("aten::_foreach_mul_, sizes = [[10], [20], []]", false, kernel)->is_guess);
    // Apex: weights in fp32 and a copy in fp16; 12 and 6 x 4 + 2 + 2 for each of 9,408.
    check_cost(
        "{'mod': 'fused_adam_cuda', 'op': 'adam', 'args': [" T("64, 3, 7, 7") ", " TYPED(
            "64, 3, 7, 7",
            "float16") ", " T("64, 3, 7, 7") ", " T("64, 3, 7, 7") ", " TYPED("64, 3, 7, 7",
                                                                              "float16") "]}",
        false, "void adam_cuda_kernel<float>()", 112896, 263424);
}

static void test_collectives(void **state)
{
    (void)state;
    static const char text[] =
        "{'mod': 'torch.distributed', 'op': 'all_reduce', 'args': [" T("1000,") "]}";
    check_cost(text, false, "ncclDevKernel_AllReduce_Sum_f32_RING_LL()", 0, UNKNOWN_FIGURE);
    struct formula_query query = {.module = "torch.distributed",
                                  .op = "all_reduce",
                                  .marker = read_marker(text),
                                  .rank_count = 4};
    assert_figure(text, "bytes", formula_eval_run(evaluator, &query)->bytes, 2 * 0.75 * 4000);
}

static void test_copies(void **state)
{
    (void)state;
    // The result has the type of the values, not of the condition.
    check_cost(TORCH("where", TYPED("4, 4", "bool") ", " T("4, 4") ", " T("4, 4")), false,
               ELEMENTWISE, 0, 16 + 3 * 4 * 16);
    check_cost(TENSOR("masked_fill_", T("4, 4") ", " TYPED("4, 4", "bool") ", " INT("0")), false,
               ELEMENTWISE, 0, 16 + 2 * 4 * 16);
    check_elementwise("aten::where, op_id = 1, sizes = [[4, 4], [4, 4], [4, 4]]", 0,
                      16 + 3 * 2 * 16);
    check_cost(TENSOR("half", T("33, 65")), false, ELEMENTWISE, 0, 12870);
    check_cost(TENSOR("copy_", TYPED("8, 100", "float16") ", " T("8, 100")), false, ELEMENTWISE, 0,
               4800);
    check_cost(TORCH("cat", T("8, 16") ", " T("8, 32") ", " INT("1")), false, ELEMENTWISE, 0, 3072);
    check_cost(TORCH("zeros", TUPLE("3, 5")), false, ELEMENTWISE, 0, 60);
    check_cost(TORCH("arange", INT("10")), false, ELEMENTWISE, 30, 80);
    check_cost(TORCH("arange", INT("0") ", " INT("10")), false, ELEMENTWISE, 30, 80);
    check_cost(TORCH("arange", INT("1") ", " INT("10") ", " INT("2")), false, ELEMENTWISE, 15, 40);
    // 32 bags of 10 rows of 64 numbers each; PyTorch's own op has the weights first.
    check_cost(F("embedding_bag", TYPED("32, 10", "int64") ", " T("1000, 64")), false, "kernel",
               20480, 2560 + 81920);
    check_cost("aten::_embedding_bag, sizes = [[1000, 64], [320], [32]]", false, "kernel<float>",
               20480, 2560 + 81920);
    check_cost(TORCH("outer", T("5,") ", " T("7,")), false, ELEMENTWISE, 35, 188);
    check_cost(
        TORCH("index_select", TYPED("100, 64", "float16") ", " INT("0") ", " TYPED("17,", "int64")),
        false, ELEMENTWISE, 0, 4488);
    // What is moved is what is asked for, and not the whole of the tensor: 6 numbers and indices.
    check_cost(
        TORCH("gather", TYPED("100, 64", "float16") ", " INT("1") ", " TYPED("2, 3", "int64")),
        false, ELEMENTWISE, 0, 2 * 12 + 48);
    check_cost("aten::gather, sizes = [[100, 64], [], [2, 3], [], [2, 3]]", false, ELEMENTWISE, 0,
               2 * 24 + 48);
    check_cost("aten::gather, sizes = [[100, 64], [], [2, 3], []]", true, ELEMENTWISE, 0,
               3 * 24 + 48);
    check_cost("aten::take, sizes = [[100, 64], [6]]", false, ELEMENTWISE, 0, 2 * 24 + 48);
    check_cost(TORCH("nonzero", TYPED("8, 100", "bool")), false, ELEMENTWISE, 0, 13600);
    // 6 indices of 8 bytes each: values that are set are read and written; for an addition the old
    // values are read as well.
    check_cost("aten::scatter, sizes = [[10, 4], [], [2, 3], [2, 3]]", false, ELEMENTWISE, 0,
               48 + 48);
    check_cost("aten::scatter_, sizes = [[10, 4], [], [2, 3], []]", false, ELEMENTWISE, 0, 48 + 24);
    check_cost("aten::scatter_add_, sizes = [[10, 4], [], [2, 3], [2, 3]]", false, ELEMENTWISE, 6,
               48 + 72);
    check_cost("aten::index_add_, sizes = [[10, 4], [], [6], [6, 4], []]", false, ELEMENTWISE, 24,
               48 + 288);
    check_cost("aten::index_copy_, sizes = [[10, 4], [], [6], [6, 4]]", false, ELEMENTWISE, 0,
               48 + 192);
    // Backward of an addition is a gather: 6 indices, as many numbers read and written.
    check_cost("aten::scatter_add_, sizes = [[10, 4], [], [2, 3], [2, 3]]", true, ELEMENTWISE, 0,
               48 + 48);
    check_cost("aten::index_add_, sizes = [[10, 4], [], [6], [6, 4], []]", true, ELEMENTWISE, 0,
               48 + 192);
    check_cost("aten::scatter, sizes = [[10, 4], [], [2, 3], [2, 3]]", true, ELEMENTWISE, 0,
               UNKNOWN_FIGURE);
    // The number of elements that are set depends on the values of the indices.
    check_cost("aten::index_put_, sizes = [[10, 4], [], [6, 4], []]", false, ELEMENTWISE, 0,
               UNKNOWN_FIGURE);
    assert_string_equal(
        evaluate(TENSOR("copy_", TYPED("8, 100", "float16") ", " T("8, 100")), false, "")->params,
        "T=(8,100),fp32,fp16,");
}

static void test_product_names(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        bool is_product;
    } cases[] = {
        {"volta_sgemm_128x32_tn", true},
        {"void gemv2T_kernel_val<int, int, float>()", true},
        {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_execute_kernel__5x_cublas", true},
        {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_execute_split_k_kernel__5x_cublas",
         false}, // follows the previous kernel and adds up its parts
        {"void splitKreduce_kernel<float>()", false},
        {"volta_scudnn_128x64_relu_interior_nn_v1", true},
        {"void spatialDepthwiseConvolutionUpdateOutput<float>()", true},
        {"void cudnn::winograd_nonfused::winogradForwardData4x4<float>()", false},
        {"sm50_xmma_pooling_coalescedC_NHWC_kMAX_3_False_execute_kernel_trt", false},
        {"void at::native::vectorized_elementwise_kernel<4>()", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (formula_is_product(evaluator, function_row(cases[i].kernel)) != cases[i].is_product)
            fail_msg("%s", cases[i].kernel);
}

// ---- types, names, own rows --------------------------------------------------------------------

static void test_types(void **state)
{
    (void)state;
    static const struct {
        const char *type, *name;
        double bytes;
    } check_with_backward[] = {{"bfloat16", "bf16", 2},
                               {"float8_e4m3fn", "fp8", 1},
                               {"float64", "fp64", 8},
                               {"complex64", "complex64", 8},
                               {"complex128", "complex128", 16}};
    for (size_t i = 0; i < sizeof check_with_backward / sizeof *check_with_backward; i++) {
        char text[300];
        snprintf(text, sizeof text, TORCH("neg", TYPED("10,", "%s")), check_with_backward[i].type);
        const struct formula_result *result = evaluate(text, false, "kernel");
        assert_string_equal(result->dtype, check_with_backward[i].name);
        assert_figure(text, "bytes", result->bytes, 20 * check_with_backward[i].bytes);
        assert_false(result->is_guess);
    }
    // The name of a gather contains the type of its indices.
    const struct formula_result *gathered = evaluate(
        "aten::embedding, sizes = [[2000, 512], [8, 128], [], [], []]", false,
        "void at::native::vectorized_gather_kernel<16, long>(char *, char *, long *, int, long)");
    assert_figure("gather", "bytes", gathered->bytes, 8 * 1024 + 2. * 1024 * 512 * 4);
    assert_true(gathered->is_guess);
    assert_string_equal(gathered->params, "[8,128]int64;[2000,512]fp32");
    static const struct {
        const char *kernel, *name;
        double bytes;
    } seen[] = {{"nvjet_tst_128x64_64x8_4x1_v_bz_TNT", "bf16", 2},
                {"nvjet_hsh_128x64_64x8_4x1_v_bz_TNT", "fp16", 2},
                {"nvjet_qqtst_128x64_64x8_4x1_v_bz_TNT", "fp8", 1},
                {"nvjet_sm100_qqtst_128x256_128x6_2x1_2cta_v_bz_TNN", "fp8", 1},
                {"nvjet_sm103_tst_128x256_64x6_2x1_2cta_v_bz_TNN", "bf16", 2},
                {"nvjet_sm120_tst_mma_128x128_64x4_v_bz_TNN", "bf16", 2},
                {"nvjet_sss_tf32_128x64_32x8_4x1_v_bz_TNT", "tf32", 4},
                {"nvjet_sss_128x64_64x8_4x1_v_bz_TNT", "fp32", 4},
                {"cutlass3x_sm90_tensorop_s64x128x32gemm_e4m3_e4m3_f32_bf16_bf16", "fp8", 1},
                {"cutlass3x_sm100_gemm_e2m1_e2m1_f32_bf16", "fp4", 1},
                {"ampere_tf32_s1688gemm_tf32_128x64_ldg8_nn", "tf32", 4},
                {"volta_dgemm_64x64_nn", "fp64", 8},
                {"ampere_sgemm_128x64_tn", "fp32", 4},
                {"ampere_cgemm_32x32_nn", "complex64", 8},
                {"ampere_tf32_c1688gemm_128x64_nn", "tf32", 4},
                {"ampere_zgemm_32x32_nn", "complex128", 16},
                {"Cijk_Ailk_Bljk_BBS_BH_MT128x128x32", "bf16", 2}};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        const struct formula_result *result =
            evaluate("aten::mm, sizes = [[2, 4], [4, 8]]", false, seen[i].kernel);
        assert_string_equal(result->dtype, seen[i].name);
        assert_figure(seen[i].kernel, "bytes", result->bytes, (8 + 32 + 16) * seen[i].bytes);
        assert_false(result->is_guess);
    }
    // A product of complex numbers is four products of real numbers.
    check_cost("aten::mm, sizes = [[2, 4], [4, 8]]", false,
               "void cutlass::gemm<c10::complex<float> >(int)", 4 * 2 * 8 * 2 * 4,
               8 * (8 + 32 + 16));
    // The kernel that sums up the bias has another type.
    const char *kernels =
        "nvjet_tst_128x64_64x8_4x1_v_bz_NNT\nvoid at::native::reduce_kernel<512, 1, "
        "at::native::ReduceOp<float>>(int)";
    assert_string_equal(evaluate("aten::mm, sizes = [[2, 4], [4, 8]]", true, kernels)->dtype,
                        "bf16");
    // Under autocast the marker says FP32, and the kernel computes in 16 bit.
    uint32_t autocast = function_row("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn");
    functions[autocast].tensor_core = STATE_YES;
    struct formula_query cast = {.module = "torch",
                                 .op = "mm",
                                 .marker = read_marker(TORCH("mm", T("2, 4") ", " T("4, 8"))),
                                 .functions = &autocast,
                                 .kernel_count = 1};
    assert_string_equal(formula_eval_run(evaluator, &cast)->dtype, "fp16");
    assert_figure("autocast", "bytes", formula_eval_run(evaluator, &cast)->bytes,
                  4 * (8 + 32 + 16));
    // The size of an unknown type is a guess.
    check_cost(TORCH("neg", TYPED("10,", "float7")), false, "kernel", 10, 80);
    // Without a type from marker or kernel the type of the forward is used; without one the size is
    // a guess.
    struct formula_query query = {
        .op = "aten::neg", .marker = read_marker("aten::neg, sizes = [[10]]"), .dtype = "bf16"};
    assert_string_equal(formula_eval_run(evaluator, &query)->dtype, "bf16");
    assert_false(formula_eval_run(evaluator, &query)->is_guess);
    query.dtype = NULL;
    assert_string_equal(formula_eval_run(evaluator, &query)->dtype, "fp32");
    assert_true(formula_eval_run(evaluator, &query)->is_guess);
}

// Numbers in a value are searched once per position: otherwise this many blanks would take minutes.
static void test_blanks(void **state)
{
    (void)state;
    enum { BLANKS = 1000000 };
    static char text[BLANKS + 200];
    int length = snprintf(text, sizeof text,
                          "{'mod': 'torch', 'op': 'zeros', 'args': [{'name': '', "
                          "'type': 'tuple', 'value': (3, %*s+5e0, None, 2)}]}",
                          BLANKS, "");
    assert_in_range(length, BLANKS, sizeof text - 1);
    assert_string_equal(evaluate(text, false, "kernel")->params, "[3,5,2]fp32");
}

static void test_names(void **state)
{
    (void)state;
    assert_true(formula_has_row(evaluator, "torch", "mm"));
    assert_true(formula_has_row(evaluator, "", "aten::mm"));
    assert_true(formula_has_row(evaluator, NULL, "aten::relu_"));
    assert_false(formula_has_row(evaluator, "torch", "forward"));
    assert_true(formula_has_row(evaluator, "LSTMCell", "forward"));
    assert_false(formula_has_row(evaluator, "mymodel", "mm"));
    assert_false(formula_has_row(evaluator, "torch.nn.functional", "multi_head_attention_forward"));
    assert_false(formula_has_row(evaluator, "", ""));
    assert_false(formula_has_row(evaluator, "", NULL));
    // torch.ops: by library, op and overload, wherever the marker has them.
    static const struct {
        const char *module, *op;
        bool is_known;
    } check_with_backward[] = {
        {"torch._ops.aten", "mm", true},
        {"torch._ops.aten", "mm.default", true},
        {"torch._ops.aten.mm", "default", true},
        {"torch.ops.aten", "add_.Tensor", true},
        {"torch._ops", "aten::mm", true},
        {"torch._ops", "aten.mm.default", true},
        {"torch._ops.flash_attn", "_flash_attn_forward.default", true},
        {"torch._ops.mine", "mm", false}, // of another library
        {"torch._ops.aten", "unheard_of", false},
        {"torch._ops", "OpOverload", false},
        {"torch._ops.", "mm", false},
        {"torch._ops.aten", ".", false},
        {"torch._opsaten", "mm", false},
    };
    for (size_t i = 0; i < sizeof check_with_backward / sizeof *check_with_backward; i++)
        if (formula_has_row(evaluator, check_with_backward[i].module, check_with_backward[i].op) !=
            check_with_backward[i].is_known)
            fail_msg("%s, %s", check_with_backward[i].module, check_with_backward[i].op);
    const struct formula_result *result =
        evaluate(F("unheard_of", T("3, 5") ", " TYPED("7,", "int64")), false, "a\nb");
    assert_null(result->rule);
    assert_figure("unheard_of", "FLOPs", result->flops, FORMULA_UNKNOWN);
    assert_figure("unheard_of", "FLOPs", result->shares[1].flops, FORMULA_UNKNOWN);
    assert_string_equal(result->params, "T=[(3,5),(7,)],['float32','int64']");
    struct formula_query none = {.op = "aten::mm"};
    assert_string_equal(formula_eval_run(evaluator, &none)->params, "na=na,");
    // Repeating a query gives the same result.
    assert_true(evaluate("aten::neg, sizes = [[10]]", false, "k") !=
                evaluate("aten::neg, sizes = [[10]]", false, "k")); // another marker
    assert_ptr_equal(formula_eval_run(evaluator, &none), formula_eval_run(evaluator, &none));
}

// Checks which kernels have the bytes of a run: "01" means the second of two.
static void check_main_kernels(const char *text, bool is_backward, const char *kernels,
                               const double *durations, const char *expected)
{
    const struct formula_result *result = evaluate_timed(text, is_backward, kernels, durations);
    char which[KERNELS + 1] = "";
    double sum = 0;
    for (size_t k = 0; expected[k]; k++) {
        sum += result->shares[k].bytes;
        which[k] = result->shares[k].bytes > 0 ? '1' : '0';
        assert_true(result->shares[k].is_main == (which[k] == '1'));
    }
    assert_string_equal(which, expected);
    assert_figure(text, "bytes of all kernels", sum, result->bytes);
    assert_true(result->bytes > 0);
    assert_true(result->shares[result->main_kernel].bytes > 0);
}

#define FILL "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>()\n"
#define COPY \
    "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda()>()\n"
#define ADD \
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>()\n"
#define SUMUP "void at::native::reduce_kernel<512, 1, float>()\n"
#define ADAM  "void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor<float>>()\n"

// Only its main kernel has the cost of a run: the kernel that the rules name, otherwise the
// longest.
static void test_main_kernel(void **state)
{
    (void)state;
    static const double rising[] = {100, 200, 300, 400, 500}, falling[] = {500, 400, 300, 200, 100},
                        level[] = {100, 100, 100, 100, 100};
    const char *embedding = F("embedding", TYPED("6,", "int64") ", " T("32, 16"));
    const char *feature = FILL "void at::native::embedding_backward_feature_kernel<float, float>()";
    check_main_kernels(embedding, true, feature, falling, "01"); // although the fill takes longer
    check_main_kernels(embedding, true, feature, NULL, "01");
    const char *sorted = FILL "void cub::DeviceRadixSortOnesweepKernel<int>()\n"
                              "void at::native::krn_partials_per_segment<int>()\n"
                              "void at::native::compute_grad_weight<float>()\n"
                              "void at::native::sum_and_scatter<float>()";
    check_main_kernels(embedding, true, sorted, falling, "00010");
    const char *sum = F("mse_loss", T("8, 4") ", " T("8, 4"));
    check_main_kernels(sum, false, ADD SUMUP, rising, "01");
    check_main_kernels(sum, false, ADD SUMUP, falling, "10");
    check_main_kernels(sum, false, ADD SUMUP, level, "10"); // the first of equal ones
    check_main_kernels(sum, false, ADD SUMUP, NULL, "10");
    check_main_kernels(sum, false, COPY SUMUP, falling, "01"); // a copy is a helper here
    check_main_kernels(TENSOR("fill_", T("64,") ", " INT("0")), false, FILL, NULL,
                       "1"); // the only kernel
    check_main_kernels(TENSOR("copy_", T("64,") ", " T("64,")), false, FILL COPY, rising, "01");
    const char *norm = F("layer_norm", T("8, 4") ", " TUPLE("4,"));
    check_main_kernels(norm, false,
                       "void at::native::RowwiseMomentsCUDAKernel<float>()\n"
                       "void at::native::LayerNormForwardCUDAKernel<float>()",
                       falling, "01");
    check_main_kernels(norm, true,
                       "void at::native::ComputeInternalGradientsCUDAKernel<float>()\n"
                       "void at::native::LayerNormBackwardCUDAKenrel<float>()\n"
                       "void at::native::GammaBetaBackwardCUDAKernel<float>()",
                       rising, "010");
    check_main_kernels(norm, true,
                       "void at::native::layer_norm_grad_input_kernel_vectorized<float>()\n"
                       "void at::native::GammaBetaBackwardCUDAKernelTemplate<float>()",
                       rising, "10");
    check_main_kernels(F("softmax", T("8, 4")), true, ADD "void softmax_warp_backward<float>()",
                       falling, "01");
    check_main_kernels(
        F("cross_entropy", T("8, 4") ", " TYPED("8,", "int64")), false,
        "void cunn_SoftMaxForward<4>()\nvoid cunn_ClassNLLCriterion_updateOutput_kernel()", rising,
        "10");
    // Several launches of one kernel over many parameters: all are main kernels.
    check_main_kernels("aten::_fused_adamw_, sizes = [[8], [4], [8], [4], [8], [4], [8], [4]]",
                       false, ADAM ADAM ADAM ADAM, rising, "1111");
    // Among products the last launched counts, as the others were tried, however long they took.
    const struct formula_result *result =
        evaluate_timed(TORCH("mm", T("8, 16") ", " T("16, 4")), false, "gemm_a\ngemm_b", falling);
    assert_true(result->is_autotuned);
    assert_int_equal(result->main_kernel, 1);
    // Unknown names: the longest kernel is the product, not the one that adds to it.
    check_main_kernels(TORCH("mm", T("8, 16") ", " T("16, 4")), false,
                       "kernel_a\nkernel_b\nkernel_c", (const double[]){5, 90, 6}, "010");
    check_main_kernels(TORCH("mm", T("8, 16") ", " T("16, 4")), true,
                       "kernel_a\nkernel_b\nkernel_c", (const double[]){5, 90, 6}, "011");
}

static void test_own_rows(void **state)
{
    (void)state;
    char folder[] = "/tmp/dlprof-formulas-XXXXXX", path[100];
    struct error error = {0};
    bool renames = true;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/formulas.yaml", folder);
    file_write(
        path,
        "kernels: {mine: 'my_kernel'}\n"
        "formulas:\n"
        "  - name: attend\n"
        "    ops: [attend]\n"
        "    modules: [mymodel.layers]\n"
        "    args: ['q', 'k', 'scale|s']\n"
        "    let: {S: 'q[-2]'}\n"
        "    forward: {kernels: mine, flops: '4*elements(q)*S*first(scale, 1)', bytes: "
        "'bytes(q) + bytes(k)', params: 'S={S},{type}'}\n"
        "  - {name: mm, ops: [mm], forward: {flops: '1', bytes: '2'}}\n"
        "  - {name: near, like: attend, ops: [near], let: {two: '2', S: 'two*q[-1]', T: 'S'}}\n"
        "  - {name: my_mm, like: addmm, ops: [my_mm], modules: []}\n"
        "  - {name: as_mm, like: mm, ops: [as_mm]}\n"
        "  - {name: never, ops: [cat], args: [a, i], type: i, when: '0', forward: {}}\n");
    if (!rules_use(folder, &renames, &error))
        fail_msg("%s", error.message);
    assert_false(renames);
    evaluator = formula_evaluator_new(&profile, profile.arena);
    static const char text[] = "{'mod': 'mymodel.layers', 'op': 'attend', 'args': [" T(
        "2, 8, 16") ", " T("2, 8, 16") ", {'name': 's', 'type': 'int', 'value': 3}]}";
    const struct formula_result *result =
        evaluate(text, false, "elementwise_kernel\nmy_kernel<float>");
    assert_figure(text, "FLOPs", result->flops, 4. * 256 * 8 * 3);
    assert_figure(text, "bytes", result->bytes, 2048);
    assert_int_equal(result->main_kernel, 1);
    assert_string_equal(result->params, "S=8,fp32");
    // A row inherits what it lacks from the row it is like, and its names come in the order of that
    // row: 4 x 256 x 32 x 3.
    static const char near[] = "{'mod': 'mymodel.layers', 'op': 'near', 'args': [" T(
        "2, 8, 16") ", " T("2, 8, 16") ", {'name': 's', 'type': 'int', 'value': 3}]}";
    check_cost(near, false, "my_kernel<float>", 4. * 256 * 32 * 3, 2048);
    check_cost(
        "{'mod': 'anything', 'op': 'my_mm', 'args': [" T("8,") ", " T("2, 4") ", " T("4, 8") "]}",
        false, "gemm", 128, 4. * (16 + 8 + 32));
    check_cost("aten::mm, sizes = [[2, 4], [4, 8]]", false, "k", 1,
               2); // overrides the built-in row
    check_cost("aten::as_mm, sizes = [[2, 4], [4, 8]]", false, "k", 1, 2);
    check_cost("aten::neg, sizes = [[2, 4]]", false, "k<float>", 8, 64);
    // A row that was tried without success has no effect: the unknown type of its own argument is
    // no guess here.
    const char *cat = TORCH("cat", TYPED("8, 16", "float16") ", " TYPED("8, 32", "of_mine"));
    assert_false(evaluate(cat, false, "kernel")->is_guess);
    check_cost(cat, false, "kernel", 0, 2. * 2 * (128 + 256));
    rules_use_builtin();
    unlink(path);
    rmdir(folder);
}

static void refused(const char *text, const char *why)
{
    char folder[] = "/tmp/dlprof-formulas-XXXXXX", path[100];
    struct error error = {0};
    bool renames;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/formulas.yaml", folder);
    file_write(path, text);
    assert_false(rules_use(folder, &renames, &error));
    unlink(path);
    rmdir(folder);
    if (!strstr(error.message, why))
        fail_msg("not \"%s\": %s", why, error.message);
}

static void test_refused_rows(void **state)
{
    (void)state;
#define ROW(rest) "formulas:\n  - {name: x, ops: [x], " rest "}\n"
    refused("[x]\n", "formulas.yaml:1:1: a mapping");
    refused("rows: []\n", "formulas.yaml:1:1: unknown key");
    refused("formulas: x\n", "formulas.yaml:1:11: a list");
    refused("formulas: [x]\n", "formulas.yaml:1:12: a row with \"name\"");
    refused("formulas: [{name: x}]\n", "a row needs \"name\" and \"ops\"");
    refused("formulas: [{name: x, ops: [x]}]\n", "a row needs \"forward\"");
    refused(ROW("forward: {flops: '2 *'}"), "formulas.yaml:2:42: 2 *: character 4: a number");
    refused(ROW("forward: {flops: 'y'}"), "character 1: nothing has this name");
    refused(ROW("forward: {flops: {}}"), "a text is expected");
    refused(ROW("backward_args: [y], forward: {flops: 'x'}"), "nothing has this name");
    refused(ROW("backward_args: y, forward: {}"), "at most 24 arguments");
    refused(ROW("forward: {flips: '2'}"), "unknown key \"flips\"");
    refused(ROW("forward: []"), "1 to 8 parts");
    refused(ROW("forward: [x]"), "\"flops\" and \"bytes\"");
    refused(ROW("forward: {kernels: nothing}"), "no kernels are called \"nothing\"");
    refused(ROW("forward: {beside: maybe}"), "only \"yes\"");
    refused(ROW("forward: {params: '{y}'}"), "nothing has this name");
    refused(ROW("forward: {params: '{1'}"), "a closing brace is missing");
    refused(ROW("forward: {params: '{shape y}'}"), "{shape y}: an argument's name");
    refused(ROW("forward: {params: '{shapes y}'}"), "{shapes y}: an argument's name");
    refused(ROW("forward: {params: '{part}'}"), "{part}: words are expected");
    refused(ROW("forward: {}, args: x"), "at most 24 arguments");
    refused(ROW("forward: {}, args: ['a|b|c|d|e|f']"), "at most 4 other names");
    refused(ROW("forward: {}, let: x"), "at most 24 names");
    refused(ROW("forward: {}, let: {a: 'b', b: '1'}"),
            "nothing has this name"); // only earlier ones
    refused(ROW("forward: {}, type: y"), "no argument is called \"y\"");
    refused(ROW("forward: {}, guess: no"), "only \"yes\"");
    refused(ROW("like: y"), "no row before this is called \"y\"");
    refused(ROW("like: x"), "no row before this is called \"x\"");
    refused(ROW("like: []"), "a text is expected");
    refused(ROW("like: mm, let: {M: 'x'}"), "nothing has this name");
    refused("formulas:\n"
            "  - {name: a, ops: [a], forward: {}}\n  - {name: b, like: a, ops: [b]}\n"
            "  - {name: c, like: b, ops: [c]}\n  - {name: d, like: c, ops: [d]}\n"
            "  - {name: e, like: d, ops: [e]}\n  - {name: f, like: e, ops: [f]}\n"
            "  - {name: g, like: f, ops: [g]}\n  - {name: h, like: g, ops: [h]}\n"
            "  - {name: i, like: h, ops: [i]}\n",
            "at most 8 rows are like each other");
    refused("kernels: x\n", "formulas.yaml:1:10: names of kinds");
    refused("kernels: {x: '('}\n", "formulas.yaml:1:14:");
    rules_use_builtin();
}

// The built-in file loads and has its rows; any arguments are safe.
static void test_built_in_rows(void **state)
{
    (void)state;
    assert_true(formula_has_row(evaluator, "", "aten::linear"));
    // For any arguments, and for none, figures are unknown or not negative.
    static const char *const shapes[] = {
        "", "[]", "[0]", "[3], [4, 5]", "[-1, 2]", "[9223372036854775807, 9223372036854775807]"};
    static const char *const ops[] = {"conv2d",       "linear",       "matmul",
                                      "einsum",       "_fused_adam_", "max_pool2d",
                                      "index_select", "embedding",    "cat"};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
            char text[300];
            snprintf(text, sizeof text, "aten::%s, op_id = 1, sizes = [%s]", ops[i], shapes[s]);
            const struct formula_result *result = evaluate(text, s % 2, "gemm\nflash_fwd\n");
            assert_true(result->flops == FORMULA_UNKNOWN || result->flops >= 0);
            assert_true(result->bytes == FORMULA_UNKNOWN || result->bytes >= 0);
            assert_non_null(result->params);
        }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_linear),
        TEST(test_products),
        TEST(test_convolution),
        TEST(test_convolution_backward),
        TEST(test_other_convolutions),
        TEST(test_backward_arguments),
        TEST(test_model_flops),
        TEST(test_attention),
        TEST(test_recorded_values),
        TEST(test_elementwise),
        TEST(test_layers),
        TEST(test_cells),
        TEST(test_recurrent_layers),
        TEST(test_optimizers),
        TEST(test_collectives),
        TEST(test_copies),
        TEST(test_product_names),
        TEST(test_types),
        TEST(test_blanks),
        TEST(test_names),
        TEST(test_own_rows),
        TEST(test_refused_rows),
        TEST(test_built_in_rows),
        TEST(test_main_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
