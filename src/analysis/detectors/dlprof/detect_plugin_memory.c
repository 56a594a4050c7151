// SPDX-License-Identifier: Apache-2.0
// PyTorch's TensorBoard plugin: memory that is nearly full. Shown next to DLProf's advice, never a
// finding.
#include <inttypes.h>
#include <string.h>

#include "analysis/detect/finding.h"
#include "analysis/memory/tensor_memory.h"
#include "base/text/format.h"
#include "model/profile/recorder.h"

DETECTOR_DECLARE(plugin_memory);

static const double max_share = 0.9; // from the plugin's source, so not a threshold

// Lists the GPUs above max_share: "GPU 0 (95.1% of 34.1 GB)"; "" if there are none.
static const char *full_gpus(const struct profile *profile, const struct selection *selection,
                             struct arena *arena)
{
    const struct memory_series *series = memory_series_build(profile, selection, arena);
    const char *full = "";
    for (uint32_t d = 0; d < profile->device_count; d++) {
        int64_t size = profile->devices[d].memory_bytes;
        if (series[d].count == 0 || size == UNKNOWN || size <= 0 ||
            (selection->device != ROW_NONE && selection->device != d))
            continue;
        struct memory_peak peak = memory_peak_find(profile, selection, &series[d], arena);
        double share = peak.allocated == UNKNOWN ? 0 : (double)peak.allocated / (double)size;
        char bytes[FORMAT_SIZE];
        if (share > max_share)
            full =
                arena_format(arena, "%s%sGPU %" PRId64 " (%.1f%% of %s)", full, *full ? ", " : "",
                             device_number(profile, d), 100 * share, format_bytes(bytes, size));
    }
    return full;
}

static void add_unknown(const struct profile *profile, struct finding_list *findings)
{
    struct finding *finding = finding_add(findings, &detect_plugin_memory, SEVERITY_NOT_JUDGED);
    if (profile_is_trace(profile)) {
        finding->problem =
            "Whether the memory of a GPU is nearly full is not told: the trace has no "
            "records of the allocator";
        finding->recommendation = "Profile with profile_memory=True";
        return;
    }
    finding->problem = "Whether the memory of a GPU is nearly full is not told: an export of nsys "
                       "knows what the driver reserved, not what tensors take";
    finding->recommendation = profile->has_memory_events
                                  ? "See torch.cuda.max_memory_allocated() in the script; the "
                                    "report gpu_memory tells how much the driver gave"
                                  : "See torch.cuda.max_memory_allocated() in the script";
}

static void plugin_memory(const struct profile *profile, const struct selection *selection,
                          struct finding_list *findings)
{
    if (profile->work.count == 0)
        return;
    if (!profile->has_allocations) {
        add_unknown(profile, findings);
        return;
    }
    const char *full = full_gpus(profile, selection, findings->arena);
    if (!*full)
        return;
    struct finding *finding = finding_add(findings, &detect_plugin_memory, SEVERITY_NOTE);
    finding->problem = arena_format(findings->arena, "Device memory is at the limit: %s", full);
    finding->recommendation = "Try gradient checkpointing or AMP (automatic mixed precision)";
    finding->opens = "memory_peaks";
}

const struct detector detect_plugin_memory = {
    .id = "plugin_memory",
    .title = "memory at the limit (PyTorch's plugin)",
    .doc = "PyTorch's TensorBoard plugin: tensors take more than 90% of a GPU's memory at some "
           "moment. Not judged where the file does not tell, as an export of nsys.",
    .needs_no_times = true,
    .is_plugin = true,
    .detect = plugin_memory,
};
