// SPDX-License-Identifier: Apache-2.0
// Steps and their parts as PyTorch's TensorBoard plugin cuts them, worker by worker.
//
// A step begins where the host begins it, or where the one before ends, and lasts until the last GPU work
// that it launched is done: so steps follow each other and hold their work. Of the steps at the end those
// that launch nothing are no steps, and neither is the last one when the one before launches a quarter
// more. What a step is made of is breakdown_plugin: each instant belongs to the first role that is active.
// (The roles and their order are the plugin's, overview of torch_tb_profiler 0.4.)
//
// Times are ns of the profile. What is handed out lives in the arena that is given, or in the memo of the
// profile where that keeps it, and is nobody's to change.
#ifndef ANALYSIS_PLUGIN_STEPS_H
#define ANALYSIS_PLUGIN_STEPS_H

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
    int64_t number;                // as its range says, or the split; 0 of one that nothing numbers
    uint32_t iteration;            // of the split; ROW_NONE: none, and it is always selected
    int64_t host_start, host_stop; // as its range says, or the split
    int64_t start, stop;           // host and GPU together: what parts add up to
    uint32_t launched;             // pieces of GPU work
    struct breakdown parts;        // of its time
};

struct
    plugin_worker { // a process; of a trace of the PyTorch Profiler all of its file, unless several
                    // of its processes use a GPU
    uint32_t process; // the first of these
    uint32_t count;
    uint32_t dropped; // steps at the end that are none
    struct plugin_step *steps;
};

struct plugin_steps {
    const char *by; // what marks them: "ProfilerStep#N"; "": nothing does
    uint32_t count; // workers with any step
    struct plugin_worker *workers;
    const uint32_t *worker_of; // by process, as worker.process
};

// Those of the workers in scope, GPU work of the GPUs in scope; of all iterations.
const struct plugin_steps *plugin_steps_of(const struct profile *profile,
                                           const struct selection *selection, struct arena *arena);
// What marks them, in words: 'by "ProfilerStep#N"'. Nothing does: that the whole trace is one step, also
// where the program finds iterations, which then choose nothing here.
const char *plugin_steps_text(const struct plugin_steps *steps, const struct selection *selection,
                              struct arena *arena);
bool plugin_step_is_selected(const struct selection *selection, const struct plugin_step *step);

// The mean of `count` sums, whose parts add up to it.
struct breakdown plugin_mean(const struct breakdown *sum, int64_t count);
// The mean of all selected steps of all workers; *count: how many there are.
struct breakdown plugin_average(const struct plugin_steps *steps, const struct selection *selection,
                                int64_t *count);
// Of a row of the report `overview`.
const struct breakdown *overview_row_parts(const void *row);

#endif
