// SPDX-License-Identifier: Apache-2.0
// DLProf's detector for XLA. Its rule and texts are known verbatim.
#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"

DETECTOR_DECLARE(no_fusion);

static bool is_tensorflow(const struct profile *profile)
{
    return profile->mode == MODE_TENSORFLOW1 || profile->mode == MODE_TENSORFLOW2;
}

static void no_fusion(const struct profile *profile, const struct selection *selection,
                      struct finding_list *findings)
{
    (void)selection;
    if (!is_tensorflow(profile) || detect_any_op_has(profile, "xla"))
        return;
    struct finding *finding = finding_add(findings, &detect_no_fusion, SEVERITY_NOTE);
    finding->problem = "XLA is not enabled: No XLA ops detected";
    finding->recommendation =
        "Try enabling XLA. See https://www.tensorflow.org/xla/#enable_xla_for_tensorflow_models "
        "for information on how to enable XLA.";
    finding->opens = "op_type";
}

const struct detector detect_no_fusion = {
    .id = "no_fusion_detector",
    .title = "XLA not used",
    .doc = "TensorFlow: no op of XLA ran.",
    .needs_no_times = true,
    .is_dlprof = true,
    .detect = no_fusion,
};
