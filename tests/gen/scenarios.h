// SPDX-License-Identifier: Apache-2.0
//
// The table of profiles the generator can make. A feature that needs a new input adds a row here,
// and a program or a problem (problems.h) where the rows so far cannot say it.
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
    uint64_t plants; // PLANT(item) | ...: problems that --without=NAME takes out of it
    // size of the model
    int layers, tokens, hidden, vocab;
    // times of a step of the demo's size; others in proportion to theirs
    int op_us;                        // from one op to the next, 0: 11
    double log_ms;                    // to write the metrics
    double bucket_ms, last_bucket_ms; // all-reduce of a bucket of gradients
    double batch_mb;                  // copied to the GPU, 0: 440
    int optimizer_tensors;            // whose optimizer is unfused, 0: as the layers need
    double loader_hides_ms;           // that the loader may take while the GPU still works
    bool mlp_only;                    // layers without attention, to keep a profile readable by eye
    bool old_kernels;                 // names of the Ampere years instead of Hopper's
    bool step_ranges;                 // "step N" around each step
    bool start_end_steps;             // these as start/end ranges with registered text
    bool clip_syncs;       // the optimizer waits for the norm of the gradients: a healthy sync
    bool loader_workers;   // OSRT rows of the loader's processes
    bool cut_last;         // the capture ends inside the last step
    bool graph_before;     // graphs are built before the capture window
    bool graph_children;   // the step's graph holds the captured one twice removed
    bool clock_offsets;    // GPU clocks disagree with the host's
    bool launches_missing; // the host rows of the first half are cut away
    bool host_only;        // no GPU work and no API calls reach the file
    bool more_calls;       // queries and ranges of the allocator before launches
    int micro_steps;       // loops: forward and backward so often before the optimizer; 0: once
    int validate_every;    // loops: a validation after so many steps, 0: none
    bool one_range;        // loops: one range around each step, and no others of the step
    bool decoys;           // loops: 40 other ranges that come as regularly
    bool out_of_phase;     // loops: ranks begin at different times and take different times
    bool unequal_counts;   // loops: ranks run different numbers of steps
    bool runs_ahead;       // loops: the GPU is slower than the host, and nothing waits for it
    bool call_chains;      // of synchronisations and copies
    bool memory_events;    // allocations and frees, and activations from a pool
    bool hostile;          // odd rows are added at the end
} Scenario;

typedef struct {
    uint64_t seed;
    int64_t kernels; // 0: as many as the steps make
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
