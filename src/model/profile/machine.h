// SPDX-License-Identifier: Apache-2.0
// Where the profile was recorded: processes, threads, GPUs, streams, files, and the metadata of the
// capture. Part of profile.h, which other files include.
#ifndef MODEL_PROFILE_MACHINE_H
#define MODEL_PROFILE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strings.h"

// ---- processes, threads, GPUs, streams ---------------------------------------------------------

enum { PROCESS_NO_GPU, PROCESS_ONE_GPU }; // values of process.gpus
struct process {
    int64_t global_pid; // globalTid with the low 24 bits cleared
    uint32_t pid;
    string_id name;  // of the executable; STRING_NONE if unknown
    uint32_t source; // row of sources
    uint32_t gpus;   // number of GPUs that its streams are on
    uint32_t device; // the GPU, if PROCESS_ONE_GPU
    // Set by processes_prepare_labels(), for labels:
    uint32_t pid_occurrence; // number of earlier processes with the same pid (on other hosts)
    bool has_gpu_sibling;    // another process of its source used a GPU
    // Kernel launches that must have put work on a GPU, and of these the ones whose work is not in
    // the file (lost_work.c).
    uint32_t launches, lost;
};

// The processes of one host or of one role.
struct process_group {
    const char *label; // as displayed and typed: "host 2", "role stage 1", "role prefill"
    bool *members;     // [process_count]
    bool *devices;     // [device_count]: GPUs on which the group ran work
    uint32_t gpus;     // number of these GPUs
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

enum { MAX_DEVICES = 4096 + 1 }; // per file; limits the work done for each device

// A physical device: (host, GPU). The deviceId in a file is only an ordinal within one process.
struct device {
    uint32_t gpu_id;  // id in the file's list of GPUs; ROW_NONE if it is not listed
    uint32_t ordinal; // CUDA ordinal in the first process that used it
    string_id name;   // "NVIDIA H100 80GB HBM3"
    string_id uuid;
    string_id bus;    // PCI bus location
    int64_t sm_count; // UNKNOWN if not recorded
    int64_t memory_bytes;
    int64_t memory_bandwidth; // bytes per second
    int64_t clock_hz;
    int32_t compute_major, compute_minor; // -1: unknown
    bool has_work;                        // ran a kernel, copy, memset or graph
    bool has_kernels;
    // Its work was assigned by the ordinal within the process, which may be another GPU in another
    // file.
    bool is_by_ordinal;
    bool is_assumed;               // identified by (process, ordinal) only
    uint32_t first_work, end_work; // rows of gpu_work (device-major)
    int64_t longest_ns;            // of its longest work, if gpu_work.exclusive exists
    uint32_t source;               // row of sources: the first that lists it
};

extern const struct device device_unknown; // all members unknown

enum stream_role { ROLE_COMPUTE, ROLE_COMM, ROLE_H2D, ROLE_D2H, ROLE_SIDE, ROLE_COUNT };
extern const char *const stream_role_names[ROLE_COUNT]; // "compute", "comm", "H2D", ...

struct stream {
    uint32_t process, device;
    uint32_t context;
    int64_t stream_id;     // as in the file: unique only within (process, device, context)
    bool is_null;          // the default stream
    enum stream_role role; // derived from the work that took most time; kernels before copies
};

// ---- files and capture -------------------------------------------------------------------------

// The part of a process in a distributed job; see roles.h.
enum { ROLE_KINDS = 6 };
struct roles {
    int64_t number[ROLE_KINDS]; // pipeline stage, index in tensor parallelism ...; UNKNOWN
    const char *word;           // "prefill"; "": none
};

struct source {
    const char *path;    // as given
    const char *format;  // name of the loader: "nsys"
    const char *version; // of the tool that wrote it; "" if unknown
    const char *schema;  // "3.25.0"; "" if unknown
    int64_t bytes;
    uint64_t host;      // hash of the host name, which is not stored; 0: unknown
    uint32_t host_row;  // 0-based index of the host in order of first appearance; ROW_NONE: unknown
    int64_t rank;       // of its process in the job; UNKNOWN
    int64_t world;      // number of ranks in the job, as the file says; UNKNOWN
    struct roles roles; // of that process
    bool has_recorded_ops; // its ops are recorded, so its ranges are not parsed for ops
    // End of this source's overheads without a thread; they begin where those of the source before
    // end.
    uint32_t end_without_thread;
    struct clock {      // how its times were mapped to the clock of the first source; see clocks.h
        int64_t offset; // added to its wall clock, at the middle of the compared time
        // Nanoseconds within which half of the events that should end together did; UNKNOWN:
        // aligned by wall clocks only.
        int64_t spread;
        bool is_aligned; // false: not aligned
    } clock;
};

// Metadata of the capture; "" if unknown.
struct capture {
    const char *name; // name of the run given by the user: DLProf's Profile Name
    const char *cpu, *driver, *cuda, *cudnn, *framework, *nsys;
    const char *dlprof, *dlprof_build; // version and build if DLProf wrote the file
    const char *graph_mode;            // "graph", "node", ""
    const char *event_trace;           // "true", "false", ""
    const char *trace_options;         // "cuda,nvtx,osrt", as far as known
    const char *started;               // wall time "2026-11-20 14:02"; ""
    int64_t utc_epoch_ns;              // wall time of time 0; UNKNOWN
    // Memory of the GPU with the highest share in use, in any unit; 0: unknown.
    int64_t gpu_memory_total, gpu_memory_used;
};
#define CAPTURE_UNKNOWN \
    ((struct capture){"", "", "", "", "", "", "", "", "", "", "", "", "", UNKNOWN, 0, 0})

static inline double capture_memory_share(const struct capture *capture) // 0 to 1; 0: unknown
{
    return capture->gpu_memory_total > 0
               ? (double)capture->gpu_memory_used / (double)capture->gpu_memory_total
               : 0;
}

// The settings of DLProf's model_config ranges, with DLProf's defaults.
struct model_config {
    bool is_told; // a model_config range was found
    int64_t num_workers, pin_memory, cudnn_benchmark_disabled, detect_anomaly, gradcheck,
        gradgradcheck, autograd_profile, emit_nvtx, amp_enabled;
};

#endif
