// SPDX-License-Identifier: Apache-2.0
// Every detector, in the order in which they run: each is defined in detect_x.c. To add one: a line
// here. An earlier native detector claims an interval before a later one.
#include "analysis/detectors/expert.h"

// clang-format off
#define DETECTOR_LIST(X) \
    /* DLProf's, in DLProf's order */ \
    X(no_fusion) \
    X(amp) \
    X(underutilized_gpu) \
    X(imbalanced_gpu) \
    X(dataloader) \
    X(no_iterations) \
    X(bad_iterations) \
    X(cudnn_benchmark) \
    X(batch_size) \
    X(emit_nvtx) \
    X(slow_api) \
    X(tensor_shape) \
    /* the plugin's, in its order */ \
    X(plugin_loader) \
    X(plugin_data_parallel) \
    X(plugin_nccl) \
    X(plugin_communication) \
    X(plugin_utilization) \
    X(plugin_tensor_cores) \
    X(plugin_memory) \
    /* the quality of the capture */ \
    X(capture_quality) \
    /* native detectors, most certain first */ \
    X(profiler_overhead) \
    X(compile_warmup) \
    X(recompile) \
    X(allocator) \
    X(loader_worker) \
    X(loader_wait) \
    X(sync_drain) \
    X(graph_breaks) \
    X(between_steps) \
    X(pageable_copies) \
    X(slow_gpu) \
    X(straggler) \
    X(pipeline_bubble) \
    X(fp32_gemm) \
    X(odd_shape) \
    X(no_autocast) \
    X(layout_conversion) \
    X(tiny_grid) \
    X(tile_waste) \
    X(low_clock) \
    X(streamed_weights) \
    X(exposed_copies) \
    X(exposed_communication) \
    X(launch_bound) \
    X(repeated_launches) \
    X(far_from_limit) \
    /* notes without a cost */ \
    X(fp64) \
    X(device_copies) \
    X(math_attention) \
    X(near_limit)
// clang-format on

#define DETECTOR_LINE(name) DETECTOR_DECLARE(name);
DETECTOR_LIST(DETECTOR_LINE)
#define DETECTOR_ENTRY(name) &detect_##name,
const struct detector *const detectors[] = {DETECTOR_LIST(DETECTOR_ENTRY)};
const size_t detector_count = sizeof detectors / sizeof *detectors;
const struct detector_list detector_list = {detectors, sizeof detectors / sizeof *detectors};
