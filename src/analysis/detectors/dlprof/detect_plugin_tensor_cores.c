// SPDX-License-Identifier: Apache-2.0
// PyTorch's TensorBoard plugin: unused Tensor Cores. Shown next to DLProf's advice, never a
// finding.
#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "model/ops/ops.h"
#include "model/profile/vendor.h"

DETECTOR_DECLARE(plugin_tensor_cores);

static void plugin_tensor_cores(const struct profile *profile, const struct selection *selection,
                                struct finding_list *findings)
{
    const struct ops *ops = profile->ops;
    if (profile->device_count == 0 || !device_abilities(profile, 0).types || !ops ||
        !HAS(profile->work.instance))
        return;
    // The plugin takes compute capability 9 of AMD cards for NVIDIA's.
    if (device_vendor(profile, &profile->devices[0]) == VENDOR_AMD)
        return;
    // Stay silent if they are used or their use is unknown.
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
        if (profile->functions[AT(profile->work.function, w)].kind != WORK_KERNEL ||
            !selection_has_work(profile, selection, w))
            continue;
        int64_t length = AT(profile->work.end, w) - AT(profile->work.start, w);
        const struct op *op = &ops->items[AT(ops->op, AT(profile->work.instance, w))];
        kernels += length;
        eligible += op->tensor_core_eligible == STATE_YES ? length : 0;
    }
    double share = kernels > 0 ? (double)eligible / (double)kernels : 0;
    if (share < 0.0005) // it would print "0.0%"
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
    .needs_no_times = true,
    .is_plugin = true,
    .detect = plugin_tensor_cores,
};
