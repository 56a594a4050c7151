// SPDX-License-Identifier: Apache-2.0
//
// The catalogue of kernels. Names are as nsys prints them; a macro for each family of names fills
// in what its kernels have in common.
#include "kernels.h"

#define NVJET(tile, layout)                                                     \
    .short_name = "nvjet_tst_" tile "_" layout, .registers = 168, .block = 384, \
    .dynamic_smem = 229376, .kind = CLASS_TENSOR, .api = LAUNCH_DRIVER_EX, .cluster = 2

#define XMMA_F32(layout)                                                                          \
    .short_name =                                                                                 \
        "sm80_xmma_gemm_f32f32_f32f32_f32_" layout                                                \
        "_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas", \
    .registers = 238, .block = 256, .dynamic_smem = 100352

#define TRITON(name, threads) \
    .short_name = "triton_" name, .registers = 40, .block = threads, .api = LAUNCH_DRIVER

#define FUNCTOR_ARRAY "std::array<char*, 3ul>"
#define VECTORIZED(functor)                                                                      \
    .short_name = "vectorized_elementwise_kernel",                                               \
    .full_name = "void at::native::vectorized_elementwise_kernel<4, " functor ", " FUNCTOR_ARRAY \
                 ">(int, " functor ", " FUNCTOR_ARRAY ")",                                       \
    .registers = 32, .block = 128

#define BINARY(type, name)                                                                       \
    "at::native::BinaryFunctor<" type ", " type ", " type ", at::native::binary_internal::" name \
    "<" type "> >"

// A lambda in a launcher function, as the demangler prints it.
#define LAMBDA(function, inner)                                                     \
    "at::native::" function                                                         \
    "(at::TensorIteratorBase&)::{lambda()#1}::operator()() const::{lambda()#" inner \
    "}::operator()() const::{lambda(float)#1}"

#define FOREACH(depth, functor)                                                       \
    .short_name = "multi_tensor_apply_kernel",                                        \
    .full_name = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<" \
                 "at::native::(anonymous namespace)::TensorListMetadata<" depth ">, " \
                 "at::native::(anonymous namespace)::" functor ">("                   \
                 "at::native::(anonymous namespace)::TensorListMetadata<" depth ">, " \
                 "at::native::(anonymous namespace)::" functor ")",                   \
    .registers = 48, .block = 512

#define REDUCE(out, ops)                                                                       \
    .short_name = "reduce_kernel",                                                             \
    .full_name = "void at::native::reduce_kernel<" out ", 1, at::native::ReduceOp<float, " ops \
                 ", unsigned int, float, 4> >(at::native::ReduceOp<float, " ops                \
                 ", unsigned int, float, 4>)",                                                 \
    .registers = 32, .block = 512, .static_smem = 16

#define BF16 "cutlass::bfloat16_t"
#define FLASH_TRAITS(direction, tail)                             \
    "pytorch_flash::Flash_" direction "_kernel_traits<128, " tail \
    ", pytorch_flash::Flash_kernel_traits<128, " tail " > >"

#define XMMA_TF32(layout)                                                                  \
    .short_name =                                                                          \
        "sm80_xmma_gemm_f32f32_tf32f32_f32_" layout                                        \
        "_tilesize128x128x16_stage4_warpsize2x2x1_tensor16x8x8_execute_kernel__5x_cublas", \
    .registers = 234, .block = 128, .dynamic_smem = 81920, .kind = CLASS_TENSOR

#define CUTLASS(name)                                                                          \
    .short_name = "Kernel2", .full_name = "void cutlass::Kernel2<" name ">(" name "::Params)", \
    .registers = 166, .block = 128, .dynamic_smem = 49152, .kind = CLASS_TENSOR

static const KernelSpec specs[K_COUNT] = {
    [K_GEMM_TNT_192] = {NVJET("192x208_64x4_2x1_v_bz_coopB", "TNT")},
    [K_GEMM_NTN_192] = {NVJET("192x208_64x4_2x1_v_bz_coopB", "NTN")},
    [K_GEMM_TNN_256] = {NVJET("256x128_64x4_1x2_h_bz_coopA", "TNN")},
    [K_GEMM_TNN_128] = {NVJET("128x160_64x5_2x1_v_bz", "TNN")},
    [K_GEMM_TNT_128] = {NVJET("128x160_64x5_2x1_v_bz", "TNT")},
    [K_GEMM_BF16_HEAD] = {NVJET("128x256_64x4_2x1_v_bz_coopA", "TNT")},
    [K_F32_TN] = {XMMA_F32("tn_n")},
    [K_F32_NN] = {XMMA_F32("nn_n")},
    [K_F32_NT] = {XMMA_F32("nt_n")},
    [K_FLASH_FWD] =
        {.short_name = "flash_fwd_kernel",
         .full_name = "void pytorch_flash::flash_fwd_kernel<" FLASH_TRAITS(
             "fwd",
             "128, 64, 4, false, false, " BF16) ", false, true, false, false, true, true, "
                                                "false, false>(pytorch_flash::Flash_fwd_params)",
         .registers = 255,
         .block = 128,
         .dynamic_smem = 65536,
         .kind = CLASS_TENSOR},
    [K_FLASH_BWD] =
        {.short_name = "flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel",
         .full_name =
             "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<" FLASH_TRAITS(
                 "bwd",
                 "64, 128, 8, 2, 4, 2, false, false, " BF16) ", false, true, false, false, true, "
                                                             "true, "
                                                             "false>(pytorch_flash::Flash_bwd_"
                                                             "params)",
         .registers = 255,
         .block = 256,
         .dynamic_smem = 147456,
         .kind = CLASS_TENSOR},
    [K_FLASH_DOT] =
        {.short_name = "flash_bwd_dot_do_o_kernel",
         .full_name = "void pytorch_flash::flash_bwd_dot_do_o_kernel<true, " FLASH_TRAITS(
             "bwd",
             "64, 128, 8, 2, 4, 2, false, false, " BF16) ">(pytorch_flash::Flash_bwd_params)",
         .registers = 48,
         .block = 256},
    [K_FLASH_CONVERT] =
        {.short_name = "flash_bwd_convert_dq_kernel",
         .full_name = "void pytorch_flash::flash_bwd_convert_dq_kernel<" FLASH_TRAITS(
             "bwd",
             "64, 128, 8, 2, 4, 2, false, false, " BF16) ">(pytorch_flash::Flash_bwd_params, int)",
         .registers = 64,
         .block = 256,
         .dynamic_smem = 16384},
    [K_NORM_FWD] = {TRITON("per_fused_native_layer_norm_0", 256)},
    [K_NORM_BWD] = {TRITON("red_fused_native_layer_norm_backward_1", 512)},
    [K_NORM_BWD_WEIGHT] = {TRITON("per_fused_native_layer_norm_backward_sum_2", 256)},
    [K_GELU_FWD] = {TRITON("poi_fused_gelu_3", 256)},
    [K_GELU_BWD] = {TRITON("poi_fused_gelu_backward_4", 256)},
    [K_LOSS_FWD] = {TRITON("red_fused__log_softmax_nll_loss_forward_5", 512)},
    [K_LOSS_BWD] = {TRITON("red_fused__log_softmax_backward_data_nll_loss_backward_6", 512)},
    [K_EMBED_FWD] =
        {.short_name = "indexSelectLargeIndex",
         .full_name =
             "void at::native::(anonymous namespace)::indexSelectLargeIndex<float, long, "
             "unsigned int, 2, 2, -2, true>(at::cuda::detail::TensorInfo<float, unsigned int>, "
             "at::cuda::detail::TensorInfo<float const, unsigned int>, "
             "at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, unsigned int, "
             "unsigned int, long)",
         .registers = 30,
         .block = 128},
    [K_EMBED_BWD] = {.short_name = "compute_grad_weight",
                     .full_name =
                         "void at::native::(anonymous namespace)::compute_grad_weight<float, long>("
                         "long const*, float const*, long const*, long, long, long const*, "
                         "at::AccumulateType<float, true>*, long, long, long)",
                     .registers = 36,
                     .block = 512},
    [K_ADD] = {VECTORIZED("at::native::CUDAFunctor_add<float>")},
    [K_ADD_BF16] = {VECTORIZED("at::native::CUDAFunctor_add<c10::BFloat16>")},
    [K_MUL] = {VECTORIZED(BINARY("float", "MulFunctor"))},
    [K_MUL_BF16] = {VECTORIZED(BINARY("c10::BFloat16", "MulFunctor"))},
    [K_NEG_BF16] = {VECTORIZED(LAMBDA("neg_kernel_cuda", "9"))},
    [K_ADDCMUL] = {VECTORIZED(LAMBDA("addcmul_cuda_kernel", "2"))},
    [K_ADDCDIV] = {VECTORIZED(LAMBDA("addcdiv_cuda_kernel", "2"))},
    [K_SQRT] = {VECTORIZED(LAMBDA("sqrt_kernel_cuda", "2"))},
    [K_FILL] = {VECTORIZED("at::native::FillFunctor<float>")},
    [K_CAST_TO_BF16] = {VECTORIZED(LAMBDA("bfloat16_copy_kernel_cuda", "1"))},
    [K_CAST_TO_FLOAT] = {.short_name = "unrolled_elementwise_kernel",
                         .full_name = "void at::native::unrolled_elementwise_kernel<" LAMBDA(
                             "direct_copy_kernel_cuda",
                             "7") ", std::array<char*, 2ul>, 4, "
                                  "TrivialOffsetCalculator<1, unsigned int>, "
                                  "TrivialOffsetCalculator<1, unsigned int>, "
                                  "at::native::memory::LoadWithCast<1>, "
                                  "at::native::memory::StoreWithCast<1> >(int, " LAMBDA(
                                      "direct_copy_kernel_cuda",
                                      "7") ", std::array<char*, 2ul>, "
                                           "TrivialOffsetCalculator<1, unsigned int>, "
                                           "TrivialOffsetCalculator<1, unsigned int>, "
                                           "at::native::memory::LoadWithCast<1>, "
                                           "at::native::memory::StoreWithCast<1>)",
                         .registers = 32,
                         .block = 128},
    [K_COPY_STRIDED] =
        {.short_name = "elementwise_kernel",
         .full_name =
             "void at::native::elementwise_kernel<128, 4, "
             "at::native::gpu_kernel_impl_nocast<" LAMBDA(
                 "direct_copy_kernel_cuda",
                 "3") ">(at::TensorIteratorBase&, " LAMBDA("direct_copy_kernel_cuda",
                                                           "3") " const&)::{lambda(int)#1}>(int, "
                                                                "at::native::gpu_kernel_impl_"
                                                                "nocast<" LAMBDA(
                                                                    "direct_copy_kernel_cuda",
                                                                    "3") ">(at::TensorIteratorBase&"
                                                                         ", " LAMBDA("direct_copy_"
                                                                                     "kernel_cuda",
                                                                                     "3") " const&)"
                                                                                          "::{"
                                                                                          "lambda("
                                                                                          "int)#1}"
                                                                                          ")",
         .registers = 26,
         .block = 128},
    [K_CAT] =
        {.short_name = "CatArrayBatchedCopy_vectorized",
         .full_name =
             "void at::native::(anonymous namespace)::CatArrayBatchedCopy_vectorized<"
             "at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 4, 64, 64, 16, 8>"
             "(char*, at::native::(anonymous namespace)::CatArrInputTensorMetadata<"
             "at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 64, 64>, "
             "at::native::(anonymous namespace)::TensorSizeStride<unsigned int, 4u>, int, "
             "unsigned int)",
         .registers = 40,
         .block = 128},
    [K_REDUCE_SUM] = {REDUCE("512", "at::native::func_wrapper_t<float, "
                                    "at::native::sum_functor<float, float, float>::operator()("
                                    "at::TensorIterator&)::{lambda(float, float)#1}>")},
    [K_REDUCE_NORM] = {REDUCE("512", "at::native::NormTwoOps<float, float, float>")},
    [K_ADAM_FUSED] = {FOREACH("4",
                              "FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>")},
    [K_LERP_FOREACH] = {FOREACH("2", "BinaryOpListAlphaFunctor<float, 2, 2, 0>")},
    [K_ALLREDUCE] =
        {.short_name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
         .full_name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
         .registers = 96,
         .block = 640,
         .dynamic_smem = 82240,
         .kind = CLASS_COMM,
         .api = LAUNCH_RUNTIME_EX},
    [K_SEND_RECV] = {.short_name = "ncclDevKernel_SendRecv",
                     .full_name = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
                     .registers = 96,
                     .block = 640,
                     .dynamic_smem = 82240,
                     .kind = CLASS_COMM,
                     .api = LAUNCH_RUNTIME_EX},
    [K_OLD_GEMM_TN] = {.short_name = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn",
                       .registers = 122,
                       .block = 128,
                       .dynamic_smem = 81920,
                       .kind = CLASS_TENSOR},
    [K_OLD_GEMM_NN] = {.short_name = "ampere_fp16_s16816gemm_fp16_256x64_ldg8_f2f_stages_64x3_nn",
                       .registers = 154,
                       .block = 128,
                       .dynamic_smem = 122880,
                       .kind = CLASS_TENSOR},
    [K_OLD_GEMM_NT] =
        {.short_name = "Kernel",
         .full_name =
             "void cutlass::Kernel<cutlass_80_tensorop_f16_s16816gemm_f16_128x128_32x5_nt_align8>"
             "(cutlass_80_tensorop_f16_s16816gemm_f16_128x128_32x5_nt_align8::Params)",
         .registers = 128,
         .block = 128,
         .dynamic_smem = 81920,
         .kind = CLASS_TENSOR},
    [K_OLD_NORM_FWD] =
        {.short_name = "vectorized_layer_norm_kernel",
         .full_name =
             "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>"
             "(int, float, float const*, float const*, float const*, float*, float*, float*)",
         .registers = 32,
         .block = 128,
         .static_smem = 24},
    [K_OLD_NORM_BWD] =
        {.short_name = "layer_norm_grad_input_kernel",
         .full_name =
             "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel<float, float>"
             "(float const*, float const*, float const*, float const*, float const*, float*, int)",
         .registers = 30,
         .block = 512,
         .static_smem = 128},
    [K_OLD_GELU_FWD] = {VECTORIZED(LAMBDA("GeluCUDAKernelImpl", "2"))},
    [K_OLD_GELU_BWD] = {VECTORIZED(LAMBDA("GeluBackwardCUDAKernelImpl", "2"))},
    [K_OLD_LOSS_FWD] =
        {.short_name = "cunn_SoftMaxForward",
         .full_name =
             "void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float, float, float, "
             "at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(float*, float const*, "
             "int)",
         .registers = 32,
         .block = 1024,
         .static_smem = 128},
    [K_OLD_LOSS_BWD] =
        {.short_name = "cunn_SoftMaxBackward",
         .full_name =
             "void at::native::(anonymous namespace)::cunn_SoftMaxBackward<4, float, float, float, "
             "at::native::(anonymous namespace)::LogSoftMaxBackwardEpilogue>(float*, float*, "
             "float*, int)",
         .registers = 32,
         .block = 1024,
         .static_smem = 128},
    [K_GEMV] =
        {.short_name = "kernel",
         .full_name =
             "std::enable_if<!T7, void>::type internal::gemvx::kernel<int, int, __nv_bfloat16, "
             "__nv_bfloat16, __nv_bfloat16, float, false, true, true, false, 7, false, "
             "cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<__nv_bfloat16 const>, "
             "cublasGemvTensorStridedBatched<__nv_bfloat16>, float> >(T13)",
         .registers = 64,
         .block = 128},
    [K_PAGED_ATTENTION] =
        {.short_name = "device_kernel",
         .full_name =
             "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<"
             "flash::CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1>, cute::C<1>, "
             "cute::C<1> >, cute::tuple<cute::C<64>, cute::C<128>, cute::C<128> >, 128, "
             "cutlass::bfloat16_t, float, cutlass::arch::Sm90, true, false, false, true, true, "
             "false, true, true> > > >",
         .registers = 168,
         .block = 384,
         .dynamic_smem = 196608,
         .kind = CLASS_TENSOR,
         .api = LAUNCH_RUNTIME_EX,
         .cluster = 1},
    [K_RESHAPE_CACHE] =
        {.short_name = "reshape_and_cache_flash_kernel",
         .full_name =
             "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16, "
             "(vllm::Fp8KVCacheDataType)0>(__nv_bfloat16 const*, __nv_bfloat16 const*, "
             "__nv_bfloat16*, __nv_bfloat16*, long const*, long, long, long, int, int, int, "
             "float const*, float const*)",
         .registers = 32,
         .block = 512},
    [K_RMS_NORM] =
        {.short_name = "fused_add_rms_norm_kernel",
         .full_name =
             "std::enable_if<(8)>(0), void>::type vllm::fused_add_rms_norm_kernel<c10::BFloat16, "
             "8>(c10::BFloat16*, long, c10::BFloat16*, c10::BFloat16 const*, float, int, int)",
         .registers = 32,
         .block = 256,
         .static_smem = 140},
    [K_ROTARY] =
        {.short_name = "rotary_embedding_kernel",
         .full_name =
             "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, "
             "c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, int, long, long, long, int, "
             "int, int)",
         .registers = 32,
         .block = 512},
    [K_SILU_MUL] =
        {.short_name = "act_and_mul_kernel",
         .full_name =
             "void vllm::act_and_mul_kernel<c10::BFloat16, &(c10::BFloat16 "
             "vllm::silu_kernel<c10::BFloat16>(c10::BFloat16 const&)), true>(c10::BFloat16*, "
             "c10::BFloat16 const*, int)",
         .registers = 32,
         .block = 1024},
    [K_ARGMAX] = {REDUCE("512", "at::native::ArgMaxOps<float>")},
    [K_TF32_TN] = {XMMA_TF32("tn_n")},
    [K_TF32_NN] = {XMMA_TF32("nn_n")},
    [K_TF32_NT] = {XMMA_TF32("nt_n")},
    [K_FMHA_F32_FWD] = {.short_name = "fmha_cutlassF_f32_aligned_64x128_rf_sm80",
                        .registers = 168,
                        .block = 128,
                        .dynamic_smem = 98304,
                        .kind = CLASS_TENSOR},
    [K_FMHA_F32_BWD] = {.short_name = "fmha_cutlassB_f32_aligned_64x64_k128_sm80",
                        .registers = 168,
                        .block = 128,
                        .dynamic_smem = 98304,
                        .kind = CLASS_TENSOR},
    [K_WMMA_ALIGN1_TN] = {CUTLASS(
        "cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x1_tn_align1")},
    [K_WMMA_ALIGN1_NN] = {CUTLASS(
        "cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x1_nn_align1")},
    [K_WMMA_ALIGN1_NT] = {CUTLASS(
        "cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x1_nt_align1")},
    [K_CUTLASS_ALIGN8_TN] = {CUTLASS(
        "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x256_32x3_tn_align8")},
    [K_NCHW_TO_NHWC] = {.short_name = "nchwToNhwcKernel",
                        .full_name =
                            "void cudnn::ops::nchwToNhwcKernel<__nv_bfloat16, __nv_bfloat16, "
                            "float, false, true, (cudnnKernelDataType_t)9>("
                            "cudnn::ops::nchw2nhwc_params_t<float>, __nv_bfloat16 const*, "
                            "__nv_bfloat16*)",
                        .registers = 32,
                        .block = 256,
                        .static_smem = 4160},
    [K_NHWC_TO_NCHW] = {.short_name = "nhwcToNchwKernel",
                        .full_name =
                            "void cudnn::ops::nhwcToNchwKernel<__nv_bfloat16, __nv_bfloat16, "
                            "float, true, false, (cudnnKernelDataType_t)9>("
                            "cudnn::ops::nhwc2nchw_params_t<float>, __nv_bfloat16 const*, "
                            "__nv_bfloat16*)",
                        .registers = 32,
                        .block = 256,
                        .static_smem = 4160},
    [K_CUMSUM] = {.short_name = "tensor_kernel_scan_innermost_dim",
                  .full_name =
                      "void at::native::tensor_kernel_scan_innermost_dim<float, std::plus<float> "
                      ">(float*, float const*, unsigned int, unsigned int, unsigned int, float, "
                      "std::plus<float>)",
                  .registers = 24,
                  .block = 512,
                  .static_smem = 4096},
    [K_DGEMM] = {.short_name = "sm90_xmma_gemm_f64f64_f64f64_f64_tn_n_tilesize128x128x16_stage3_"
                               "warpsize4x2x1_tensor16x8x16_execute_kernel__5x_cublas",
                 .registers = 254,
                 .block = 256,
                 .dynamic_smem = 100352,
                 .kind = CLASS_TENSOR},
    [K_SGEMM_NARROW] = {.short_name = "ampere_sgemm_32x32_sliced1x4_tn",
                        .registers = 86,
                        .block = 128,
                        .static_smem = 32768},
    [K_SGEMM_SMALL_N] =
        {.short_name = "gemmSN_TN_kernel",
         .full_name =
             "void gemmSN_TN_kernel<float, 128, 16, 2, 4, 4, 4, true, "
             "cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float "
             "const>, cublasGemvTensorStridedBatched<float> >(cublasGemmSmallNParams<"
             "cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float "
             "const>, cublasGemvTensorStridedBatched<float>, float>)",
         .registers = 64,
         .block = 128},
    [K_GEMV_F32] =
        {.short_name = "gemv2T_kernel_val",
         .full_name =
             "void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4, false, "
             "false, cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<float const>, "
             "cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float>, "
             "float> >(T11, T4, T4)",
         .registers = 62,
         .block = 128},
};

const KernelSpec *kernel_spec(KernelId id)
{
    return &specs[id];
}
