// SPDX-License-Identifier: Apache-2.0
// DLProf's detector for GPUs with unequal shares of the work. Only its purpose is known; rule and
// texts are ours.
#include "analysis/breakdown/breakdown.h"
#include "analysis/detect/finding.h"
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
    uint32_t busiest = ROW_NONE, idlest = ROW_NONE;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (!profile->devices[d].has_kernels || devices[d].window_ns <= 0)
            continue;
        if (busiest == ROW_NONE || kernel_share(&devices[d]) > kernel_share(&devices[busiest]))
            busiest = d;
        if (idlest == ROW_NONE || kernel_share(&devices[d]) < kernel_share(&devices[idlest]))
            idlest = d;
    }
    if (busiest == ROW_NONE || busiest == idlest)
        return;
    double high = kernel_share(&devices[busiest]), low = kernel_share(&devices[idlest]);
    if (high - low <= expert_threshold("imbalanced_gpu.difference"))
        return;
    struct finding *finding = finding_add(findings, &detect_imbalanced_gpu, SEVERITY_WARNING);
    finding->problem =
        arena_format(findings->arena,
                     "The GPUs are imbalanced: GPU %lld spends %.1f%% of the profiled time on "
                     "kernels, GPU %lld only %.1f%%",
                     (long long)device_number(profile, busiest), 100 * high,
                     (long long)device_number(profile, idlest), 100 * low);
    finding->recommendation = "Investigate how the work is divided among the GPUs";
    finding->opens = "devices";
}

const struct detector detect_imbalanced_gpu = {
    .id = "imbalanced_gpu_detector",
    .title = "GPUs imbalanced",
    .doc = "The shares of the wall clock in which GPUs run kernels differ by more than "
           "imbalanced_gpu.difference, among the GPUs that run any.",
    .is_dlprof = true,
    .needs_all_work = true,
    .detect = imbalanced,
};
