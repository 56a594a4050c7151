// SPDX-License-Identifier: Apache-2.0
// Communication of the workers of a job, as the distributed view of PyTorch's TensorBoard plugin has it:
// what of it computing hides, and what of it is waiting for the worker that comes last.
//
// A call of a collective is an op of torch.distributed on the host with the kernels that it launches, or a
// kernel alone. Calls of several workers are one where they have process group and sequence number in
// common, as newer traces tell; else the n-th of a name in each worker is one. What the shortest of its
// members takes is the transfer, at the end of each; the rest is synchronising. So clocks need not agree.
// (That figure is the plugin's, distributed data of torch_tb_profiler 0.4.)
//
// Times are ns of the profile, sizes bytes. What is handed out lives in the arena that is given, or in the
// memo of the profile where that keeps it, and is nobody's to change.
#ifndef ANALYSIS_DISTRIBUTED_H
#define ANALYSIS_DISTRIBUTED_H

#include "analysis/plugin/plugin_steps.h"

struct comm_call {
    uint32_t worker; // of plugin_steps
    uint32_t step;   // of the worker, in which it begins; ROW_NONE
    string_id name;
    uint32_t told;  // row of told_collectives, ROW_NONE
    int64_t start;  // of its first part
    int64_t bytes;  // that it is given; UNKNOWN
    bool is_paired; // with those of other workers
};

struct comm_part { // the op, or a kernel
    uint32_t call;
    int64_t start, end;
    int64_t transfer; // when that begins; `end`: it is not known what of it is transfer
    bool is_op;
};

struct distributed {
    const struct plugin_steps *steps;
    size_t call_count, part_count;
    const struct comm_call *calls;
    const struct comm_part *parts;      // of one worker and start after each other
    struct distributed_step **parts_of; // by worker and step
};

struct distributed_step {
    int64_t total_ns;
    int64_t computing_ns, overlap_ns, communication_ns, other_ns; // add up to it
    int64_t transfer_ns, synchronizing_ns; // of the calls that begin in it, as long as they take
    bool is_paired;                        // any of these is
};

// Of the workers in scope, all steps.
const struct distributed *distributed_of(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena);

// The length of the union of parts, and of their transfers, of each group of calls. `group_of`: by call,
// ROW_NONE: it is in none.
struct comm_time {
    int64_t total_ns, transfer_ns;
};
struct comm_time *comm_times_of(const struct distributed *distributed, const uint32_t *group_of,
                                uint32_t groups, struct arena *arena);

// "rank 3", else what the file is called, "worker0"; the process beside it where a file has several.
const char *worker_text(const struct profile *profile, const struct plugin_worker *worker,
                        struct arena *arena);
// What it is by in a comparison: the same; "" of one worker alone without a rank, whose name is by its
// process or file and so another one in each profile.
const char *worker_known_as(const struct profile *profile, const struct distributed *distributed,
                            uint32_t worker, struct arena *arena);

#endif
