// SPDX-License-Identifier: Apache-2.0
// Lists the GPUs of the file and the work of each. Unused GPUs have rows unless the selection names
// a host, role, process or GPU; they are never part of an average.
#include <inttypes.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/kind_times.h"
#include "analysis/breakdown/metrics.h"
#include "analysis/idle/exposed.h"
#include "analysis/idle/idle_text.h"
#include "analysis/report/report.h"
#include "analysis/report/stats.h"
#include "analysis/sums/stream_work.h"
#include "base/id_map.h"
#include "model/profile/ranks.h"
#include "model/rules/rules.h"

struct device_row {
    const struct profile *profile;
    uint32_t device;
    const char *gpu;  // its number as text; NULL if no selected work ran on it
    const char *sole; // "" if no other GPU has selected work, else NULL
    uint32_t streams, processes;
    int64_t rank;                    // rank of the processes with streams on it, or UNKNOWN
    const char *role;                // role of the same processes, or NULL
    int64_t kernels, copies, graphs; // numbers of pieces of work
    int64_t kernel_ns, comm_ns, copy_ns, graph_ns; // sums of durations
    int64_t busy_ns, window_ns;     // busy_ns: union of work within the window, or UNKNOWN
    const struct exposed *exposed;  // NULL while the profile is still loading
    const struct kind_times *kinds; // NULL while the profile is still loading
    const struct idle_sum *idle;
    const char *causes; // text of the largest idle causes
    struct metric_sums metrics;
};

static const struct device_row *row_of(const void *row)
{
    return row;
}

static const struct device *device_of(const void *row)
{
    return &row_of(row)->profile->devices[row_of(row)->device];
}

static struct value text_value(const void *row, string_id text)
{
    return text == STRING_NONE ? value_none()
                               : value_text(profile_text(row_of(row)->profile, text));
}

static struct value get_number(const void *row)
{
    return value_integer(device_number(row_of(row)->profile, row_of(row)->device));
}

static struct value get_name(const void *row)
{
    return text_value(row, device_of(row)->name);
}

static struct value get_used(const void *row)
{
    return value_state(device_of(row)->has_work ? STATE_YES : STATE_NO);
}

static struct value get_rank(const void *row)
{
    return value_integer(row_of(row)->rank);
}

static struct value get_role(const void *row)
{
    return value_text(row_of(row)->role);
}

static struct value get_host(const void *row)
{
    return value_integer(device_host(row_of(row)->profile, row_of(row)->device));
}

static struct value get_busy_share(const void *row)
{
    const struct device_row *r = row;
    return r->busy_ns != UNKNOWN ? value_share(r->busy_ns, r->window_ns) : value_none();
}

static struct value get_busy(const void *row)
{
    return value_integer(row_of(row)->busy_ns);
}

static struct value get_window(const void *row)
{
    return row_of(row)->window_ns > 0 ? value_integer(row_of(row)->window_ns) : value_none();
}

static struct value get_kernels(const void *row)
{
    return value_integer(row_of(row)->kernels);
}

static struct value get_kernel_ns(const void *row)
{
    return value_integer(row_of(row)->kernel_ns);
}

static struct value get_comm_ns(const void *row)
{
    return value_integer(row_of(row)->comm_ns);
}

static struct value get_copies(const void *row)
{
    return value_integer(row_of(row)->copies);
}

static struct value get_copy_ns(const void *row)
{
    return value_integer(row_of(row)->copy_ns);
}

static struct value get_graphs(const void *row)
{
    return value_integer(row_of(row)->graphs);
}

static struct value get_graph_ns(const void *row)
{
    return value_integer(row_of(row)->graph_ns);
}

static struct value get_streams(const void *row)
{
    return value_integer(row_of(row)->streams);
}

static struct value get_processes(const void *row)
{
    return value_integer(row_of(row)->processes);
}

static bool has_window(const void *row)
{
    return row_of(row)->window_ns > 0 && row_of(row)->exposed;
}

static struct value get_exposed(const void *row)
{
    return has_window(row) ? value_integer(row_of(row)->exposed->ns) : value_none();
}

static struct value split_value(const void *row, int64_t ns)
{
    const struct exposed *exposed = row_of(row)->exposed;
    bool is_known = exposed->is_separable || exposed->ns == 0;
    return is_known ? value_integer(ns) : value_none();
}

static struct value get_wait(const void *row)
{
    return has_window(row) ? split_value(row, row_of(row)->exposed->wait_ns) : value_none();
}

static struct value get_transfer(const void *row)
{
    return has_window(row) ? split_value(row, row_of(row)->exposed->transfer_ns) : value_none();
}

static struct value get_pair(const void *row)
{
    return has_window(row) ? value_integer(row_of(row)->exposed->point_to_point_ns) : value_none();
}

static struct value get_unsplit(const void *row)
{
    return has_window(row) ? value_integer(row_of(row)->exposed->unsplit_ns) : value_none();
}

static struct value get_idle(const void *row)
{
    return has_window(row) ? value_integer(row_of(row)->idle->idle_ns) : value_none();
}

static struct value get_causes(const void *row)
{
    return has_window(row) ? value_text(row_of(row)->causes) : value_none();
}

static struct value kinds_value(const void *row, unsigned kinds, unsigned concurrent)
{
    return has_window(row) ? value_integer(kind_times_sum(row_of(row)->kinds, kinds, concurrent))
                           : value_none();
}

static struct value get_computing(const void *row)
{
    return kinds_value(row, 1u << CLASS_COMPUTE, 0);
}

static struct value get_other(const void *row)
{
    return has_window(row)
               ? value_integer(row_of(row)->busy_ns -
                               kind_times_sum(row_of(row)->kinds, 1u << CLASS_COMPUTE, 0))
               : value_none();
}

static struct value get_communicating(const void *row)
{
    return kinds_value(row, 1u << CLASS_COMM, 0);
}

static struct value get_hidden(const void *row)
{
    return kinds_value(row, 1u << CLASS_COMM, 1u << CLASS_COMPUTE);
}

static struct value get_hidden_share(const void *row)
{
    return has_window(row) ? value_share(get_hidden(row).integer, get_communicating(row).integer)
                           : value_none();
}

static struct value get_sms(const void *row)
{
    return value_integer(device_of(row)->sm_count);
}

static struct value get_memory(const void *row)
{
    return value_integer(device_of(row)->memory_bytes);
}

static struct value get_bandwidth(const void *row)
{
    int64_t bandwidth = device_of(row)->memory_bandwidth;
    return bandwidth == UNKNOWN ? value_none() : value_real((double)bandwidth);
}

static struct value get_clock(const void *row)
{
    int64_t hertz = device_of(row)->clock_hz;
    return hertz == UNKNOWN ? value_none() : value_real((double)hertz / 1e6);
}

static struct value get_capability(const void *row)
{
    const struct device *device = device_of(row);
    return device->compute_major < 0
               ? value_none()
               : value_real(device->compute_major + device->compute_minor / 10.0);
}

static struct value peak_value(double peak)
{
    return peak > 0 ? value_real(peak) : value_none();
}

static struct value get_fp32_peak(const void *row)
{
    return peak_value(device_peaks(row_of(row)->profile, row_of(row)->device).fp32);
}

static struct value get_fp16_peak(const void *row)
{
    return peak_value(device_peaks(row_of(row)->profile, row_of(row)->device).fp16);
}

static struct value get_peaks_from(const void *row)
{
    struct gpu_peaks peaks = device_peaks(row_of(row)->profile, row_of(row)->device);
    return !peaks.name || (peaks.fp32 <= 0 && peaks.fp16 <= 0) ? value_none()
           : peaks.is_from_clock                               ? value_text("SMs x clock")
                                                               : value_text(peaks.name);
}

static struct value get_gpu_id(const void *row)
{
    uint32_t id = device_of(row)->gpu_id;
    return id == ROW_NONE ? value_none() : value_integer(id);
}

static struct value get_ordinal(const void *row)
{
    uint32_t ordinal = device_of(row)->ordinal;
    return ordinal == ROW_NONE ? value_none() : value_integer(ordinal);
}

static struct value get_bus(const void *row)
{
    return text_value(row, device_of(row)->bus);
}

static struct value get_uuid(const void *row)
{
    return text_value(row, device_of(row)->uuid);
}

static struct value get_assumed(const void *row)
{
    return value_state(device_of(row)->is_assumed ? STATE_YES : STATE_NO);
}

static const struct metric_sums *sums_of(const void *row)
{
    return &row_of(row)->metrics;
}

METRIC_GETTERS(sums_of)

static const struct column columns[] = {
    {"device", "GPU", "gpu", UNIT_ID, get_number,
     "Number of the GPU: as nsys numbers it, else the process; of files that give one number to "
     "several GPUs, counted through all of them.",
     COLUMN_IDENTIFIES},
    {"rank", "Rank", "rank", UNIT_ID, get_rank,
     "Rank in the job of the process that ran work on it, where its file tells.", COLUMN_MARK},
    {"host", "Host", "host", UNIT_ID, get_host,
     "Machine it is in, numbered in the order of the files; names of machines are not shown.",
     COLUMN_MARK | COLUMN_WIDE},
    {"role", "Role", "role", UNIT_TEXT, get_role,
     "Part in the job of the process that ran work on it: pipeline stage, tensor (tp), data (dp), "
     "context (cp) or expert (ep) parallel place, prefill, decode ..., as ROLE_NAME, VLLM_DP_RANK "
     "or all files' names tell.",
     COLUMN_MARK},
    {"name", "Name", "name", UNIT_TEXT, get_name, "Model of the GPU.", COLUMN_NAME},
    {"used", "Used", "used", UNIT_STATE, get_used,
     "Whether any kernel, copy, memset or graph ran on it in the whole profile.", COLUMN_WIDE},
    {"busy", "Busy (%)", "%busy", UNIT_PERCENT, get_busy_share,
     "Union of all GPU work over the window of the selected iterations by the GPU's clock.",
     COLUMN_TIMED},
    {"busy_ns", "Busy Time (ns)", "busy time", UNIT_NS, get_busy, "That union.",
     COLUMN_BAR | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"window", "Window (ns)", "window", UNIT_NS, get_window, "That window.",
     COLUMN_WIDE | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"idle", "Idle Time (ns)", "idle", UNIT_NS, get_idle,
     "Time of that window in which nothing runs on it.", COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"causes", "Idle Causes", "idle by", UNIT_TEXT, get_causes,
     "The largest causes of its idle time, as shares of that; `idle` with this GPU in scope has "
     "all.",
     COLUMN_WIDE | COLUMN_TIMED},
    {"comm_ns", "Communication Time (ns)", "comm", UNIT_NS, get_comm_ns,
     "Sum of the durations of communication kernels and copies between GPUs.", COLUMN_NOT_ADDITIVE},
    {"computing", "Computing (ns)", "computing", UNIT_NS, get_computing,
     "Union of the kernels that compute, in that window: HTA's compute time.",
     COLUMN_DETAIL | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"not_computing", "Busy, Not Computing (ns)", "not computing", UNIT_NS, get_other,
     "Busy time less that: communication and copies that nothing hides, graphs; HTA's non-compute "
     "time.",
     COLUMN_DETAIL | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"communicating", "Communicating (ns)", "communicating", UNIT_NS, get_communicating,
     "Union of the communication, in that window.",
     COLUMN_DETAIL | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"comm_hidden", "Communication beside Kernels (ns)", "hidden comm", UNIT_NS, get_hidden,
     "Of that, while kernels compute.", COLUMN_DETAIL | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"comm_overlap", "Communication Hidden (%)", "%hidden", UNIT_PERCENT, get_hidden_share,
     "That over all of it: how much of the communication computing hides, HTA's overlap.",
     COLUMN_DETAIL | COLUMN_TIMED},
    {"comm_exposed", "Exposed Communication (ns)", "exposed", UNIT_NS, get_exposed,
     "Union of communication less the union of kernels that compute, in that window.",
     COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"comm_wait", "Waiting in Communication (ns)", "waits", UNIT_NS, get_wait,
     "Of exposed communication: collectives from their own start to the start of the GPU that "
     "comes last. Known where several GPUs of the file run the same collectives in step; "
     "of one rank alone waiting and transfer are not separable.",
     COLUMN_WIDE | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"comm_transfer", "Transfer in Communication (ns)", "transfer", UNIT_NS, get_transfer,
     "Of exposed communication: collectives from there on.",
     COLUMN_WIDE | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"comm_paired", "Sends and Receives (ns)", "bubble", UNIT_NS, get_pair,
     "Of exposed communication: point to point, where waiting is the bubble of a pipeline.",
     COLUMN_DETAIL | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"comm_unsplit", "Communication Not Split (ns)", "unsplit", UNIT_NS, get_unsplit,
     "Of exposed communication: collectives of which waiting and transfer cannot be told apart.",
     COLUMN_DETAIL | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"kernels", "Kernels", "kernels", UNIT_COUNT, get_kernels,
     "Kernels that ran, communication too.", COLUMN_WIDE | COLUMN_NOT_ADDITIVE},
    {"kernel_ns", "Kernel Time (ns)", "kernel time", UNIT_NS, get_kernel_ns,
     "Sum of the durations of kernels that compute.", COLUMN_NOT_ADDITIVE},
    {"copies", "Copies", "copies", UNIT_COUNT, get_copies,
     "Copies and memsets, those between GPUs too.",
     COLUMN_WIDE | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"copy_ns", "Copy Time (ns)", "copy time", UNIT_NS, get_copy_ns,
     "Sum of the durations of copies and memsets; those between GPUs are communication.",
     COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"graphs", "Graph Replays", "graphs", UNIT_COUNT, get_graphs,
     "Replays of CUDA graphs traced as a whole.",
     COLUMN_DETAIL | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"graph_ns", "Graph Time (ns)", "graph time", UNIT_NS, get_graph_ns, "Sum of their durations.",
     COLUMN_DETAIL | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"streams", "Streams", "streams", UNIT_COUNT, get_streams, "Streams with work.", COLUMN_WIDE},
    {"processes", "Processes", "procs", UNIT_COUNT, get_processes, "Processes with work on it.",
     COLUMN_WIDE},
    {"sms", "SMs", "SMs", UNIT_COUNT, get_sms, "Streaming multiprocessors.", COLUMN_WIDE},
    {"memory", "Memory (B)", "memory", UNIT_BYTES, get_memory, "Size of its memory.", COLUMN_WIDE},
    {"bandwidth", "Memory Bandwidth (B/s)", "bandwidth", UNIT_RATE, get_bandwidth,
     "Peak of its memory as the file tells.", COLUMN_DETAIL},
    {"clock", "Clock (MHz)", "MHz", UNIT_REAL, get_clock, "Peak clock as the file tells.",
     COLUMN_DETAIL},
    {"capability", "Compute Capability", "CC", UNIT_REAL, get_capability,
     "Version of its architecture.", COLUMN_WIDE},
    METRIC_COLUMNS,
    {"fp32_peak", "FP32 Peak (TFLOP/s)", "fp32", UNIT_REAL, get_fp32_peak,
     "What it can compute in FP32 at most, without Tensor Cores.", COLUMN_DETAIL},
    {"fp16_peak", "16-bit Peak (TFLOP/s)", "16 bit", UNIT_REAL, get_fp16_peak,
     "The same in 16 bit on Tensor Cores, dense, with sums in FP32.", COLUMN_DETAIL},
    {"peaks_from", "Peaks From", "peaks from", UNIT_TEXT, get_peaks_from,
     "Where its peaks are from: the row of gpus.yaml of that name; SMs x clock: a card that it has "
     "no figures "
     "of, by what a multiprocessor of its compute capability does in a clock.",
     COLUMN_DETAIL},
    {"gpu_id", "GPU ID", "id", UNIT_ID, get_gpu_id, "Number of the GPU in the file.",
     COLUMN_DETAIL},
    {"ordinal", "CUDA Ordinal", "ordinal", UNIT_ID, get_ordinal,
     "Number by which the first process that used it calls it.", COLUMN_DETAIL},
    {"bus", "PCI Bus", "bus", UNIT_TEXT, get_bus, "Place on the PCI bus.", COLUMN_DETAIL},
    {"uuid", "UUID", "uuid", UNIT_TEXT, get_uuid, "Unique number of the card.", COLUMN_DETAIL},
    {"assumed", "Identity Assumed", "assumed", UNIT_STATE, get_assumed,
     "Whether nothing in the file settles which card it is: told apart by process and ordinal.",
     COLUMN_DETAIL},
};

static void row_add(struct device_row *row, const struct stream_work *work)
{
    row->kernels += work->kernels;
    row->copies += work->copies;
    row->graphs += work->graphs;
    sum_add(&row->kernel_ns, work->ns[CLASS_COMPUTE]);
    sum_add(&row->comm_ns, work->ns[CLASS_COMM]);
    sum_add(&row->copy_ns, work->ns[CLASS_COPY]);
    sum_add(&row->graph_ns, work->ns[CLASS_GRAPH]);
}

// Adds the work of the streams to their devices, and counts streams and processes with work.
static void add_streams(struct device_row *rows, const struct profile *profile,
                        const struct stream_work *streams, struct arena *arena)
{
    struct id_map counted = {.arena = arena}; // (process, device) -> 1 once it is counted
    for (uint32_t s = 0; s < profile->stream_count; s++) {
        const struct stream *stream = &profile->streams[s];
        if (!stream_is_used(&streams[s]))
            continue;
        row_add(&rows[stream->device], &streams[s]);
        rows[stream->device].streams++;
        uint32_t *slot = id_map_slot(&counted, (struct id_key){stream->process, stream->device, 0});
        rows[stream->device].processes += !*slot;
        *slot = 1;
    }
}

// Sets the texts that match a GPU in another profile.
static void set_match_texts(struct device_row *rows, const struct profile *profile,
                            struct arena *arena)
{
    size_t count = 0;
    for (uint32_t d = 0; d < profile->device_count; d++)
        count += rows[d].streams > 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (rows[d].streams == 0)
            continue;
        rows[d].gpu = arena_format(arena, "%" PRId64, device_number(profile, d));
        rows[d].sole = count == 1 ? "" : NULL;
    }
}

// Drops the rows that are not selected and returns the number of the others. An unused GPU is
// dropped if the selection names a process, since no process owns it.
static size_t rows_keep(struct device_row *rows, const struct profile *profile,
                        const struct selection *selection, struct arena *arena)
{
    bool *is_chosen = ARENA_ARRAY(arena, bool, (size_t)profile->device_count + 1);
    size_t count = 0;
    for (uint32_t s = 0; s < profile->stream_count; s++)
        is_chosen[profile->streams[s].device] |=
            process_is_selected(profile, selection->process, profile->streams[s].process);
    for (uint32_t d = 0; d < profile->device_count; d++)
        if ((selection->process == ROW_NONE || is_chosen[d]) &&
            (selection->device == ROW_NONE || selection->device == d))
            rows[count++] = rows[d];
    return count;
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (profile->device_count == 0)
        return (struct rows){.empty = "The profile names no GPU and holds no GPU work."};
    struct device_row *rows = ARENA_ARRAY(arena, struct device_row, profile->device_count);
    const struct breakdown *breakdowns =
        profile->work.count && profile->stage >= STAGE_READY
            ? breakdown_devices(profile, selection, &breakdown_gpu, arena)
            : NULL;
    const struct exposed *exposed = breakdowns ? exposed_devices(profile, selection, arena) : NULL;
    const struct kind_times *kinds =
        breakdowns ? kind_times_devices(profile, selection, arena) : NULL;
    const struct idle_sum *idle = breakdowns ? idle_devices(profile, selection, arena) : NULL;
    int64_t *ranks = ARENA_ARRAY(arena, int64_t, profile->device_count);
    device_ranks(profile, ranks);
    const char **roles = device_roles(profile, arena);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        rows[d] = (struct device_row){.profile = profile,
                                      .device = d,
                                      .rank = ranks[d],
                                      .role = roles[d],
                                      .busy_ns = UNKNOWN};
        rows[d].exposed = exposed ? &exposed[d] : NULL;
        rows[d].kinds = kinds ? &kinds[d] : NULL;
        rows[d].idle = idle ? &idle[d] : NULL;
        rows[d].causes = idle ? idle_causes_text(&idle[d], 3, arena) : NULL;
        metric_sums_iteration(&rows[d].metrics, profile, selection, d, ROW_NONE);
        if (breakdowns && breakdowns[d].window_ns > 0) {
            rows[d].window_ns = breakdowns[d].window_ns;
            rows[d].busy_ns = breakdown_busy_ns(&breakdowns[d]);
        }
    }
    add_streams(rows, profile, stream_work_of(profile, selection, arena), arena);
    set_match_texts(rows, profile, arena);
    return (struct rows){.items = rows,
                         .count = rows_keep(rows, profile, selection, arena),
                         .empty = "What is looked at uses no GPU."};
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

const struct report report_devices = {
    .name = "devices",
    .title = "GPUs",
    .doc =
        "The GPUs of the file, used or not, and what ran on each; of a host, role, rank or process "
        "those that it uses.",
    .row_size = sizeof(struct device_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .id = row_id,
    .narrow = row_narrow,
    .match = row_match,
    .fallback_matches = matches,
    .is_aggregate = true,
    .apart = "overlap",
};
