// SPDX-License-Identifier: Apache-2.0
// DLProf's detector for disabled cuDNN autotuning of convolutions. Its rule and texts are known
// verbatim.
#include <strings.h>

#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"

DETECTOR_DECLARE(cudnn_benchmark);

static bool is_convolution(const char *type)
{
    return strncasecmp(type, "conv", 4) == 0;
}

static void cudnn_benchmark(const struct profile *profile, const struct selection *selection,
                            struct finding_list *findings)
{
    (void)selection;
    if (profile->mode != MODE_PYTORCH || profile->config.cudnn_benchmark_disabled != 1 ||
        !detect_any_op_type(profile, is_convolution))
        return;
    struct finding *finding = finding_add(findings, &detect_cudnn_benchmark, SEVERITY_WARNING);
    finding->problem = "Convolution operations were detected but torch.backends.cudnn.benchmark "
                       "was not enabled.";
    finding->recommendation = "Try setting torch.backends.cudnn.benchmark = True in your network. "
                              "For best performance, the input shapes should be relatively stable.";
    finding->opens = "op_type";
}

const struct detector detect_cudnn_benchmark = {
    .id = "cudnn_benchmark_detector",
    .title = "cuDNN benchmark off",
    .doc = "PyTorch: there are convolutions, and the model's configuration says that "
           "cudnn.benchmark is off.",
    .needs_no_times = true,
    .is_dlprof = true,
    .detect = cudnn_benchmark,
};
