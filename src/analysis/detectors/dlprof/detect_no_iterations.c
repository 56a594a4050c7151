// SPDX-License-Identifier: Apache-2.0
#include "analysis/detect/finding.h"
DETECTOR_DECLARE(no_iterations);

// DLProf's detector for missing iterations. Its rule and texts are known verbatim.

static void no_iterations(const struct profile *profile, const struct selection *selection,
                          struct finding_list *findings)
{
    (void)profile;
    const struct split *split = selection->split;
    if (split->key_found || split->method == SPLIT_RANGES)
        return;
    struct finding *finding = finding_add(findings, &detect_no_iterations, SEVERITY_NOTE);
    finding->problem = arena_format(
        findings->arena, "Unable to split profile into training iterations: key op %s not found",
        split->key ? split->key : "");
    finding->recommendation = "Specify key op by setting the --key_op argument";
    finding->opens = "ranges";
}

const struct detector detect_no_iterations = {
    .id = "no_iterations_detector",
    .title = "no iterations",
    .doc = "The key op was not found, so that the whole profile is one iteration.",
    .needs_no_times = true,
    .is_dlprof = true,
    .detect = no_iterations,
};
