// SPDX-License-Identifier: Apache-2.0
// A recommendation of PyTorch's TensorBoard plugin, said beside DLProf's and never a finding:
// GPUs with few kernels.
#include <inttypes.h>

#include "analysis/breakdown.h"
#include "analysis/detect_list.h"

static const double least_utilization = 0.5; // of its source, no matter of taste

static void plugin_utilization(const struct profile *profile, const struct selection *selection,
                               struct finding_list *findings)
{
    struct arena *arena = findings->arena;
    struct breakdown *parts = breakdown_devices(profile, selection, &breakdown_gpu, arena);
    const char *low = "";
    for (uint32_t d = 0; d < profile->device_count; d++) {
        const struct breakdown *gpu = &parts[d];
        // What runs in an opaque graph may be kernels all the time.
        int64_t kernels = gpu->ns[GPU_TENSOR_CORE] + gpu->ns[GPU_OTHER_KERNELS] +
                          gpu->ns[GPU_COMMUNICATION] + gpu->ns[GPU_GRAPH];
        if (profile->devices[d].has_kernels && gpu->window_ns > 0 &&
            breakdown_share(gpu, kernels) < least_utilization)
            low = arena_format(arena, "%s%s%" PRId64 " (%.1f%%)", low, *low ? ", " : "",
                               device_number(profile, d), 100 * breakdown_share(gpu, kernels));
    }
    if (!*low)
        return;
    struct finding *finding = finding_add(findings, &detect_plugin_utilization, SEVERITY_NOTE);
    finding->problem = arena_format(arena, "Low utilization of GPU %s", low);
    finding->recommendation = "Try a larger batch; it may affect how the training converges";
    finding->opens = "devices";
}

const struct detector detect_plugin_utilization = {
    .id = "plugin_utilization",
    .title = "low utilization (PyTorch's plugin)",
    .doc = "PyTorch's TensorBoard plugin: kernels run for less than 50% of the steps on some GPU "
           "that ran any.",
    .is_plugin = true,
    .detect = plugin_utilization,
};
