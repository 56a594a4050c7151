// SPDX-License-Identifier: Apache-2.0
// DLProf's detector for backward work without a layer. Only its purpose is known; rule and texts
// are ours.
#include <string.h>

#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"

DETECTOR_DECLARE(emit_nvtx);

static bool is_backward(const char *type)
{
    return strcmp(type, "backward") == 0;
}

static void emit_nvtx(const struct profile *profile, const struct selection *selection,
                      struct finding_list *findings)
{
    (void)selection;
    const struct model_config *config = &profile->config;
    if (profile->mode != MODE_PYTORCH || !config->is_told || config->emit_nvtx == 1 ||
        !detect_any_op_type(profile, is_backward))
        return;
    struct finding *finding = finding_add(findings, &detect_emit_nvtx, SEVERITY_WARNING);
    finding->problem = "The model was not run under torch.autograd.profiler.emit_nvtx: backward "
                       "kernels belong to no layer";
    finding->recommendation = "Run the training steps inside `with "
                              "torch.autograd.profiler.emit_nvtx():`";
    finding->why = "Without it all backward work belongs to the op that calls backward()";
    finding->opens = "op_type";
}

const struct detector detect_emit_nvtx = {
    .id = "emit_nvtx_detector",
    .title = "emit_nvtx missing",
    .doc = "PyTorch: backward() ran and the model's configuration says that emit_nvtx was off.",
    .needs_no_times = true,
    .is_dlprof = true,
    .detect = emit_nvtx,
};
