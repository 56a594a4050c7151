// SPDX-License-Identifier: Apache-2.0
// Checks the built-in rules: kernel families, Tensor Core use by generation, classes and GPU peaks.
// Also checks the errors reported for faulty rule files of a user.
#include "property.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_text.h"
#include "model/rules/kernel_name.h"
#include "model/rules/rules.h"

static struct arena *arena;
static struct rules *rules;
static struct strings *strings;
static struct error error;

static int open_rules(void **state)
{
    (void)state;
    arena = arena_new(0);
    error = (struct error){0};
    strings = strings_new(arena);
    if (rules_load(&rules, arena, NULL, &error))
        return 0;
    print_error("%s\n", error.message);
    return -1;
}

static int close_rules(void **state)
{
    (void)state;
    rules_free(rules);
    rules = NULL;
    arena_free(arena);
    return 0;
}

static void classify(const struct rules *by, struct function *function)
{
    struct profile profile = {
        .arena = arena, .strings = strings, .functions = function, .function_count = 1};
    rules_classify_all(by, &profile);
}

static struct function classified(const char *full, const char *brief)
{
    struct function function = {
        .kind = WORK_KERNEL,
        .full = strings_intern_text(strings, full),
        .brief = strings_intern_text(strings, brief),
    };
    classify(rules, &function);
    return function;
}

static const char *family(const char *full)
{
    return strings_text(strings, classified(full, NULL).family);
}

#define LAMBDA \
    "::[lambda() (instance 3)]::operator ()() const::[lambda() (instance 7)]::operator ()() const"
#define GPU_IMPL "void at::native::gpu_kernel_impl_nocast<"
#define FLASH_ARGS                                                                             \
    ", (int)64, (int)4, (bool)0, (bool)0, cutlass::bfloat16_t, Flash_kernel_traits<(int)128, " \
    "(int)128, (int)64, (int)4, cutlass::bfloat16_t>>"

static const struct {
    const char *full, *family;
} families[] = {
    // every row of the table in the design
    {"triton_poi_fused_add_gelu_17", "triton_poi add gelu"},
    {"triton_red_fused_native_layer_norm_backward_3", "triton_red native_layer_norm_backward"},
    {"triton_red_fused__log_softmax_nll_loss_forward_0",
     "triton_red _log_softmax nll_loss_forward"},
    {"triton_per_fused__to_copy_add_0", "triton_per _to_copy add"},
    {"triton_tem_fused_mm_3", "triton_tem mm"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
     "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>)",
     "elementwise add<float>"},
    {"void at::native::vectorized_elementwise_kernel<(int)4, "
     "at::native::CUDAFunctor_add<c10::BFloat16>"
     ", std::array<char *, (unsigned long)3>>(int, T2, T3)",
     "elementwise add<bf16>"},
    {"void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda("
     "at::TensorIteratorBase &)" LAMBDA "::[lambda(float) (instance 1)], at::detail::Array<char *, "
     "(int)2>, TrivialOffsetCalculator<(int)1, unsigned int>>(int, T1)",
     "elementwise copy<float>"},
    {"void at::native::reduce_kernel<(int)512, (int)1, at::native::ReduceOp<float, "
     "at::native::MeanOps<float, float, float, float>, unsigned int, float, (int)4>>(T3)",
     "reduce mean<float>"},
    {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_stage3_warpsize1x4x1_ffma_aligna4_"
     "alignc4_execute_kernel__5x_cublas",
     "xmma_gemm f32 ffma tn 64x256x8"},
    {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_32x5_nn_align8>"
     "(T1::Params)",
     "cutlass bf16 s16816 128x128x32 nn"},
    {"nvjet_tst_192x208_64x4_2x1_v_bz_coopB_TNT", "nvjet_tst 192x208x64 TNT"},
    {"void flash_fwd_kernel<Flash_fwd_kernel_traits<(int)128, (int)128" FLASH_ARGS
     ", (bool)1, (bool)1, (bool)0>(Flash_fwd_params)",
     "flash_fwd hd128 causal bf16"},
    {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, "
     "false, false, cutlass::half_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 4, "
     "cutlass::half_t> >, false, false, false>(pytorch_flash::Flash_fwd_params)",
     "flash_fwd hd64 half"},
    {"void at::native::<unnamed>::multi_tensor_apply_kernel<at::native::<unnamed>::"
     "TensorListMetadata<(int)4>, at::native::<unnamed>::FusedAdamMathFunctor<float, (int)4>>(T1)",
     "multi_tensor fused_adam"},
    // Lambdas and unnamed functions are named after the function that contains them.
    {"void at::native::vectorized_elementwise_kernel<4, at::native::tanh_kernel_cuda("
     "at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#2}::operator()() "
     "const::"
     "{lambda(float)#1}, at::detail::Array<char*, 2> >(int)",
     "elementwise tanh<float>"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::"
     "GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::'lambda'()::operator()() "
     "const::'lambda0'()::operator()() const::'lambda'(c10::Half), std::array<char*, 2ul> >(int)",
     "elementwise gelu<half>"},
    {"void at::native::elementwise_kernel<(int)128, (int)2, " GPU_IMPL "at::native::<unnamed>::"
     "masked_fill_kernel(at::TensorIterator &, const c10::Scalar &)" LAMBDA
     "::[lambda(float, bool) (instance 1)]>(at::TensorIteratorBase &, const T1 &)::[lambda(int) "
     "(instance 1)]>(int, T3)",
     "elementwise masked_fill<float>"},
    {"void at::native::elementwise_kernel<(int)128, (int)2, " GPU_IMPL "at::native::BinaryFunctor<"
     "float, float, float, at::native::binary_internal::MulFunctor<float>>>(at::TensorIteratorBase "
     "&"
     ", const T1 &)::[lambda(int) (instance 1)]>(int, T3)",
     "elementwise mul<float>"},
    // other names found in real profiles
    {"ampere_sgemm_128x64_tn", "sgemm 128x64 tn"},
    {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nt", "s884gemm 128x128 nt"},
    {"sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize128x128x32_stage4_"
     "warpsize2x2x1_g1_tensor16x8x16_execute_kernel_trt",
     "xmma_fprop f16 tensor16x8x16 nhwc 128x128x32"},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nt_align1>(T1::Params)",
     "cutlass simt sgemm 128x64x8 nt"},
    {"void "
     "cutlass_cudnn_infer::Kernel<cutlass_tensorop_s1688dgrad_optimized_tf32_128x128_16x4_nhwc_"
     "unity_stride_align4>(cutlass_tensorop_s1688dgrad::Params)",
     "cutlass_dgrad tf32 s1688 128x128x16 nhwc"},
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
     "nccl AllReduce Sum<bf16> RING LL"},
    {"ncclKernel_AllReduce_RING_LL_Sum_double(ncclWorkElem)", "nccl AllReduce Sum<double> RING LL"},
    {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x96x128_MI16x16x1_SN_LDSB1",
     "tensile BBS 128x96x128 tn"},
    {"_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped_conv_fwd_xdl_cshuffle_v3INS_"
     "34G",
     "ck::tensor_operation::device::kernel_grouped_conv_fwd_xdl_cshuffle_v3"},
    {"void fft2d_r2c_32x32<float, (bool)0, (unsigned int)1, (bool)0>(float2 *, const T1 *, int)",
     "fft2d_r2c_32x32<float>"},
    {"five_point_model_calc(double *, double *, int, int, int)", "five_point_model_calc"},
    {"k", "k"},
};

static void test_families(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const char *found = family(families[i].full);
        if (strcmp(found, families[i].family) != 0)
            fail_msg("%s\n  is \"%s\",\n  not \"%s\"", families[i].full, found, families[i].family);
    }
}

// Numbers assigned by the compiler change from run to run; the family must not.
static void test_numbers_dropped(void **state)
{
    (void)state;
    assert_string_equal(family("triton_poi_fused_add_gelu_17"),
                        family("triton_poi_fused_add_gelu_4"));
    assert_int_equal(classified("triton_poi_fused_add_2", NULL).family,
                     classified("triton_poi_fused_add_31", NULL).family);
}

static const struct {
    const char *full;
    enum tristate uses;
} tensor_cores[] = {
    {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", STATE_YES},
    {"volta_h884gemm_64x128_ldg8_nn", STATE_YES},
    {"turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn", STATE_YES},
    {"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_nn", STATE_YES},
    {"void cutlass::Kernel2<cutlass_75_wmma_tensorop_bf16_s161616gemm_bf16_32x32_32x1_nn_align1>()",
     STATE_YES},
    {"sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x32_stage3_tensor16x8x16_execute_"
     "kernel",
     STATE_YES},
    {"sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x128x32_"
     "tensor16x8x8",
     STATE_YES},
    {"nvjet_tst_192x208_64x4_2x1_v_bz_coopB_TNT", STATE_YES},
    {"nvjet_sm100_tst_128x256_64x6_2x1_2cta_v_bz_TNT", STATE_YES},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute",
     STATE_YES},
    {"cutlass3x_sm100_tensorop_s128x128x16gemm_bf16_bf16_f32_bf16_bf16_128x128x64_1x1x1_0_tnn",
     STATE_YES},
    {"void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>>(Flash_fwd_params)",
     STATE_YES},
    {"void flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<128>>(Flash_bwd_params)",
     STATE_NO},
    {"fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::Params)", STATE_YES},
    {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128", STATE_YES},
    {"Cijk_Alik_Bljk_BBS_BH_MT128x96x128_MI16x16x1_SN", STATE_YES},
    {"igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8", STATE_YES},
    {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_stage3_warpsize1x4x1_ffma_aligna4",
     STATE_NO},
    {"ampere_sgemm_128x64_tn", STATE_NO},
    {"volta_scudnn_128x64_relu_interior_nn_v1", STATE_NO},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nt_align1>(T1::Params)", STATE_NO},
    {"void gemv2T_kernel_val<int, int, float>(T1)", STATE_NO},
    {"void splitKreduce_kernel<32, 16, int, float>(cublasSplitKParams<T6>)", STATE_NO},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)",
     STATE_NO},
    {"triton_poi_fused_add_gelu_17", STATE_NO},
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", STATE_NO},
    {"triton_tem_fused_mm_3", STATE_UNKNOWN},
    {"_attn_fwd", STATE_UNKNOWN},
    // Beside products: the words and types of what they work for.
    {"void magma_sgemmEx_kernel<float, float, float, false, true, 6, 3, 4, 5, 2>(int, int, int, "
     "Tensor, int)",
     STATE_NO},
    {"void cublasLt::epilogue::impl::globalKernel<8, 32, float, float, float, true, true, 1>("
     "cublasLt::epilogue::impl::Params)",
     STATE_NO},
    {"void moe::dev::finalize::finalizeKernelVecLoad<moe::dev::finalize::KernelParams<cutlass::"
     "bfloat16_t, cutlass::bfloat16_t, 4, true> >()",
     STATE_NO},
    {"void tensorrt_llm::kernels::quantize_with_block_size<(tensorrt_llm::BlockScale"
     "QuantizationType)2, __nv_bfloat16, 32, true>(int, flashinfer::QuantizationSFLayout)",
     STATE_NO},
    {"void vllm::cvt_fp16_to_fp4<__nv_bfloat16, __nv_fp4_e2m1, false>(int, int)", STATE_NO},
    {"void per_token_group_quant_8bit_kernel<c10::BFloat16, c10::Float8_e4m3fn, true, ue8m0>(int)",
     STATE_NO},
    {"void deep_gemm::transpose_and_pack_fp32_into_ue8m0<512u, 64u>(float*, unsigned int*)",
     STATE_NO},
    {"void cutlass::device_kernel<flash::FlashAttnFwdCombine<cute::tuple<cute::C<8> >, 8, 256> >()",
     STATE_NO},
    {"void ck_tile::kentry<256, 1, ck_tile::FmhaBwdOGradDotOKernel<ck_tile::X> >()", STATE_NO},
    {"void fbgemm_gpu::permute_2D_data_kernel<false, int, int, decltype(nullptr)>(int)", STATE_NO},
    {"void vllm::moe::moe_align_block_size_kernel<int>(int const*)", STATE_NO},
    {"void vllm::paged_attention_v1_kernel<unsigned short, unsigned short, 128, 16>()", STATE_NO},
    {"void flashinfer::BatchDecodeWithPagedKVCacheKernel<(flashinfer::PosEncodingMode)0, 2u>()",
     STATE_NO},
    {"_topk_forward", STATE_NO},
    {"miopenSp3AsmConv_v30_3_1_gfx9_fp32_f2x3_stride1", STATE_NO},
    {"void vllm::act_and_mul_kernel<c10::BFloat16, &vllm::silu_kernel, true>(int)", STATE_NO},
    {"_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_RKS3_EEEEvPS3_PS4_i",
     STATE_NO},
    {"_finalize_matmul_scatter_bf16", STATE_NO},
    // Products by construction.
    {"bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1_16dp256b_rM_TN_"
     "transOut_schedP2x1x2x3_biasM_bN_tma_tmaOpt_clmp_swiGlu_dynBatch_sm100f",
     STATE_YES},
    {"fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext",
     STATE_YES},
    {"attn_fwd", STATE_YES},
    {"bwd_kernel_dk_dv", STATE_YES},
    {"kernel_unified_attention_2d", STATE_YES},
    {"_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1", STATE_YES},
    {"void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits<1> >()",
     STATE_YES},
    {"void ck_tile::kentry<256, 1, ck_tile::FmhaBwdDQDKDVKernel<ck_tile::X> >()", STATE_YES},
    // What only looks like one of these.
    {"bmm_fused", STATE_UNKNOWN},
    {"my_attn_fwd", STATE_UNKNOWN},
    {"fused_moe_kernel_of_mine", STATE_UNKNOWN},
    {"void fbgemm_gpu::gen_ai::attention::(anonymous namespace)::gqa_attn_splitk_wmma_kernel<1>()",
     STATE_YES},
    {"void fbgemm_gpu::jagged_dense_bmm_kernel<int, float>(int)", STATE_UNKNOWN},
    {"miopenSp3AsmConvFury_v2_4_1_gfx11_1536vgprs_fp16_fp16acc_f2x3_c16_stride1", STATE_UNKNOWN},
    {"_quantized_attention_fwd", STATE_UNKNOWN},
    {"quantized_linear_kernel", STATE_UNKNOWN},
    {"moe_gemm_silu_and_mul_kernel", STATE_UNKNOWN},
    {"_matmul_ogs_NNN_fp32xfp32xfp32_64x64x32x1", STATE_UNKNOWN},
    {"gemm_fp32_sm120", STATE_UNKNOWN},
    {"void user::run<flashinfer::BatchPrefillParams>()", STATE_UNKNOWN},
    {"five_point_model_calc(double *, double *, int, int, int)", STATE_UNKNOWN},
};

static void test_tensor_cores(void **state)
{
    (void)state;
    static const char *const names[] = {"no", "yes", "unknown"};
    for (size_t i = 0; i < sizeof tensor_cores / sizeof *tensor_cores; i++) {
        enum tristate found = classified(tensor_cores[i].full, NULL).tensor_core;
        if (found != tensor_cores[i].uses)
            fail_msg("%s: %s, not %s", tensor_cores[i].full, names[found],
                     names[tensor_cores[i].uses]);
    }
}

static void test_dlprof_rule(void **state)
{
    (void)state;
    assert_true(classified("x", "volta_s884gemm_fp16_128x128").dlprof_tensor_core);
    assert_true(classified("x", "sm80_xmma_gemm_f16f16_tensor16x8x16").dlprof_tensor_core);
    assert_false(classified("x", "cutlass_80_simt_xmma_gemm").dlprof_tensor_core);
    assert_false(classified("x", "sm80_xmma_gemm_f32f32_ffma").dlprof_tensor_core);
    // Only the short name decides.
    assert_false(classified("volta_s884gemm_fp16_128x128", "kernel").dlprof_tensor_core);
}

static void test_classes(void **state)
{
    (void)state;
    static const char *const comm[] = {
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)",
        "ncclSymkDevKernel_AllReduce_RSxLD_AGxST(ncclSymkDevWorkArgs)",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData *)",
        "void one_shot_all_reduce_kernel<c10::BFloat16>(c10::BFloat16 **)",
        "void two_shot_all_reduce_kernel<float>(float **)",
        "multimem_all_reduce_kernel",
        "void allreduce_fusion_kernel_oneshot_lamport<0>(AllReduceFusionParams)",
        "userbuffers_fp16_sum_inplace_gpu_rr_rs_oop<4>(int)",
        "nvshmemi_barrier_kernel",
        "void deep_ep::internode::dispatch<false, 8>()",
        "mscclpp::allreduce7",
        "rccl_main_kernel",
    };
    for (size_t i = 0; i < sizeof comm / sizeof *comm; i++) {
        if (classified(comm[i], NULL).class != CLASS_COMM)
            fail_msg("%s is communication", comm[i]);
    }
    assert_int_equal(classified("ampere_sgemm_128x64_tn", NULL).class, CLASS_COMPUTE);
    assert_int_equal(classified("void at::native::reduce_kernel<512, 1>()", NULL).class,
                     CLASS_COMPUTE);
}

static void test_hostile_names(void **state)
{
    (void)state;
    static const char *const names[] = {"",
                                        " ",
                                        "<",
                                        ">>>",
                                        "((((",
                                        "void ",
                                        "_Z",
                                        "_ZN99999999999k",
                                        "triton_",
                                        "[lambda(",
                                        "'lambda'(",
                                        "(int)",
                                        "(int)-",
                                        ")#",
                                        ") (instance 1",
                                        "\x1b[2J",
                                        "\xff\xfe",
                                        "nvjet_"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(strlen(family(names[i])) > 0);
    char *longest = malloc(300001);
    memset(longest, '<', 300000);
    longest[300000] = '\0';
    assert_true(strlen(family(longest)) > 0);
    for (size_t i = 0; i < 300000; i += 2)
        longest[i] = 'a';
    assert_true(strlen(family(longest)) > 0);
    free(longest);
    struct random random = {11};
    static const char pieces[] = "<>(),:_ {}[]#'0123456789abelmnrtvxABFT";
    for (int round = random_rounds(3000); round > 0; round--) {
        char name[200];
        size_t length = random_below(&random, sizeof name - 1);
        for (size_t i = 0; i < length; i++)
            name[i] = pieces[random_below(&random, sizeof pieces - 1)];
        name[length] = '\0';
        assert_true(strlen(family(name)) > 0);
    }
}

static void test_clean(void **state)
{
    (void)state;
    static const struct name_replacement table[] = {{"at::native::", "", 12, 0},
                                                    {"Half", "half", 4, 4}};
    char out[KERNEL_NAME_SIZE];
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"f<(int)128, (unsigned int)4, (bool)1, -3, (int)-7>", "f<128, 4, 1, -3, -7>"},
        {"f<1024u, 3ul, 16x8u>", "f<1024, 3, 16x8u>"},
        {"at::native::g<Half, HalfFunctor> >(int *)", "g<half, HalfFunctor>>(int*)"},
        {"g(int)::[lambda(float, bool) (instance 12)]", "g(int)::{lambda(float, bool)}"},
        {"g(int)::{lambda(float)#1}", "g(int)::{lambda(float)}"},
        {"g(int)::'lambda0'(float)::operator()()", "g(int)::{lambda(float)}::operator()()"},
        {"g(int, (anonymous namespace)::x)", "g(int, (anonymous namespace)::x)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kernel_name_clean(table, 2, cases[i].from, strlen(cases[i].from), out, sizeof out);
        assert_string_equal(out, cases[i].to);
    }
    assert_int_equal(kernel_name_clean(table, 2, "abcdef", 6, out, 4), 3);
    assert_string_equal(out, "abc");
    kernel_name_snake("FusedAdam<float> ArgMax NLLLoss 128x64", out, sizeof out);
    assert_string_equal(out, "fused_adam<float> arg_max nll_loss 128x64");
}

static void test_all_at_once(void **state)
{
    (void)state;
    enum { COUNT = 9001 };
    struct function *functions = ARENA_ARRAY(arena, struct function, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[64];
        snprintf(name, sizeof name, "triton_poi_fused_add_mul_%u", i);
        functions[i].kind = i % 10 == 3 ? WORK_MEMCPY : WORK_KERNEL;
        functions[i].full = strings_intern_text(strings, name);
    }
    struct profile profile = {
        .arena = arena, .strings = strings, .functions = functions, .function_count = COUNT};
    rules_classify_all(rules, &profile);
    string_id expected = strings_find(strings, "triton_poi add mul");
    assert_int_not_equal(expected, STRING_NONE);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(functions[i].family, i % 10 == 3 ? STRING_NONE : expected);
    profile.function_count = 0;
    rules_classify_all(rules, &profile);
}

static void test_ops(void **state)
{
    (void)state;
    static const char *const eligible[] = {"Conv+Relu",
                                           "Add+conv",
                                           "conv2d",
                                           "linear",
                                           "matmul",
                                           "aten::mm",
                                           "addmm",
                                           "aten::scaled_dot_product_attention",
                                           "LSTM",
                                           "aten::_scaled_dot_product_flash_attention",
                                           "AddmmBackward0",
                                           "einsum",
                                           "aten::convolution"};
    static const char *const others[] = {"relu",       "cuda",        "flatten",
                                         "max_pool2d", "randn",       "",
                                         "uniform_",   "backward",    "unassociated_cudaFree",
                                         "aten::add",  "aten::copy_", "Add+Relu",
                                         "+",          "Relu+"};
    for (size_t i = 0; i < sizeof eligible / sizeof *eligible; i++)
        assert_int_equal(rules_op_eligible(rules, eligible[i]), STATE_YES);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(rules_op_eligible(rules, others[i]), STATE_NO);
    assert_int_equal(rules_op_eligible(rules, "CompiledFunction"), STATE_UNKNOWN);
    assert_int_equal(rules_op_eligible(rules, "Relu+Myelin+Relu"), STATE_UNKNOWN);
}

static void test_thresholds(void **state)
{
    (void)state;
    assert_true(rules_threshold(rules, "dataloader.share", 7) == 0.1);
    assert_true(rules_threshold(rules, "no.such", 7) == 7);
}

// ---- rule files of a user ---------------------------------------------------------------------

static char folder[] = "/tmp/dlprof-rules-XXXXXX";

static int open_folder(void **state)
{
    strcpy(folder, "/tmp/dlprof-rules-XXXXXX");
    return mkdtemp(folder) ? open_rules(state) : -1;
}

// Removes what the test wrote.
static int close_folder(void **state)
{
    close_rules(state);
    return rmdir(folder);
}

static void write_user_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file_write(path, text);
}

static void remove_user_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static void refused(const char *name, const char *text, const char *says)
{
    write_user_file(name, text);
    struct error why = {0};
    struct rules *wrong = NULL;
    assert_false(rules_load(&wrong, arena, folder, &why));
    rules_free(wrong);
    if (!strstr(why.message, says))
        fail_msg("\"%s\" does not say \"%s\"", why.message, says);
    remove_user_file(name);
}

static void test_user_files(void **state)
{
    (void)state;
    refused("kernels.yaml", "families:\n  - match: 'gemm['\n    name: x\n", "kernels.yaml:2:12:");
    refused("kernels.yaml", "families:\n  - match: gemm\n    nmae: x\n", "kernels.yaml:3:5:");
    refused("kernels.yaml", "families:\n  - match: gemm\n", "needs");
    refused("kernels.yaml", "classes:\n  - {match: gemm, class: big}\n", "kernels.yaml:2:26:");
    refused("kernels.yaml", "famlies: []\n", "kernels.yaml:1:1:");
    refused("kernels.yaml", "families: 3\n", "kernels.yaml:1:11:");
    refused("kernels.yaml", "replace: {'': x}\n", "empty");
    refused("ops.yaml", "eligible: [mm, [x]]\n", "ops.yaml:1:16:");
    refused("ops.yaml", "eligibel: [mm]\n", "ops.yaml:1:1:");
    refused("expert.yaml", "dataloader: {shear: 1}\n", "dataloader.shear");
    refused("expert.yaml", "dataloader: {share: much}\n", "expert.yaml:1:21:");
    // Nodes of a kind other than expected.
    static const struct {
        const char *name, *text, *says;
    } kinds[] = {
        {"kernels.yaml", "- gemm\n", "kernels.yaml:1:1: a mapping"},
        {"kernels.yaml", "families: [gemm]\n", "kernels.yaml:1:12: a rule with \"match\""},
        {"kernels.yaml", "families: [{match: [x], name: y}]\n", "kernels.yaml:1:20: a text"},
        {"kernels.yaml", "replace: [at]\n", "kernels.yaml:1:10: texts and what replaces"},
        {"kernels.yaml", "dlprof_tensor_core: [x]\n", "kernels.yaml:1:21: the lists"},
        {"kernels.yaml", "dlprof_tensor_core: {'yes': x}\n", "kernels.yaml:1:29: a list"},
        {"kernels.yaml", "dlprof_tensor_core: {'no': [x, '']}\n", "kernels.yaml:1:32: an empty"},
        {"ops.yaml", "[mm]\n", "ops.yaml:1:1: a mapping"},
        {"ops.yaml", "eligible: mm\n", "ops.yaml:1:11: a list"},
        {"expert.yaml", "[x]\n", "expert.yaml:1:1: thresholds"},
        {"frames.yaml", "[x]\n", "frames.yaml:1:1: a mapping"},
        {"frames.yaml", "frames: [x]\n", "frames.yaml:1:10: a rule with \"is\""},
        {"frames.yaml", "frames: [{is: library, match: [x]}]\n", "frames.yaml:1:31: a pattern"},
        {"gpus.yaml", "[x]\n", "gpus.yaml:1:1: a mapping"},
        {"gpus.yaml", "gpus: [x]\n", "gpus.yaml:1:8: a GPU"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        refused(kinds[i].name, kinds[i].text, kinds[i].says);

    write_user_file("expert.yaml", "dataloader: {share: 0.5}\n");
    write_user_file("kernels.yaml", "families:\n  - {match: '^ampere_(.*)$', name: 'mine $1'}\n");
    struct rules *user_rules = NULL;
    assert_true(rules_load(&user_rules, arena, folder, &error));
    assert_true(rules_threshold(user_rules, "dataloader.share", 7) == 0.5);
    assert_true(rules_threshold(user_rules, "slow_api.share", 7) == 0.01);
    struct function function = {.full = strings_intern_text(strings, "ampere_sgemm_128x64_tn")};
    classify(user_rules, &function);
    assert_string_equal(strings_text(strings, function.family), "mine sgemm_128x64_tn");
    // Names that match no rule are folded.
    function.full = strings_intern_text(strings, "void a::b<c<d>>(int)");
    classify(user_rules, &function);
    assert_true(strlen(strings_text(strings, function.family)) > 0);
    rules_free(user_rules);
    remove_user_file("expert.yaml");
    remove_user_file("kernels.yaml");
}

// Peaks of cards without figures in a row: multiprocessors x clock x operations per clock. They
// agree with NVIDIA's published figures up to rounding.
static void test_peaks_by_clock(void)
{
    static const struct {
        const char *name;
        int64_t sms, mhz;
        int8_t major, minor;
        double fp32, fp16; // 0: unknown
    } cards[] = {{"NVIDIA GeForce RTX 2080", 46, 1710, 7, 5, 10.1, 40.3},
                 {"Quadro RTX 8000", 72, 1770, 7, 5, 16.3, 130.5},
                 {"NVIDIA T1000", 14, 1395, 7, 5, 2.5, 0},
                 {"Tesla V100S-PCIE-32GB", 80, 1597, 7, 0, 16.4, 130.8},
                 {"Tesla V100-SXM3-32GB", 80, 1597, 7, 0, 16.4, 130.8},
                 {"NVIDIA A100X", 108, 1440, 8, 0, 19.9, 318.5},
                 {"NVIDIA H100 96GB HBM3", 132, 1980, 9, 0, 66.9, 0},
                 {"NVIDIA RTX A5000", 64, 1695, 8, 6, 27.8, 111.1},
                 {"NVIDIA GeForce RTX 3090 Ti", 84, 1860, 8, 6, 40, 80},
                 {"NVIDIA GeForce RTX 4090 D", 114, 2520, 8, 9, 73.5, 147.1},
                 {"NVIDIA L20", 92, 2520, 8, 9, 59.3, 0},
                 {"A card of tomorrow", 100, 2000, 42, 0, 0, 0},
                 {"NVIDIA GeForce RTX 2080", UNKNOWN, 1710, 7, 5, 0, 0},
                 {"NVIDIA GeForce RTX 2080", 46, UNKNOWN, 7, 5, 0, 0},
                 {"NVIDIA GeForce RTX 3090", 82, 9999, 8, 6, 35.6, 71}}; // its row by name
    struct profile profile = {.arena = arena_new(0), .device_count = 1};
    profile.strings = strings_new(profile.arena);
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        struct device device = {.name = strings_intern_text(profile.strings, cards[i].name),
                                .sm_count = cards[i].sms,
                                .clock_hz =
                                    cards[i].mhz == UNKNOWN ? UNKNOWN : cards[i].mhz * 1000000,
                                .compute_major = cards[i].major,
                                .compute_minor = cards[i].minor};
        profile.devices = &device;
        struct gpu_peaks peaks = rules_peaks(rules, &profile, 0);
        if (fabs(peaks.fp32 - cards[i].fp32) > 0.01 * cards[i].fp32 ||
            fabs(peaks.fp16 - cards[i].fp16) > 0.01 * cards[i].fp16)
            fail_msg("%s: %g, %g", cards[i].name, peaks.fp32, peaks.fp16);
    }
    arena_free(profile.arena);
}

// Peaks of cards by the names that captures hold.
static void test_gpus(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double sms, fp16;
    } cards[] = {{"NVIDIA H100 80GB HBM3", 132, 989.4},
                 {"NVIDIA H100 PCIe", 114, 756},
                 {"NVIDIA H100 NVL", 132, 835.5},
                 {"NVIDIA A100-SXM4-80GB", 108, 312},
                 {"Tesla V100-SXM2-16GB", 80, 125},
                 {"NVIDIA L4", 58, 121},
                 {"AMD Instinct MI300X", 304, 1307.4},
                 {"AMD Instinct MI250X / MI250", 110, 191.5},
                 {"NVIDIA L40S", 142, 362}};
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        const struct gpu_peaks *gpu = rules_gpu(rules, cards[i].name);
        assert_non_null(gpu);
        assert_true(gpu->sms == cards[i].sms && gpu->fp16 == cards[i].fp16);
    }
    // Tensor Cores have other peaks of FP64, and peaks of INT8 and FP4. Figures missing from the
    // data sheets are 0.
    static const struct {
        const char *name;
        double fp64, fp64_tc, int8, fp4;
    } peaks[] = {{"NVIDIA A100-SXM4-80GB", 9.7, 19.5, 624, 0},
                 {"NVIDIA B200", 37, 37, 4500, 9000},
                 {"NVIDIA GB200", 0, 0, 5000, 10000},
                 {"NVIDIA GH200 480GB", 34, 67, 1979, 0},
                 {"NVIDIA H800 PCIe", 0.8, 0.8, 1513, 0},
                 {"NVIDIA H20", 1, 0, 296, 0},
                 {"NVIDIA H20-3e", 0, 0, 0, 0},
                 {"NVIDIA L40", 0, 0, 362, 0},
                 {"NVIDIA A10", 0, 0, 250, 0},
                 {"NVIDIA RTX 6000 Ada Generation", 0, 0, 0, 0},
                 {"NVIDIA GeForce RTX 5090", 1.64, 0, 838, 1676},
                 {"NVIDIA GeForce RTX 5090 D", 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++) {
        const struct gpu_peaks *gpu = rules_gpu(rules, peaks[i].name);
        assert_non_null(gpu);
        assert_true(gpu->fp64 == peaks[i].fp64 && gpu->fp64_tc == peaks[i].fp64_tc);
        assert_true(gpu->int8 == peaks[i].int8 && gpu->fp4 == peaks[i].fp4);
    }
    assert_null(rules_gpu(rules, "NVIDIA GeForce GTX 980"));
    assert_null(rules_gpu(rules, ""));
    // A name that only begins or ends like a known one is another card.
    assert_null(rules_gpu(rules, "NVIDIA L400"));
    assert_null(rules_gpu(rules, "NVIDIA GB3000"));
    assert_null(rules_gpu(rules, "NVIDIA RTX A40000"));
    assert_null(rules_gpu(rules, "Tesla V100S-PCIE-32GB"));
    assert_true(rules_gpu(rules, "NVIDIA H200 NVL")->fp16 == 835.5);
    assert_true(rules_gpu(rules, "NVIDIA GeForce RTX 3090 Ti")->fp32 == 0);
    test_peaks_by_clock();
    refused("gpus.yaml", "gpus:\n  - {sms: 3}\n", "gpus.yaml:2:5:");
    refused("gpus.yaml", "gpus:\n  - {name: X, smps: 3}\n", "gpus.yaml:2:15:");
    refused("gpus.yaml", "gpus:\n  - {name: X, sms: -3}\n", "above zero");
    refused("gpus.yaml", "gpus: 3\n", "a list");
    refused("gpus.yaml", "cards: []\n", "gpus.yaml:1:1:");
    refused("gpus.yaml", "multiprocessors: [3]\n", "a multiprocessor with");
    refused("gpus.yaml", "multiprocessors: 3\n", "a list");
    refused("gpus.yaml", "multiprocessors: [{fp32: 3}]\n", "needs a capability");
    refused("gpus.yaml", "multiprocessors: [{capability: 800}]\n", "as 8.6");
    refused("gpus.yaml", "multiprocessors: [{capability: 8.6, sms: 3}]\n", "gpus.yaml:1:37:");
    refused("gpus.yaml", "multiprocessors: [{capability: 8.6, name: [x]}]\n", "a text");
}

// Frames of call chains in the formats that profilers write.
static bool is_library(const char *symbol, const char *module)
{
    struct frame_marks marks[2];
    rules_mark_frame(rules, symbol, true, &marks[0]);
    rules_mark_frame(rules, module, false, &marks[1]);
    return rules_is_library(rules, &marks[0], &marks[1]);
}

static void test_frames(void **state)
{
    (void)state;
    static const struct {
        const char *symbol, *module;
        bool is_library;
    } frames[] = {
        {"[Unknown]", "", true},
        {"cudaLaunchKernel", "/usr/local/cuda/lib64/libcudart.so.12", true},
        {"cuLaunchKernel", "libcuda.so.1", true},
        {"at::native::add(at::Tensor&)", "/v/site-packages/torch/lib/libtorch_cuda.so", true},
        {"forward", "/home/me/venv/lib/python3.11/site-packages/mine/model.py:3", true},
        {"_run_code", "<frozen runpy>:88", true},
        {"run", "/usr/lib/python3.12/threading.py:982", true},
        {"_PyEval_EvalFrameDefault", "/usr/bin/python3.12", true},
        {"PyObject_Call", "/usr/lib/libpython3.11.so.1.0", true},
        {"__libc_start_main", "/usr/lib/x86_64-linux-gnu/libc.so.6", true},
        {"call", "/tmp/torchinductor_me/ab/cab.py:77", true},
        {"forward", "/home/me/torch/model.py:3", false},
        {"train.py:88 train_step", "/usr/bin/python3.12", false},
        {"<module>", "/app/train.py:240", false},
        {"main", "/app/server", false},
        {"run", "/app/libconvolution.so", false},
    };
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
        if (is_library(frames[i].symbol, frames[i].module) != frames[i].is_library)
            fail_msg("%s of %s", frames[i].symbol, frames[i].module);
    refused("frames.yaml", "frames: 3\n", "a list");
    refused("frames.yaml", "frmes: []\n", "frames.yaml:1:1:");
    refused("frames.yaml", "frames:\n  - {module: x, is: mine}\n", "library or program");
    refused("frames.yaml", "frames:\n  - {module: x}\n", "library or program");
    refused("frames.yaml", "frames:\n  - {is: library}\n", "\"module\"");
    refused("frames.yaml", "frames:\n  - {is: library, module: x, name: y}\n", "frames.yaml:2:30:");
    refused("frames.yaml", "frames:\n  - {is: library, module: 'x['}\n", "frames.yaml:2:27:");
}

// Sections without a threshold are refused too, and errors give the place of the key.
static void test_unknown_thresholds(void **state)
{
    (void)state;
    refused("expert.yaml", "dataloader:\n  share: 0.5\nnonsense: {}\n", "expert.yaml:3:1:");
    refused("expert.yaml", "dataloader:\n  shear: 0.5\n", "expert.yaml:2:3:");
    refused("expert.yaml", "dataloader: 3\n", "expert.yaml:1:1:");
    refused("expert.yaml", "dataloader:\n  share: -0.1\n", "expert.yaml:2:10:");
    refused("expert.yaml", "dataloader: {share: -1}\n", "0 or more, not -1");
}

// Rules are applied as a whole or not at all. rules_use() reports whether kernel or op names
// change.
static void test_in_use(void **state)
{
    (void)state;
    bool renames = true;
    const struct rules *builtin = rules_get();
    assert_non_null(builtin);
    write_user_file("expert.yaml", "dataloader: {share: 0.5}\n");
    assert_true(rules_use(folder, &renames, &error));
    assert_false(renames);
    assert_true(rules_threshold(rules_get(), "dataloader.share", 7) == 0.5);
    write_user_file("expert.yaml", "dataloader: {share: 0.5, no: 1}\n");
    assert_false(rules_use(folder, &renames, &error));
    assert_true(rules_threshold(rules_get(), "dataloader.share", 7) == 0.5);
    remove_user_file("expert.yaml");
    write_user_file("ops.yaml", "eligible: [mm]\n");
    assert_true(rules_use(folder, &renames, &error));
    assert_true(renames);
    assert_int_equal(rules_op_eligible(rules_get(), "linear"), STATE_NO);
    assert_true(rules_use(folder, &renames, &error));
    assert_false(renames);
    remove_user_file("ops.yaml");
    rules_use_builtin();
    assert_ptr_equal(rules_get(), builtin);
}

// After a failed allocation while reading the built-in rules, they can be read later.
static void test_builtin_out_of_memory(void **state)
{
    (void)state;
    bool is_ready = false;
    int failed = 0;
    for (uint64_t n = 1; !is_ready; n += n / 4 + 1, failed++) {
        error = (struct error){0};
        arena_fail_at(n);
        is_ready = rules_ready(&error);
        arena_fail_at(0);
        assert_int_equal(error.kind, is_ready ? ERROR_NONE : ERROR_MEMORY);
    }
    assert_in_range(failed, 5, 1000);
    assert_non_null(rules_get());
}

static bool use_fails_at(uint64_t allocation)
{
    bool renames = false;
    arena_fail_at(allocation);
    bool done = rules_use(NULL, &renames, &error);
    arena_fail_at(0);
    return !done;
}

// A failed allocation frees the patterns compiled so far; the sanitizers detect leaks.
static void test_out_of_memory(void **state)
{
    (void)state;
    uint64_t last = 1 << 20, first_done = last + 1;
    for (uint64_t low = 0; first_done - low > 1;) {
        uint64_t middle = low + (first_done - low) / 2;
        if (use_fails_at(middle))
            low = last = middle;
        else
            first_done = middle;
    }
    assert_in_range(last, 10, 1 << 20);
    for (uint64_t n = last - 9; n <= last; n++) {
        assert_true(use_fails_at(n));
        assert_int_equal(error.kind, ERROR_MEMORY);
    }
    rules_use_builtin();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin_out_of_memory), // must run first: the rules are read once
        cmocka_unit_test_setup_teardown(test_families, open_rules, close_rules),
        cmocka_unit_test_setup_teardown(test_numbers_dropped, open_rules, close_rules),
        cmocka_unit_test_setup_teardown(test_tensor_cores, open_rules, close_rules),
        cmocka_unit_test_setup_teardown(test_dlprof_rule, open_rules, close_rules),
        cmocka_unit_test_setup_teardown(test_classes, open_rules, close_rules),
        cmocka_unit_test_setup_teardown(test_hostile_names, open_rules, close_rules),
        cmocka_unit_test_setup_teardown(test_clean, open_rules, close_rules),
        cmocka_unit_test_setup_teardown(test_all_at_once, open_rules, close_rules),
        cmocka_unit_test_setup_teardown(test_ops, open_rules, close_rules),
        cmocka_unit_test_setup_teardown(test_thresholds, open_rules, close_rules),
        cmocka_unit_test_setup_teardown(test_user_files, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_gpus, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_frames, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_unknown_thresholds, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_in_use, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_out_of_memory, open_rules, close_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
