// SPDX-License-Identifier: Apache-2.0
// DLProf's detector for room for larger batches. Its rule and texts are known verbatim.
#include "analysis/detect/finding.h"
#include "model/profile/vendor.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(batch_size);

static void advise(double share, struct finding_list *findings)
{
    const char *factor = share < expert_threshold("batch_size.quadruple") ? "4x"
                         : share < expert_threshold("batch_size.double")  ? "2x"
                                                                          : NULL;
    if (!factor)
        return;
    struct finding *finding = finding_add(findings, &detect_batch_size, SEVERITY_WARNING);
    finding->problem = arena_format(findings->arena,
                                    "GPU Memory is underutilized: Only %d%% of GPU Memory is used",
                                    (int)(100 * share + 1e-9));
    finding->recommendation = arena_format(
        findings->arena, "Try increasing batch size by %s to increase data throughput", factor);
}

static void batch_size(const struct profile *profile, const struct selection *selection,
                       struct finding_list *findings)
{
    (void)selection;
    if (profile->device_count == 0)
        return;
    if (capture_memory_share(&profile->capture) > 0) {
        advise(capture_memory_share(&profile->capture), findings);
        return;
    }
    // Only a DLProf run measures the use of GPU memory; an nsys export does not record it.
    const char *watch = profile_vendor_terms(profile)->watch;
    struct finding *finding = finding_add(findings, &detect_batch_size, SEVERITY_NOT_JUDGED);
    finding->problem = "How much of the GPU's memory is used is not told";
    finding->recommendation =
        profile->has_memory_events
            ? arena_format(findings->arena,
                           "See %s while the job runs: what the process allocated since the "
                           "capture began (report gpu_memory) is less than what is used. With "
                           "little used a larger batch may raise the throughput",
                           watch)
            : arena_format(findings->arena,
                           "See %s while the job runs, since a profile has at most what the "
                           "process allocates: with little used a larger batch may raise the "
                           "throughput",
                           watch);
}

const struct detector detect_batch_size = {
    .id = "batch_size_detector",
    .title = "GPU memory underutilized",
    .doc =
        "Less than batch_size.double of the busiest GPU's memory is used. Judged of the database "
        "of a DLProf run alone: an nsys export does not tell the share that is used.",
    .needs_no_times = true,
    .is_dlprof = true,
    .detect = batch_size,
};
