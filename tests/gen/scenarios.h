// SPDX-License-Identifier: Apache-2.0
//
// The table of profiles that the generator can make. A feature that needs a new input adds a row
// here, and a program or a problem (problems.h) if the existing ones do not cover it.
#ifndef DLPROF_GEN_SCENARIOS_H
#define DLPROF_GEN_SCENARIOS_H

#include "problem_list.h"
#include "schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { MARKERS_NONE, MARKERS_PLAIN, MARKERS_LAYER, MARKERS_EMIT, MARKERS_DLPROF } Markers;
typedef enum { GRAPHS_OFF, GRAPHS_GRAPH, GRAPHS_NODE } Graphs;
typedef enum {
    PROGRAM_TRAINING,
    PROGRAM_SERVING,
    PROGRAM_DEEP,
    PROGRAM_LOOP,
    PROGRAM_CHAOS,
    PROGRAM_NOTHING
} ProgramId;

typedef struct {
    const char *name;
    const char *description;
    ProgramId program;
    int processes, gpus_per_process, steps;
    Markers markers;
    Graphs graphs;
    SchemaVersion schema;
    uint64_t plants; // PLANT(item) | ...: planted problems; --without=NAME removes one
    // Size of the model.
    int layers, tokens, hidden, vocab;
    // Times of a step of the demo's size; for other sizes in proportion.
    int op_us;                        // from one op to the next; 0: 11
    double log_ms;                    // time to write the metrics
    double bucket_ms, last_bucket_ms; // all-reduce of a bucket of gradients
    double batch_mb;                  // copied to the GPU; 0: 440
    int optimizer_tensors;            // tensors of an unfused optimizer; 0: by the layers
    double loader_hides_ms;           // time that the loader may take while the GPU is still busy
    bool mlp_only;         // layers without attention, to keep a profile small enough to read
    bool old_kernels;      // kernel names of Ampere instead of Hopper
    bool step_ranges;      // each step has a range "step N"
    bool bare_backward;    // the backward has no marker of DLProf's around it
    bool forward_only;     // an evaluation: no backward, no optimizer
    bool start_end_steps;  // step ranges are start/end ranges with registered text
    bool clip_syncs;       // the optimizer waits for the norm of the gradients: a healthy sync
    bool loader_workers;   // OSRT rows of the loader's processes
    bool cut_last;         // the capture ends inside the last step
    bool graph_before;     // graphs are built before the capture window
    bool graph_children;   // the captured graph is a child of a child of the step's graph
    bool clock_offsets;    // GPU clocks differ from the host's
    bool launches_missing; // host rows of the first half are missing
    bool host_only;        // neither GPU work nor API calls are written
    bool more_calls;       // queries and allocator ranges before launches
    int micro_steps;       // loops: forward and backward passes per optimizer step; 0: one
    int validate_every;    // loops: steps between two validations; 0: none
    bool one_range;        // loops: each step has one range, with no others in it
    bool decoys;           // loops: 40 other ranges that repeat as regularly
    bool out_of_phase;     // loops: ranks begin at different times and take different times
    bool unequal_counts;   // loops: ranks run different numbers of steps
    bool runs_ahead;       // loops: the GPU is slower than the host, which never waits for it
    bool call_chains;      // synchronisations and copies have call chains
    bool memory_events;    // allocations, frees, and activations from a pool
    bool hostile;          // adds malformed rows at the end
} Scenario;

typedef struct {
    uint64_t seed;
    int64_t kernels; // 0: by the number of steps
    int steps, processes, gpus_per_process;
    Markers markers;
    Graphs graphs;
    SchemaVersion schema;
    Planted problems[PROBLEM_COUNT];
} Options;

extern const Scenario scenarios[];
extern const size_t scenario_count;

const Scenario *scenario_find(const char *name);

#endif
