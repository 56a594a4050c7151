// SPDX-License-Identifier: Apache-2.0
// PyTorch's TensorBoard plugin: one process for several GPUs. Shown next to DLProf's advice, never
// a finding.
#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"

DETECTOR_DECLARE(plugin_data_parallel);

static uint32_t devices_used(const struct profile *profile)
{
    uint32_t count = 0;
    for (uint32_t d = 0; d < profile->device_count; d++)
        count += profile->devices[d].has_kernels;
    return count;
}

static void plugin_data_parallel(const struct profile *profile, const struct selection *selection,
                                 struct finding_list *findings)
{
    (void)selection;
    if (devices_used(profile) < 2 || !detect_has_range(profile, "DataParallel.forward"))
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
    .needs_no_times = true,
    .is_plugin = true,
    .detect = plugin_data_parallel,
};
