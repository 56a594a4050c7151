// SPDX-License-Identifier: Apache-2.0
// DLProf's detector for GPUs that do little or nothing. Its rule and texts are known verbatim.
#include "analysis/breakdown/breakdown.h"
#include "analysis/detect/finding.h"
#include "analysis/report/dlprof_rules.h"
#include "analysis/sums/op_metrics.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(underutilized_gpu);

// Lists the GPUs that ran no kernel (copies do not count), "0 1 2"; "" if all did.
static const char *unused_devices(const struct profile *profile, struct arena *arena)
{
    const char *text = "";
    for (uint32_t d = 0; d < profile->device_count; d++) {
        const struct device *device = &profile->devices[d];
        bool used = false;
        for (uint32_t w = device->first_work; w < device->end_work && !used; w++)
            used = work_is_kernel(profile, w);
        if (!used)
            text = arena_format(arena, "%s%s%lld", text, *text ? " " : "",
                                (long long)device_number(profile, d));
    }
    return text;
}

static const struct other_usage {
    size_t category;
    const char *name, *advice;
} usages[] = {
    {DLPROF_MEMORY, "Memory",
     "Consider overlapping memory copies with kernels, pinning host memory, and "
     "copying less"},
    {DLPROF_DATALOADER, "Dataloader",
     "Investigate the dataloading pipeline as this often indicates too much time "
     "is being spent here"},
    {DLPROF_IO, "I/O",
     "Investigate reading and writing of files as this often indicates that the GPU "
     "waits for the storage"},
    {DLPROF_CPU, "CPU", "Consider swapping ops that are running on the CPU for equivalent GPU ops"},
    {DLPROF_OTHER, "\"Other\"",
     "Investigate the dataloading pipeline as this often indicates too much time "
     "is being spent here"},
};

static void underutilized(const struct profile *profile, const struct selection *selection,
                          struct finding_list *findings)
{
    struct arena *arena = findings->arena;
    if (profile->device_count == 0 || profile->work.count == 0) // no GPU was traced
        return;
    const char *unused = unused_devices(profile, arena);
    if (*unused) {
        // Other programs may use them: the file lists every GPU of the machine.
        struct finding *finding = finding_add(findings, &detect_underutilized_gpu, SEVERITY_NOTE);
        finding->problem =
            arena_format(arena, "The following GPU device IDs are not being used: %s", unused);
        finding->recommendation = "Make sure to pass the necessary options to docker, the "
                                  "framework, and the model to use all available GPUs";
        finding->opens = "devices";
        return;
    }
    struct breakdown breakdown = breakdown_total(profile, selection, &breakdown_dlprof, arena);
    double kernels = breakdown_share(&breakdown, breakdown_kernel_ns(&breakdown));
    double limit = expert_threshold("underutilized_gpu.share");
    if (breakdown.window_ns <= 0 || kernels >= limit)
        return;
    const struct other_usage *largest = &usages[0];
    for (size_t i = 1; i < sizeof usages / sizeof *usages; i++)
        if (breakdown.ns[usages[i].category] > breakdown.ns[largest->category])
            largest = &usages[i];
    // DLProf counts only kernels, over all host time including start-up. So this is a note on
    // screen, next to the bar with the GPU's busy time by its own clock.
    struct breakdown gpu = breakdown_total(profile, selection, &breakdown_gpu, arena);
    struct finding *finding = finding_add(findings, &detect_underutilized_gpu, SEVERITY_NOTE);
    finding->why = arena_format(
        arena,
        "By the GPU's own clock, from its first work on, it is busy "
        "%.1f %% of the time: kernels %.1f %%, communication alone %.1f "
        "%%, copies alone %.1f %%, graphs %.1f %%",
        100 * breakdown_busy(&gpu),
        100 * breakdown_share(&gpu, gpu.ns[GPU_TENSOR_CORE] + gpu.ns[GPU_OTHER_KERNELS]),
        100 * breakdown_share(&gpu, gpu.ns[GPU_COMMUNICATION]),
        100 * breakdown_share(&gpu, gpu.ns[GPU_COPIES]),
        100 * breakdown_share(&gpu, gpu.ns[GPU_GRAPH]));
    finding->problem = arena_format(arena,
                                    "The GPU is underutilized: Only %.1f%% of the profiled time "
                                    "is spent on GPU kernel operations",
                                    100 * kernels);
    finding->recommendation = arena_format(
        arena, "%s has the highest (non-GPU) usage at %.1f%%. %s", largest->name,
        100 * breakdown_share(&breakdown, breakdown.ns[largest->category]), largest->advice);
    finding->opens = "breakdown";
}

const struct detector detect_underutilized_gpu = {
    .id = "underutilized_gpu_detector",
    .title = "GPU underutilized",
    .doc = "Some GPU ran no kernel; or kernels fill less than underutilized_gpu.share of the wall "
           "clock. A note always: DLProf counts start-up, and only kernels.",
    .is_dlprof = true,
    .needs_all_work = true,
    .detect = underutilized,
};
