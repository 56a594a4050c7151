// SPDX-License-Identifier: Apache-2.0
// The recommendations of PyTorch's TensorBoard plugin, with its thresholds, as far as an export of
// nsys lets them be judged. They are said beside DLProf's, never as findings.
#include <inttypes.h>
#include <string.h>

#include "analysis/breakdown.h"
#include "analysis/detect_list.h"
#include "analysis/detect_tools.h"
#include "model/markers.h"
#include "model/ops.h"

// What the plugin counts with are the thresholds of its source, no matter of taste.
static const double loader_share = 0.05, communication_share = 0.1, least_utilization = 0.5;

static bool has_range(const struct profile *profile, const char *text)
{
    for (uint32_t m = 0; m < profile->marker_count; m++)
        if (strcmp(profile_text(profile, profile->markers[m].text), text) == 0)
            return true;
    return false;
}

static uint32_t devices_used(const struct profile *profile)
{
    uint32_t count = 0;
    for (uint32_t d = 0; d < profile->device_count; d++)
        count += profile->devices[d].has_kernels;
    return count;
}

// ---- 1: data loading ---------------------------------------------------------------------------

static void plugin_loader(const struct profile *profile, const struct selection *selection,
                          struct finding_list *findings)
{
    if (profile->work.count == 0)
        return;
    struct breakdown parts =
        breakdown_total(profile, selection, &breakdown_dlprof, findings->arena);
    double share = breakdown_share(&parts, parts.ns[DLPROF_DATALOADER]);
    if (share <= loader_share)
        return;
    struct finding *finding = finding_add(findings, &detect_plugin_loader, SEVERITY_NOTE);
    finding->problem =
        arena_format(findings->arena,
                     "This run has high time cost on input data loading: %.1f%% of the step time",
                     100 * share);
    finding->recommendation = "Set num_workers of the DataLoader and load with several processes";
    finding->opens = "breakdown";
}

const struct detector detect_plugin_loader = {
    .id = "plugin_loader",
    .title = "data loading (PyTorch's plugin)",
    .doc = "PyTorch's TensorBoard plugin: time in the data loader while the GPU does nothing is "
           "more than 5% of the steps. (The plugin also leaves out time in CUDA calls.)",
    .is_plugin = true,
    .detect = plugin_loader,
};

// ---- 2 and 3: DataParallel, and its successor without NCCL -------------------------------------

static void plugin_data_parallel(const struct profile *profile, const struct selection *selection,
                                 struct finding_list *findings)
{
    (void)selection;
    if (devices_used(profile) < 2 || !has_range(profile, "DataParallel.forward"))
        return;
    struct finding *finding = finding_add(findings, &detect_plugin_data_parallel, SEVERITY_NOTE);
    finding->problem = "The model runs in torch.nn.DataParallel on several GPUs";
    finding->recommendation =
        "Use DistributedDataParallel: one process per GPU, without copies of the model each step";
    finding->opens = "ranges";
    finding->filter = "DataParallel";
}

const struct detector detect_plugin_data_parallel = {
    .id = "plugin_data_parallel",
    .title = "DataParallel (PyTorch's plugin)",
    .doc = "PyTorch's TensorBoard plugin: a range DataParallel.forward, and kernels on more than "
           "one GPU.",
    .is_plugin = true,
    .detect = plugin_data_parallel,
};

static bool any_communication(const struct profile *profile)
{
    for (uint32_t f = 0; f < profile->function_count; f++)
        if (profile->functions[f].class == CLASS_COMM)
            return true;
    return false;
}

static void plugin_nccl(const struct profile *profile, const struct selection *selection,
                        struct finding_list *findings)
{
    (void)selection;
    bool can = false;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        const struct device *device = &profile->devices[d];
        can |= device->compute_major > 3 ||
               (device->compute_major == 3 && device->compute_minor >= 5);
    }
    if (!can || profile->work.count == 0 || any_communication(profile) ||
        !has_range(profile, "DistributedDataParallel.forward"))
        return;
    struct finding *finding = finding_add(findings, &detect_plugin_nccl, SEVERITY_NOTE);
    finding->problem = "DistributedDataParallel runs without NCCL";
    finding->recommendation = "Use the nccl backend: it is the fastest between GPUs";
    finding->opens = "ranges";
    finding->filter = "DistributedDataParallel";
}

const struct detector detect_plugin_nccl = {
    .id = "plugin_nccl",
    .title = "no NCCL (PyTorch's plugin)",
    .doc = "PyTorch's TensorBoard plugin: a range DistributedDataParallel.forward, no kernel of "
           "communication, and a GPU of compute capability 3.5 or more.",
    .is_plugin = true,
    .detect = plugin_nccl,
};

// ---- 4: communication --------------------------------------------------------------------------

static void plugin_communication(const struct profile *profile, const struct selection *selection,
                                 struct finding_list *findings)
{
    if (!any_communication(profile))
        return;
    struct breakdown parts = breakdown_total(profile, selection, &breakdown_gpu, findings->arena);
    double share = breakdown_share(&parts, parts.ns[GPU_COMMUNICATION]);
    if (share <= communication_share)
        return;
    struct finding *finding = finding_add(findings, &detect_plugin_communication, SEVERITY_NOTE);
    finding->problem = arena_format(
        findings->arena, "This run has high time cost on communication: %.1f%% of the step time",
        100 * share);
    finding->recommendation = "Try gradient compression, gradient accumulation or a larger batch; "
                              "accumulation makes the effective batch larger";
    finding->opens = "kernels";
    finding->filter = "class:comm";
}

const struct detector detect_plugin_communication = {
    .id = "plugin_communication",
    .title = "communication (PyTorch's plugin)",
    .doc = "PyTorch's TensorBoard plugin: communication while no kernel runs is more than 10% of "
           "the steps.",
    .is_plugin = true,
    .detect = plugin_communication,
};

// ---- 5: utilization ----------------------------------------------------------------------------

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

// ---- 6: Tensor Cores ---------------------------------------------------------------------------

static void plugin_tensor_cores(const struct profile *profile, const struct selection *selection,
                                struct finding_list *findings)
{
    const struct ops *ops = profile->ops;
    if (profile->device_count == 0 || profile->devices[0].compute_major < 7 || !ops ||
        !profile->work.instance)
        return;
    // The plugin takes compute capability 9 of AMD's cards for NVIDIA's.
    const char *name = profile_text(profile, profile->devices[0].name);
    if (detect_text_has(name, "AMD") || detect_text_has(name, "Instinct") ||
        detect_text_has(name, "Radeon"))
        return;
    // Used, or of unknown use: nothing is to be said.
    bool any = false;
    for (uint32_t f = 0; f < profile->function_count; f++) {
        const struct function *function = &profile->functions[f];
        if (function->kind == WORK_KERNEL && function->class == CLASS_COMPUTE &&
            function->tensor_core != STATE_NO)
            return;
        any |= function->kind == WORK_KERNEL;
    }
    int64_t eligible = 0, kernels = 0;
    for (uint32_t w = 0; any && w < profile->work.count; w++) {
        if (profile->functions[profile->work.function[w]].kind != WORK_KERNEL ||
            !selection_has_work(profile, selection, w))
            continue;
        int64_t length = profile->work.end[w] - profile->work.start[w];
        const struct op *op = &ops->items[ops->op[profile->work.instance[w]]];
        kernels += length;
        eligible += op->tensor_core_eligible == STATE_YES ? length : 0;
    }
    double share = kernels > 0 ? (double)eligible / (double)kernels : 0;
    if (share < 0.0005) // it would say "0.0%"
        return;
    struct finding *finding = finding_add(findings, &detect_plugin_tensor_cores, SEVERITY_NOTE);
    finding->problem =
        arena_format(findings->arena,
                     "Kernels with %.1f%% of the kernel time are launched by ops that could use "
                     "Tensor Cores, and none does",
                     100 * share);
    finding->recommendation = "Enable AMP (automatic mixed precision)";
    finding->opens = "kernels";
    finding->filter = "class:compute";
}

const struct detector detect_plugin_tensor_cores = {
    .id = "plugin_tensor_cores",
    .title = "no Tensor Cores (PyTorch's plugin)",
    .doc = "PyTorch's TensorBoard plugin: no kernel uses Tensor Cores, some op that ran could, and "
           "the first GPU has them. Silent where a kernel's use of them is not known, on cards of "
           "AMD, which the plugin warns about always, and where it would say 0%.",
    .is_plugin = true,
    .detect = plugin_tensor_cores,
};

// ---- 7: memory ---------------------------------------------------------------------------------

static void plugin_memory(const struct profile *profile, const struct selection *selection,
                          struct finding_list *findings)
{
    (void)selection;
    if (profile->work.count == 0)
        return;
    struct finding *finding = finding_add(findings, &detect_plugin_memory, SEVERITY_NOT_JUDGED);
    finding->problem = "Whether the memory of a GPU is nearly full is not told: an export of nsys "
                       "knows what the driver reserved, not what tensors take";
    finding->recommendation = "See torch.cuda.max_memory_allocated() in the script";
}

const struct detector detect_plugin_memory = {
    .id = "plugin_memory",
    .title = "memory at the limit (PyTorch's plugin)",
    .doc = "PyTorch's TensorBoard plugin: tensors take more than 90% of a GPU's memory at some "
           "moment. Never judged: an export of nsys does not tell.",
    .is_plugin = true,
    .detect = plugin_memory,
};
