// SPDX-License-Identifier: Apache-2.0
// A recommendation of PyTorch's TensorBoard plugin, said beside DLProf's and never a finding:
// the data loader.
#include "analysis/breakdown.h"
#include "analysis/detect_list.h"

static const double loader_share = 0.05; // of its source, no matter of taste

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
    finding->problem = arena_format(
        findings->arena,
        "This run has high time cost on input data loading: %.1f%% of the step time", 100 * share);
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
