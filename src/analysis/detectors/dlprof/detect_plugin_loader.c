// SPDX-License-Identifier: Apache-2.0
#include "analysis/detect/finding.h"
DETECTOR_DECLARE(plugin_loader);

// PyTorch's TensorBoard plugin: the data loader. Shown next to DLProf's advice, never a finding.
#include "analysis/plugin/plugin_steps.h"

static const double loader_share = 0.05; // from the plugin's source, so not a threshold

static void plugin_loader(const struct profile *profile, const struct selection *selection,
                          struct finding_list *findings)
{
    int64_t count;
    struct breakdown step =
        plugin_average(plugin_steps_of(profile, selection, findings->arena), selection, &count);
    double share = breakdown_share(&step, step.ns[PLUGIN_LOADER]);
    if (share <= loader_share)
        return;
    struct finding *finding = finding_add(findings, &detect_plugin_loader, SEVERITY_NOTE);
    finding->problem = arena_format(
        findings->arena,
        "This run has high time cost on input data loading: %.1f%% of the step time", 100 * share);
    finding->recommendation = "Set num_workers of the DataLoader and load with several processes";
    finding->opens = "overview";
}

const struct detector detect_plugin_loader = {
    .id = "plugin_loader",
    .title = "data loading (PyTorch's plugin)",
    .doc =
        "PyTorch's TensorBoard plugin: time in the data loader, while neither the GPU nor a CUDA "
        "call does anything, is more than 5% of the steps.",
    .is_plugin = true,
    .needs_all_work = true,
    .detect = plugin_loader,
};
