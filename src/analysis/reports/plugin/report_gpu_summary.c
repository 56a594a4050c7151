// SPDX-License-Identifier: Apache-2.0
// The GPU summary of PyTorch's TensorBoard plugin: the GPUs that ran kernels and how well they were
// used.
#include <inttypes.h>

#include "analysis/breakdown/tensor_cores.h"
#include "analysis/plugin/gpu_summary.h"
#include "analysis/plugin/plugin_steps.h"
#include "analysis/report/report.h"
#include "model/profile/ranks.h"

struct gpu_summary_row {
    const struct profile *profile;
    const char *gpu;  // its number as text
    const char *sole; // "" if it is the only GPU, else NULL
    uint32_t device;
    int64_t rank;
    const struct gpu_summary *summary;
};

static const struct gpu_summary_row *row_of(const void *row)
{
    return row;
}

static const struct device *device_of(const void *row)
{
    return &row_of(row)->profile->devices[row_of(row)->device];
}

static const struct gpu_summary *summary_of(const void *row)
{
    return row_of(row)->summary;
}

// Negative is unknown. Sums of shares may exceed 1 by rounding.
static struct value share(double value)
{
    return value < 0 ? value_none() : value_real(value < 1 ? value : 1);
}

static struct value get_device(const void *row)
{
    return value_integer(device_number(row_of(row)->profile, row_of(row)->device));
}

static struct value get_rank(const void *row)
{
    return value_integer(row_of(row)->rank);
}

static struct value get_name(const void *row)
{
    string_id name = device_of(row)->name;
    return name == STRING_NONE ? value_none()
                               : value_text(profile_text(row_of(row)->profile, name));
}

static struct value get_memory(const void *row)
{
    return value_integer(device_of(row)->memory_bytes);
}

static struct value get_capability(const void *row)
{
    const struct device *device = device_of(row);
    return device->compute_major < 0
               ? value_none()
               : value_real(device->compute_major + device->compute_minor / 10.0);
}

static struct value get_utilization(const void *row)
{
    return value_share(summary_of(row)->kernel_ns, summary_of(row)->window_ns);
}

static struct value get_sm_efficiency(const void *row)
{
    return share(summary_of(row)->sm_efficiency);
}

static struct value get_occupancy(const void *row)
{
    return share(summary_of(row)->occupancy);
}

static struct value get_recorded_occupancy(const void *row)
{
    return share(summary_of(row)->recorded_occupancy);
}

static struct value get_occupancy_known(const void *row)
{
    return share(summary_of(row)->occupancy_known);
}

static struct value get_computed(const void *row)
{
    return summary_of(row)->is_computed ? value_text("computed") : value_none();
}

static struct value get_tensor_cores(const void *row)
{
    const struct gpu_summary *summary = summary_of(row);
    bool is_unknown = summary->tensor_core_ns == 0 && summary->unknown_ns > 0;
    return is_unknown ? value_none() : value_share(summary->tensor_core_ns, summary->all_ns);
}

static struct value get_tensor_unknown(const void *row)
{
    return value_share(summary_of(row)->unknown_ns, summary_of(row)->all_ns);
}

static struct value get_tensor_least(const void *row)
{
    return tensor_share_is_least(summary_of(row)->unknown_ns, summary_of(row)->all_ns) &&
                   get_tensor_cores(row).kind != VALUE_NONE
               ? value_text("at least")
               : value_none();
}

static struct value get_window(const void *row)
{
    return summary_of(row)->window_ns > 0 ? value_integer(summary_of(row)->window_ns)
                                          : value_none();
}

static struct value get_busy(const void *row)
{
    return summary_of(row)->window_ns > 0 ? value_integer(summary_of(row)->kernel_ns)
                                          : value_none();
}

static struct value get_kernel_time(const void *row)
{
    return value_integer(summary_of(row)->all_ns);
}

static struct value get_tensor_core_time(const void *row)
{
    const struct gpu_summary *summary = summary_of(row);
    bool is_unknown = summary->tensor_core_ns == 0 && summary->unknown_ns > 0;
    return is_unknown ? value_none() : value_integer(summary->tensor_core_ns);
}

static struct value get_kernels(const void *row)
{
    return value_integer(summary_of(row)->kernels);
}

// clang-format off
static const struct column columns[] = {
    {"device", "GPU", "gpu", UNIT_ID, get_device, "Number of the GPU.", COLUMN_IDENTIFIES},
    {"rank", "Rank", "rank", UNIT_ID, get_rank,
     "Rank in the job of the process that ran work on it, where its file tells.", COLUMN_MARK},
    {"name", "Name", "name", UNIT_TEXT, get_name, "Model of the GPU.", COLUMN_NAME},
    {"memory", "Memory (bytes)", "memory", UNIT_BYTES, get_memory, "Its memory.", 0},
    {"capability", "Compute Capability", "CC", UNIT_REAL, get_capability, "Version of its "
     "architecture.", 0},
    {"utilization", "GPU Utilization (%)", "%util", UNIT_PERCENT, get_utilization,
     "Union of all kernels over the window: from the start of the first step to the end of the "
     "last, as "
     "`overview` has them. Copies do not count; graphs that are traced as a whole do.",
     COLUMN_TIMED | COLUMN_IDENTIFIES},
    {"sm_efficiency", "Est. SM Efficiency (%)", "%SM eff", UNIT_PERCENT, get_sm_efficiency,
     "Blocks of the running kernels for each multiprocessor, at most 1, over the window. Blocks "
     "as the file "
     "tells them, else the grid over the GPU's multiprocessors.",
     COLUMN_TIMED | COLUMN_IDENTIFIES},
    {"occupancy", "Est. Achieved Occupancy (%)", "%occup", UNIT_PERCENT, get_occupancy,
     "Threads at work of those that a multiprocessor holds at most, mean of the kernels in the "
     "window by "
     "their time. As the file tells it; else, and where it tells 0 of a kernel that fills 1% and "
     "more, from "
     "grid, block, registers and shared memory by the rules of NVIDIA's calculator.",
     COLUMN_TIMED | COLUMN_IDENTIFIES},
    {"tensor_cores", "Kernel Time using Tensor Cores (%)", "%TC", UNIT_PERCENT, get_tensor_cores,
     "Durations of kernels on Tensor Cores over those of all kernels, by their names. Unknown "
     "where none is "
     "known to use them and of some it is not known.",
     COLUMN_IDENTIFIES},
    {"tc_least", "Tensor Cores at Least", "at least", UNIT_TEXT, get_tensor_least,
     "at least: kernels whose names do not tell have more than 1% of the kernel time, and what of "
     "them runs on Tensor Cores comes on top.", COLUMN_MARK},
    {"tc_unknown", "Tensor Core Use Unknown (% of kernel time)", "%TC unknown", UNIT_PERCENT,
     get_tensor_unknown, "Durations of kernels whose names do not tell over those of all kernels.",
     COLUMN_DETAIL},
    {"computed", "Computed", "figures", UNIT_TEXT, get_computed,
     "computed: the file does not tell all of blocks per multiprocessor and occupancy, and what "
     "it does not "
     "is worked out.",
     COLUMN_MARK | COLUMN_WIDE},
    {"occupancy_told", "Occupancy as Told (%)", "%told", UNIT_PERCENT, get_recorded_occupancy,
     "The mean of what the file itself tells, zeros too: the plugin's figure.",
     COLUMN_DETAIL | COLUMN_TIMED},
    {"occupancy_known", "Occupancy Known (% of kernel time)", "%known", UNIT_PERCENT,
     get_occupancy_known,
     "Share of the time of kernels in the window whose occupancy is known.",
     COLUMN_DETAIL | COLUMN_TIMED},
    {"window", "Window (ns)", "window", UNIT_NS, get_window, "The window that the shares are of.",
     COLUMN_WIDE | COLUMN_TIMED | COLUMN_NOT_ADDITIVE},
    {"busy", "Busy with Kernels (ns)", "busy", UNIT_NS, get_busy, "Union of all kernels in that "
     "window.",
     COLUMN_WIDE | COLUMN_BAR | COLUMN_TIMED | COLUMN_NOT_ADDITIVE},
    {"kernel_time", "Kernel Time (ns)", "kernel time", UNIT_NS, get_kernel_time,
     "Sum of the durations of all kernels.", COLUMN_DETAIL | COLUMN_NOT_ADDITIVE},
    {"tensor_core_time", "Tensor Core Time (ns)", "TC time", UNIT_NS, get_tensor_core_time,
     "Of that, kernels on Tensor Cores.", COLUMN_DETAIL | COLUMN_NOT_ADDITIVE},
    {"kernels", "Kernels", "kernels", UNIT_COUNT, get_kernels, "Kernels that the selected steps "
     "launched.",
     COLUMN_DETAIL | COLUMN_NOT_ADDITIVE},
};
// clang-format on

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    struct gpu_summary_row *rows =
        ARENA_ARRAY(arena, struct gpu_summary_row, (size_t)profile->device_count + 1);
    const struct gpu_summary *summaries = gpu_summaries(profile, selection, arena);
    int64_t *ranks = ARENA_ARRAY(arena, int64_t, (size_t)profile->device_count + 1);
    device_ranks(profile, ranks);
    size_t count = 0;
    for (uint32_t d = 0; d < profile->device_count; d++)
        if ((profile->devices[d].has_kernels || summaries[d].kernel_ns > 0) &&
            (selection->device == ROW_NONE || selection->device == d) &&
            processes_run_on(profile, selection->process, d))
            rows[count++] = (struct gpu_summary_row){
                .profile = profile,
                .gpu = arena_format(arena, "%" PRId64, device_number(profile, d)),
                .device = d,
                .rank = ranks[d],
                .summary = &summaries[d]};
    if (count == 1)
        rows[0].sole = "";
    const char *empty = profile->work.count == 0
                            ? "No GPU work: the file holds neither kernels nor copies."
                            : "No GPU that is looked at ran a kernel.";
    const struct plugin_steps *steps = plugin_steps_of(profile, selection, arena);
    return (struct rows){.items = rows,
                         .count = count,
                         .empty = count ? NULL : empty,
                         .caption = *steps->by ? NULL : plugin_steps_text(steps, selection, arena)};
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->device;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->device = row_of(row)->device;
    return "kernels";
}

static struct row_match row_match(const void *row)
{
    return (struct row_match){{row_of(row)->gpu}};
}

// Matches the only GPU of one profile with the only GPU of the other.
static struct row_match sole_match(const void *row)
{
    return (struct row_match){{row_of(row)->sole}};
}

static struct row_match (*const matches[])(const void *row) = {sole_match, NULL};

const struct report report_gpu_summary = {
    .name = "gpu_summary",
    .title = "GPU summary",
    .doc = "How well each GPU is used in the steps, as PyTorch's TensorBoard plugin says it: "
           "utilisation, estimated SM efficiency and achieved occupancy, Tensor Cores.",
    .row_size = sizeof(struct gpu_summary_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .has_own_steps = true,
    .build = build,
    .id = row_id,
    .narrow = row_narrow,
    .match = row_match,
    .fallback_matches = matches,
    .is_aggregate = true,
    .apart = "overlap",
};
