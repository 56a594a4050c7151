// SPDX-License-Identifier: Apache-2.0
// Steps and their parts as PyTorch's TensorBoard plugin cuts them, per worker.
//
// A step begins where the host begins it, or where the previous one ends, and lasts until the last
// GPU work that it launched is done, so steps do not overlap and contain their work. Steps at the
// end that launch no work are dropped, and so is the last step if the step before it launches more
// than 1.25 times as much work. The parts of a step are breakdown_plugin: each instant belongs to
// the first active role. (Roles and their order are the plugin's: overview of torch_tb_profiler
// 0.4.)
//
// Times are ns of the profile. Results live in the arena that is passed, or in the memo of the
// profile, and must not be modified.
#ifndef ANALYSIS_PLUGIN_PLUGIN_STEPS_H
#define ANALYSIS_PLUGIN_PLUGIN_STEPS_H

#include "analysis/breakdown/breakdown.h"

enum {
    PLUGIN_KERNEL,
    PLUGIN_MEMCPY,
    PLUGIN_MEMSET,
    PLUGIN_COMMUNICATION,
    PLUGIN_RUNTIME,
    PLUGIN_LOADER,
    PLUGIN_CPU,
    PLUGIN_OTHER,
    PLUGIN_ROLES
};
extern const struct breakdown_scheme breakdown_plugin;

struct plugin_step {
    int64_t number;                // from its range or the split; 0 if it has no number
    uint32_t iteration;            // step of the split; ROW_NONE: none, and it is always selected
    int64_t host_start, host_stop; // from its range or the split
    int64_t start, stop;           // host and GPU together; the parts add up to this interval
    uint32_t launched;             // number of pieces of GPU work it launched
    struct breakdown parts;        // of [start, stop)
};

// A process; for a trace of the PyTorch Profiler the whole file, unless several of its processes
// use a GPU.
struct plugin_worker {
    uint32_t process; // the first process of the worker
    uint32_t count;
    uint32_t dropped; // steps dropped at the end
    struct plugin_step *steps;
};

struct plugin_steps {
    const char *by; // what marks the steps: "ProfilerStep#N"; "": there are no marks
    uint32_t count; // workers with at least one step
    struct plugin_worker *workers;
    const uint32_t *worker_of; // [process] worker.process
};

// Returns all steps of the workers of the selected process, with the work of the selected GPU.
const struct plugin_steps *plugin_steps_of(const struct profile *profile,
                                           const struct selection *selection, struct arena *arena);
// Says what marks the steps: 'by "ProfilerStep#N"'. Without marks it says that the whole trace is
// one step, even if the program finds steps; then selecting steps has no effect.
const char *plugin_steps_text(const struct plugin_steps *steps, const struct selection *selection,
                              struct arena *arena);
bool plugin_step_is_selected(const struct selection *selection, const struct plugin_step *step);

// Returns the mean of `count` sums; its parts add up exactly.
struct breakdown plugin_mean(const struct breakdown *sum, int64_t count);
// Returns the mean over all selected steps of all workers; *count is their number.
struct breakdown plugin_average(const struct plugin_steps *steps, const struct selection *selection,
                                int64_t *count);

#endif
