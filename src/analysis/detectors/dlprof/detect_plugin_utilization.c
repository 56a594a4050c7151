// SPDX-License-Identifier: Apache-2.0
// PyTorch's TensorBoard plugin: GPUs with few kernels. Shown next to DLProf's advice, never a
// finding.
#include <inttypes.h>

#include "analysis/detect/finding.h"
#include "analysis/plugin/gpu_summary.h"

DETECTOR_DECLARE(plugin_utilization);

static const double min_utilization = 0.5; // from the plugin's source, so not a threshold

static void plugin_utilization(const struct profile *profile, const struct selection *selection,
                               struct finding_list *findings)
{
    struct arena *arena = findings->arena;
    const struct gpu_share *shares = gpu_shares(profile, selection, arena);
    const char *low = "";
    for (uint32_t d = 0; d < profile->device_count; d++) {
        double share =
            shares[d].window_ns > 0 ? (double)shares[d].kernel_ns / (double)shares[d].window_ns : 1;
        if (profile->devices[d].has_kernels && share < min_utilization &&
            (selection->device == ROW_NONE || selection->device == d))
            low = arena_format(arena, "%s%s%" PRId64 " (%.1f%%)", low, *low ? ", " : "",
                               device_number(profile, d), 100 * share);
    }
    if (!*low)
        return;
    struct finding *finding = finding_add(findings, &detect_plugin_utilization, SEVERITY_NOTE);
    finding->problem = arena_format(arena, "Low utilization of GPU %s", low);
    finding->recommendation = "Try a larger batch; it may affect how the training converges";
    finding->opens = "gpu_summary";
}

const struct detector detect_plugin_utilization = {
    .id = "plugin_utilization",
    .title = "low utilization (PyTorch's plugin)",
    .doc = "PyTorch's TensorBoard plugin: kernels run for less than 50% of the steps on some GPU "
           "that ran any, as `gpu_summary` has it.",
    .is_plugin = true,
    .needs_all_work = true,
    .detect = plugin_utilization,
};
