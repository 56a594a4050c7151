// SPDX-License-Identifier: Apache-2.0
// Communication of the workers of a job, as in the distributed view of PyTorch's TensorBoard
// plugin: how much of it computing hides, and how much is waiting for the last worker.
//
// Terms:
//   call      an op of torch.distributed on the host with the kernels that it launches, or a kernel
//             without such an op
//   part      the op of a call, or one of its kernels
//   pair      the same part of the same call, one per worker. Calls of several workers are the same
//             one if process group and sequence number match, as newer traces record; otherwise the
//             n-th calls of a name match.
//   transfer  the last d ns of each part of a pair, where d is the duration of the shortest part of
//             the pair. The time before the transfer is synchronising. So the clocks of the workers
//             need not agree.
//
// (The definitions are the plugin's: distributed data of torch_tb_profiler 0.4.)
//
// Times are ns of the profile, sizes bytes. Results live in the arena that is passed, or in the
// memo of the profile, and must not be modified.
#ifndef ANALYSIS_PLUGIN_DISTRIBUTED_H
#define ANALYSIS_PLUGIN_DISTRIBUTED_H

#include "analysis/plugin/plugin_steps.h"

struct comm_call {
    uint32_t worker; // row of plugin_steps.workers
    uint32_t step;   // step of the worker in which it begins; ROW_NONE
    string_id name;
    uint32_t told;  // its record, row of told_collectives; ROW_NONE
    int64_t start;  // start of its first part
    int64_t bytes;  // size of its input; UNKNOWN
    bool is_paired; // matched with calls of other workers
};

struct comm_part { // the op, or one kernel
    uint32_t call;
    int64_t start, end;
    int64_t transfer; // start of the transfer; equals `end` if unknown
    bool is_op;
};

struct distributed {
    const struct plugin_steps *steps;
    size_t call_count, part_count;
    const struct comm_call *calls;
    const struct comm_part *parts;      // parts of the calls
    struct distributed_step **parts_of; // [worker][step]
};

struct distributed_step {
    int64_t total_ns;
    int64_t computing_ns, overlap_ns, communication_ns, other_ns; // these add up to total_ns
    int64_t transfer_ns, synchronizing_ns; // full duration of the calls that begin in the step
    bool is_paired;                        // some call is paired
};

// Returns the workers in scope with all their steps.
const struct distributed *distributed_of(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena);

struct comm_time {
    int64_t total_ns, transfer_ns; // length of the union of parts, and of their transfers
};
// Returns the times of each group of calls. group_of[call] is the group of a call; ROW_NONE: none.
struct comm_time *comm_times_of(const struct distributed *distributed, const uint32_t *group_of,
                                uint32_t groups, struct arena *arena);

// "rank 3"; "pid 4711" if the file has several processes or is the only one; else the name of the
// file, "worker0".
const char *worker_text(const struct profile *profile, const struct plugin_worker *worker,
                        struct arena *arena);
// The name of a worker in a comparison: the same, but "" for a single worker without a rank, whose
// name (process or file) differs between profiles.
const char *worker_compare_name(const struct profile *profile,
                                const struct distributed *distributed, uint32_t worker,
                                struct arena *arena);

#endif
