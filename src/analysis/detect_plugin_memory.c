// SPDX-License-Identifier: Apache-2.0
// A recommendation of PyTorch's TensorBoard plugin, said beside DLProf's and never a finding:
// memory that is nearly full.
#include "analysis/detect_list.h"

static void plugin_memory(const struct profile *profile, const struct selection *selection,
                          struct finding_list *findings)
{
    (void)selection;
    if (profile->work.count == 0)
        return;
    struct finding *finding = finding_add(findings, &detect_plugin_memory, SEVERITY_NOT_JUDGED);
    finding->problem = "Whether the memory of a GPU is nearly full is not told: an export of nsys "
                       "knows what the driver reserved, not what tensors take";
    finding->recommendation = profile->has_memory_events
                                  ? "See torch.cuda.max_memory_allocated() in the script; the "
                                    "report gpu_memory tells how much the driver gave"
                                  : "See torch.cuda.max_memory_allocated() in the script";
}

const struct detector detect_plugin_memory = {
    .id = "plugin_memory",
    .title = "memory at the limit (PyTorch's plugin)",
    .doc = "PyTorch's TensorBoard plugin: tensors take more than 90% of a GPU's memory at some "
           "moment. Never judged: an export of nsys does not tell.",
    .needs_no_times = true,
    .is_plugin = true,
    .detect = plugin_memory,
};
