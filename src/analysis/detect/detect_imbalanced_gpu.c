// SPDX-License-Identifier: Apache-2.0
// DLProf's detector of which only the purpose is known, with a rule and texts of our own:
// GPUs with unequal shares of the work.
#include "analysis/breakdown/breakdown.h"
#include "analysis/detect/expert.h"
#include "analysis/sums/op_metrics.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(imbalanced_gpu);

static double kernel_share(const struct breakdown *breakdown)
{
    return breakdown_share(breakdown, breakdown_kernel_ns(breakdown));
}

static void imbalanced(const struct profile *profile, const struct selection *selection,
                       struct finding_list *findings)
{
    struct breakdown *devices =
        breakdown_devices(profile, selection, &breakdown_dlprof, findings->arena);
    uint32_t most = ROW_NONE, least = ROW_NONE;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (!profile->devices[d].has_kernels || devices[d].window_ns <= 0)
            continue;
        if (most == ROW_NONE || kernel_share(&devices[d]) > kernel_share(&devices[most]))
            most = d;
        if (least == ROW_NONE || kernel_share(&devices[d]) < kernel_share(&devices[least]))
            least = d;
    }
    if (most == ROW_NONE || most == least)
        return;
    double high = kernel_share(&devices[most]), low = kernel_share(&devices[least]);
    if (high - low <= expert_threshold("imbalanced_gpu.difference"))
        return;
    struct finding *finding = finding_add(findings, &detect_imbalanced_gpu, SEVERITY_WARNING);
    finding->problem =
        arena_format(findings->arena,
                     "The GPUs are imbalanced: GPU %lld spends %.1f%% of the profiled time on "
                     "kernels, GPU %lld only %.1f%%",
                     (long long)device_number(profile, most), 100 * high,
                     (long long)device_number(profile, least), 100 * low);
    finding->recommendation = "Investigate how the work is divided among the GPUs";
    finding->opens = "devices";
}

const struct detector detect_imbalanced_gpu = {
    .id = "imbalanced_gpu_detector",
    .title = "GPUs imbalanced",
    .doc = "The shares of the wall clock in which GPUs run kernels differ by more than "
           "imbalanced_gpu.difference, among the GPUs that run any.",
    .is_dlprof = true,
    .detect = imbalanced,
};
