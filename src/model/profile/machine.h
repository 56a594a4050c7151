// SPDX-License-Identifier: Apache-2.0
// Who ran and how it was recorded: the processes, threads, GPUs and streams of a profile, its files
// and what the capture says of itself. Part of profile.h, which is what others include.
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strings.h"

// ---- processes, threads, GPUs, streams ---------------------------------------------------------

enum { PROCESS_NO_GPU, PROCESS_ONE_GPU }; // of process.gpus
struct process {
    int64_t global_pid; // whole identity: globalTid with the low 24 bits cleared
    uint32_t pid;
    string_id name;  // of the executable, STRING_NONE when unknown
    uint32_t source; // row of sources
    uint32_t gpus;   // how many, by its streams
    uint32_t device; // PROCESS_ONE_GPU: which
    // By processes_tell_apart(), for names:
    uint32_t of_pid;  // how many of its pid come before, as machines may have
    bool has_company; // another one of its source used a GPU
};

struct process_group { // those of one host, or of one role
    const char *label; // "host 2", "role stage 1", "role prefill": how one says it
    bool *members;     // [process_count]
    bool *devices;     // [device_count]: they ran anything on it
    uint32_t gpus;     // how many of these
};

struct thread {
    int64_t global_tid;
    uint32_t tid;
    uint32_t process;
    string_id name;
    // Rows of this thread in the thread-major tables: [first, end).
    uint32_t first_range, end_range;
    uint32_t first_api, end_api;
    uint32_t first_osrt, end_osrt;
    uint32_t first_overhead, end_overhead;
};

enum { DEVICES_MOST = 4096 + 1 }; // of a file: much is worked out of each

// A device is physical: (host, GPU). deviceId of the file is an ordinal within one process.
struct device {
    uint32_t gpu_id;  // id of the GPU in the file's own list; ROW_NONE when the list lacks it
    uint32_t ordinal; // the CUDA ordinal (of the first process that used it)
    string_id name;   // "NVIDIA H100 80GB HBM3"
    string_id uuid;
    string_id bus;    // PCI bus location
    int64_t sm_count; // UNKNOWN where not told
    int64_t memory_bytes;
    int64_t memory_bandwidth; // bytes per second
    int64_t clock_hz;
    int32_t compute_major, compute_minor; // -1: unknown
    bool has_work;                        // ran a kernel, copy, memset or graph
    bool has_kernels;
    // Its work was found by the process's number of it, which in another file may be another GPU.
    bool is_by_ordinal;
    bool is_assumed; // told apart by (process, ordinal) only: nothing in the file settles it
    uint32_t first_work, end_work; // rows of gpu_work (device-major)
    int64_t longest_ns;            // of them, when gpu_work.exclusive is there
    uint32_t source;               // row of sources: the first that lists it
};

extern const struct device device_unknown; // nothing is known of it

enum stream_role { ROLE_COMPUTE, ROLE_COMM, ROLE_H2D, ROLE_D2H, ROLE_SIDE, ROLE_COUNT };
extern const char *const stream_role_names[ROLE_COUNT]; // "compute", "comm", "H2D", ...

struct stream {
    uint32_t process, device;
    uint32_t context;
    int64_t stream_id;     // as in the file: unique only within (process, device, context)
    bool is_null;          // the default stream
    enum stream_role role; // derived from what it ran most (by time; kernels before copies)
};

// ---- files and capture -------------------------------------------------------------------------

// What is known of its part in the job; see roles.h.
enum { ROLE_KINDS = 6 };
struct roles {
    int64_t number[ROLE_KINDS]; // pipeline stage, place in tensor parallelism ...; UNKNOWN
    const char *word;           // "prefill"; "": none
};

struct source {
    const char *path;    // as given
    const char *format;  // name of the loader: "nsys"
    const char *version; // of the tool that wrote it, "" when not told
    const char *schema;  // "3.25.0", "" when not told
    int64_t bytes;
    uint64_t host;         // of the machine's name, which is nobody's business; 0: not told
    uint32_t host_row;     // machines in order of first appearance, from 0 on; ROW_NONE: not told
    int64_t rank;          // of its process in the job, UNKNOWN
    struct roles roles;    // of that process
    bool has_recorded_ops; // itself: what its ranges say is not read again
    uint32_t end_unowned; // of several sources: its rows of overheads that name no thread end here,
                          // those of the source before where they begin
    struct clock {        // how its times became those of the first source; see clocks.h
        int64_t offset;   // that its wall clock needed, in the middle of what was compared
        int64_t spread;   // ns within which half of what should end together did; UNKNOWN: by the
                          // wall clocks alone
        bool is_aligned;  // false: by nothing
    } clock;
};

// What the capture says of the machine and itself; "" where the file does not tell.
struct capture {
    const char *name; // that the user gave the run: DLProf's Profile Name
    const char *cpu, *driver, *cuda, *cudnn, *framework, *nsys;
    const char *dlprof, *dlprof_build; // version and build, where DLProf itself made the file
    const char *graph_mode;            // "graph", "node", ""
    const char *event_trace;           // "true", "false", ""
    const char *trace_options;         // "cuda,nvtx,osrt" as far as known
    const char *started;               // wall time "2026-11-20 14:02", ""
    int64_t utc_epoch_ns;              // of time 0; UNKNOWN
    // Of the GPU with most of its memory used, in any unit; 0: not told.
    int64_t gpu_memory_total, gpu_memory_used;
};
#define CAPTURE_UNKNOWN \
    ((struct capture){"", "", "", "", "", "", "", "", "", "", "", "", "", UNKNOWN, 0, 0})

static inline double capture_memory_share(const struct capture *capture) // 0..1; 0: not told
{
    return capture->gpu_memory_total > 0
               ? (double)capture->gpu_memory_used / (double)capture->gpu_memory_total
               : 0;
}

// How DLProf's model_config ranges set the model, with DLProf's own defaults.
struct model_config {
    bool is_told; // a model_config range was found
    int64_t num_workers, pin_memory, cudnn_benchmark_disabled, detect_anomaly, gradcheck,
        gradgradcheck, autograd_profile, emit_nvtx, amp_enabled;
};

#endif
