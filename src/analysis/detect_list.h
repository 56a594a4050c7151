// SPDX-License-Identifier: Apache-2.0
// Every detector, made in the files detect_x.c; expert.c lists them in order.
#ifndef ANALYSIS_DETECT_LIST_H
#define ANALYSIS_DETECT_LIST_H

#include "analysis/expert.h"

extern const struct detector detect_amp;
extern const struct detector detect_bad_iterations;
extern const struct detector detect_batch_size;
extern const struct detector detect_cudnn_benchmark;
extern const struct detector detect_dataloader;
extern const struct detector detect_emit_nvtx;
extern const struct detector detect_imbalanced_gpu;
extern const struct detector detect_no_fusion;
extern const struct detector detect_no_iterations;
extern const struct detector detect_slow_api;
extern const struct detector detect_tensor_shape;
extern const struct detector detect_underutilized_gpu;

// Those of today: each claims its part of the step.
extern const struct detector detect_exposed_communication;
extern const struct detector detect_exposed_copies;
extern const struct detector detect_fp32_gemm;
extern const struct detector detect_launch_bound;
extern const struct detector detect_loader_wait;
extern const struct detector detect_slow_gpu;
extern const struct detector detect_sync_drain;

// Whether `text` holds `word`, letter case ignored.
bool detect_text_has(const char *text, const char *word);

#endif
