// SPDX-License-Identifier: Apache-2.0
// DLProf's detector for data loading and DALI. Its rule and texts are known verbatim.
#include "analysis/breakdown/breakdown.h"
#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/report/names.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(dataloader);

#define DALI_ADVICE                                                                             \
    "Consider using NVIDIA DALI, a library that is a high performance alternative to built-in " \
    "data loaders and data iterators. Learn more here: https://developer.nvidia.com/DALI"

static bool has_dali(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->domain_count; i++)
        if (text_has_nocase(profile_text(profile, profile->domains[i].name), "dali"))
            return true;
    return detect_any_op_has(profile, "dali");
}

static void dataloader(const struct profile *profile, const struct selection *selection,
                       struct finding_list *findings)
{
    struct arena *arena = findings->arena;
    if (profile->mode != MODE_PYTORCH)
        return;
    struct breakdown breakdown = breakdown_total(profile, selection, &breakdown_dlprof, arena);
    double loading = breakdown_share(&breakdown, breakdown.ns[DLPROF_DATALOADER]);
    bool dali = has_dali(profile);
    if (loading > expert_threshold("dataloader.share")) {
        struct finding *finding = finding_add(findings, &detect_dataloader, SEVERITY_WARNING);
        finding->problem = arena_format(arena,
                                        "%.1f%% of the aggregated run was spent in the dataloader "
                                        "while not simultaneously running on the GPU",
                                        100 * loading);
        finding->recommendation = arena_format(
            arena,
            "Focus on reducing time spent in the training data input process. This could be time "
            "spent in file reading, preprocessing and augmentation or file transfer.%s",
            dali ? "" : "\n" DALI_ADVICE);
        finding->opens = "breakdown";
    } else if (!dali) {
        struct finding *finding = finding_add(findings, &detect_dataloader, SEVERITY_NOTE);
        finding->problem = "No DALI ops detected";
        finding->recommendation = DALI_ADVICE;
        finding->why = "The data loader costs little here: DLProf says this of every PyTorch "
                       "profile without DALI";
        finding->opens = "op_type";
    }
}

const struct detector detect_dataloader = {
    .id = "dataloader_detector",
    .title = "data loading",
    .doc = "PyTorch: data loader ops while the GPU does nothing take more than dataloader.share of "
           "the wall clock; otherwise that no DALI op ran.",
    .is_dlprof = true,
    .needs_all_work = true,
    .detect = dataloader,
};
