// SPDX-License-Identifier: Apache-2.0
//
// The catalogue of GPU kernels that the simulated programs launch: names as a profiler shows them
// and launch properties of the kernel. Durations and grids belong to the recipe that uses it.
#ifndef DLPROF_GEN_KERNELS_H
#define DLPROF_GEN_KERNELS_H

#include <stdbool.h>

typedef enum { LAUNCH_RUNTIME, LAUNCH_RUNTIME_EX, LAUNCH_DRIVER, LAUNCH_DRIVER_EX } LaunchApi;

// Class of a kernel in the output of --truth.
typedef enum { CLASS_OTHER, CLASS_TENSOR, CLASS_COMM } KernelClass;

typedef struct {
    const char *short_name;
    const char *full_name; // NULL: equal to the short name (extern "C" and Triton kernels)
    int registers;
    int block;
    int static_smem;
    int dynamic_smem;
    KernelClass kind;
    LaunchApi api;
    int cluster; // blocks per cluster; 0: no clusters
} KernelSpec;

typedef enum {
    K_GEMM_TNT_192,
    K_GEMM_NTN_192,
    K_GEMM_TNN_256,
    K_GEMM_TNN_128,
    K_GEMM_TNT_128,
    K_GEMM_BF16_HEAD,
    K_F32_TN,
    K_F32_NN,
    K_F32_NT,
    K_FLASH_FWD,
    K_FLASH_BWD,
    K_FLASH_DOT,
    K_FLASH_CONVERT,
    K_NORM_FWD,
    K_NORM_BWD,
    K_NORM_BWD_WEIGHT,
    K_GELU_FWD,
    K_GELU_BWD,
    K_LOSS_FWD,
    K_LOSS_BWD,
    K_EMBED_FWD,
    K_EMBED_BWD,
    K_ADD,
    K_ADD_BF16,
    K_MUL,
    K_MUL_BF16,
    K_NEG_BF16,
    K_ADDCMUL,
    K_ADDCDIV,
    K_SQRT,
    K_FILL,
    K_CAST_TO_BF16,
    K_CAST_TO_FLOAT,
    K_COPY_STRIDED,
    K_CAT,
    K_REDUCE_SUM,
    K_REDUCE_NORM,
    K_ADAM_FUSED,
    K_LERP_FOREACH,
    K_ALLREDUCE,
    K_SEND_RECV,
    K_OLD_GEMM_TN,
    K_OLD_GEMM_NN,
    K_OLD_GEMM_NT,
    K_OLD_NORM_FWD,
    K_OLD_NORM_BWD,
    K_OLD_GELU_FWD,
    K_OLD_GELU_BWD,
    K_OLD_LOSS_FWD,
    K_OLD_LOSS_BWD,
    K_GEMV,
    K_PAGED_ATTENTION,
    K_RESHAPE_CACHE,
    K_RMS_NORM,
    K_ROTARY,
    K_SILU_MUL,
    K_ARGMAX,
    K_TF32_TN,
    K_TF32_NN,
    K_TF32_NT,
    K_FMHA_F32_FWD,
    K_FMHA_F32_BWD,
    K_WMMA_ALIGN1_TN,
    K_WMMA_ALIGN1_NN,
    K_WMMA_ALIGN1_NT,
    K_CUTLASS_ALIGN8_TN,
    K_NCHW_TO_NHWC,
    K_NHWC_TO_NCHW,
    K_CUMSUM,
    K_DGEMM,
    K_SGEMM_NARROW,
    K_SGEMM_SMALL_N,
    K_GEMV_F32,
    K_COUNT
} KernelId;

const KernelSpec *kernel_spec(KernelId id);

#endif
