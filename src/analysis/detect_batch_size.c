// SPDX-License-Identifier: Apache-2.0
// DLProf's detector, whose rule and texts are known word for word: room for larger
// batches.
#include "analysis/detect_list.h"

static void batch_size(const struct profile *profile, const struct selection *selection,
                       struct finding_list *findings)
{
    (void)selection;
    if (profile->device_count == 0)
        return;
    // Only a profiling run of DLProf measured the GPU's memory; no export of nsys tells it.
    struct finding *finding = finding_add(findings, &detect_batch_size, SEVERITY_NOT_JUDGED);
    finding->problem = "How much of the GPU's memory is used is not told";
    finding->recommendation =
        profile->has_memory_events
            ? "See nvidia-smi while the job runs: what the process allocated since the capture "
              "began (report gpu_memory) is less than what is used. With little used a larger "
              "batch may raise the throughput"
            : "See nvidia-smi while the job runs, since nsys records at most what the process "
              "allocates: with little used a larger batch may raise the throughput";
}

const struct detector detect_batch_size = {
    .id = "batch_size_detector",
    .title = "GPU memory underutilized",
    .doc = "Little of the busiest GPU's memory is used. Never judged: an nsys export does not tell "
           "the share of memory that is used.",
    .is_dlprof = true,
    .detect = batch_size,
};
