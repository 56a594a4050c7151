// SPDX-License-Identifier: Apache-2.0
//
// The table of profiles the generator can make. A feature that needs a new input adds a row here,
// and a program or a plant where the rows so far cannot say it.
#ifndef DLPROF_GEN_SCENARIOS_H
#define DLPROF_GEN_SCENARIOS_H

#include "schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { MARKERS_NONE, MARKERS_PLAIN, MARKERS_LAYER, MARKERS_EMIT, MARKERS_DLPROF } Markers;
typedef enum { GRAPHS_OFF, GRAPHS_GRAPH, GRAPHS_NODE } Graphs;
typedef enum { PROGRAM_TRAINING, PROGRAM_SERVING, PROGRAM_DEEP, PROGRAM_NOTHING } ProgramId;

// Problems that --without=NAME takes out of the same run.
typedef enum {
    PLANT_LOADER = 1 << 0,    // DataLoader.__next__ takes long while the GPU is idle
    PLANT_ITEM = 1 << 1,      // loss.item() drains the queue once a step
    PLANT_FP32_HEAD = 1 << 2, // lm_head runs without Tensor Cores
    PLANT_ALLREDUCE = 1 << 3, // the last gradient bucket is large and not hidden
    PLANT_STRAGGLER = 1 << 4, // one rank computes slower
    PLANT_OPTIMIZER = 1 << 5, // one small kernel per tensor and operation
    PLANT_WARMUP = 1 << 6,    // the first steps load modules and allocate
    PLANT_LATE_BATCH = 1 << 7 // single steps wait for one slow read
} Plant;

typedef struct {
    unsigned bit;
    const char *name;
} PlantName;

extern const PlantName plant_names[];
extern const size_t plant_name_count;

typedef struct {
    const char *name;
    const char *description;
    ProgramId program;
    int processes, gpus_per_process, steps;
    Markers markers;
    Graphs graphs;
    SchemaVersion schema;
    unsigned plants;
    // size of the model
    int layers, tokens, hidden, vocab;
    bool mlp_only;         // layers without attention, to keep a profile readable by eye
    bool old_kernels;      // names of the Ampere years instead of Hopper's
    bool step_ranges;      // "step N" around each step
    bool start_end_steps;  // these as start/end ranges with registered text
    bool clip_syncs;       // the optimizer waits for the norm of the gradients: a healthy sync
    bool loader_workers;   // OSRT rows of the loader's processes
    bool cut_last;         // the capture ends inside the last step
    bool graph_before;     // graphs are built before the capture window
    bool graph_children;   // the step's graph holds the captured one twice removed
    bool clock_offsets;    // GPU clocks disagree with the host's
    bool launches_missing; // the host rows of the first half are cut away
    bool host_only;        // no GPU work and no API calls reach the file
    bool more_calls;       // queries and ranges of the allocator before launches
    bool hostile;          // odd rows are added at the end
} Scenario;

typedef struct {
    uint64_t seed;
    int64_t kernels; // 0: as many as the steps make
    int steps, processes, gpus_per_process;
    Markers markers;
    Graphs graphs;
    SchemaVersion schema;
    unsigned plants;
} Options;

extern const Scenario scenarios[];
extern const size_t scenario_count;

const Scenario *scenario_find(const char *name);

#endif
