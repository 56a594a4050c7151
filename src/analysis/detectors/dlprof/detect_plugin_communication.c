// SPDX-License-Identifier: Apache-2.0
#include "analysis/detect/finding.h"
DETECTOR_DECLARE(plugin_communication);

// PyTorch's TensorBoard plugin: time in communication. Shown next to DLProf's advice, never a
// finding.
#include "analysis/plugin/plugin_steps.h"

static const double communication_share = 0.1; // from the plugin's source, so not a threshold

static void plugin_communication(const struct profile *profile, const struct selection *selection,
                                 struct finding_list *findings)
{
    int64_t count;
    struct breakdown step =
        plugin_average(plugin_steps_of(profile, selection, findings->arena), selection, &count);
    double share = breakdown_share(&step, step.ns[PLUGIN_COMMUNICATION]);
    if (share <= communication_share)
        return;
    struct finding *finding = finding_add(findings, &detect_plugin_communication, SEVERITY_NOTE);
    finding->problem = arena_format(
        findings->arena, "This run has high time cost on communication: %.1f%% of the step time",
        100 * share);
    finding->recommendation = "Try gradient compression, gradient accumulation or a larger batch; "
                              "accumulation makes the effective batch larger";
    finding->opens = "overview";
}

const struct detector detect_plugin_communication = {
    .id = "plugin_communication",
    .title = "communication (PyTorch's plugin)",
    .doc = "PyTorch's TensorBoard plugin: communication while no other kernel and no copy runs is "
           "more than 10% of the steps. (The plugin takes most collectives for other kernels.)",
    .is_plugin = true,
    .needs_all_work = true,
    .detect = plugin_communication,
};
