// SPDX-License-Identifier: Apache-2.0
// PyTorch's TensorBoard plugin: GPUs that communicate without NCCL. Shown next to DLProf's advice,
// never a finding.
#include <string.h>

#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"

DETECTOR_DECLARE(plugin_nccl);

// True for an op of torch.distributed with NCCL, "nccl:all_reduce".
static bool has_nccl_op(const struct profile *profile)
{
    static const char prefix[] = "nccl:";
    for (uint32_t l = 0; l < profile->ranges.label_count; l++)
        if (strncmp(profile_text(profile, profile->ranges.labels[l].name), prefix,
                    sizeof prefix - 1) == 0)
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
        can |=
            device->compute_major > 3 || (device->compute_major == 3 && device->compute_minor >= 5);
    }
    if (!can || profile->work.count == 0 || detect_has_communication(profile) ||
        has_nccl_op(profile) || !detect_has_range(profile, "DistributedDataParallel.forward"))
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
    .doc =
        "PyTorch's TensorBoard plugin: a range DistributedDataParallel.forward, neither a kernel "
        "of communication nor an op nccl:*, and a GPU of compute capability 3.5 or more.",
    .needs_no_times = true,
    .is_plugin = true,
    .detect = plugin_nccl,
};
