// SPDX-License-Identifier: Apache-2.0
// The combined meaning of the ranges that enclose a launch: which op, of which pass, in which
// layer, with which sequence numbers of autograd. There is one context for each range that directly
// encloses a launch and for each forward of such a range. It is derived from the context of the
// enclosing range, so the ranges are read once, not once per launch.
//
// Terms:
//   node    a range of the backward graph, "MmBackward0"; its forward is the range that autograd
//           gave the same sequence number
//   engine  the range "autograd::engine::evaluate_function: ..." that runs a node
//   shell   a PyProf marker that only calls other ops, like that of a module
//   rerun   a range that a node runs a second time, as checkpointing does
//
// Only op_calls.c uses this.
#ifndef ANALYSIS_OP_RUNS_RANGE_CONTEXT_H
#define ANALYSIS_OP_RUNS_RANGE_CONTEXT_H

#include "analysis/op_runs/op_calls.h"

enum context_flag {
    CONTEXT_PYTHON = 1, // in a Python marker
    // in a node of the backward graph, its engine or an op of the backward
    CONTEXT_BACKWARD = 2,
    // in the backward of a checkpoint but in no node inside it; or the range is a rerun
    CONTEXT_RECOMPUTE = 4,
    CONTEXT_OPTIMIZER = 8, // in an optimizer step
    CONTEXT_PYPROF = 16,   // PyProf would call it a backward
    CONTEXT_NODES = 32,    // a rerun, and the layer is still that of its node
};

struct range_context {    // enclosing ranges (rows); ROW_NONE: none
    uint32_t op;          // outermost PyProf marker of an op that has a formula
    uint32_t other;       // outermost PyProf marker that has no formula and is no shell
    uint32_t outer;       // outermost PyProf marker, which PyProf takes for the op
    uint32_t shell;       // innermost PyProf marker that is a shell
    uint32_t aten;        // outermost op range of PyTorch
    uint32_t sized;       // innermost op range of PyTorch with a formula and sizes
    uint32_t outer_sized; // outermost of these
    uint32_t engine;      // engine of the backward graph
    uint32_t node;        // node in it, or the node before the engine's own accumulation
    uint32_t trace;       // innermost call stack
    uint32_t layer;       // row of layers
    uint32_t number;      // row of numbers, innermost first; 0: none
    uint8_t flags;        // enum context_flag
};

struct layer_path {
    uint32_t outer;
    uint32_t depth; // 0 for row 0, which is no layer
    string_id name;
};

struct range_contexts {
    uint32_t *of_range; // [range]: row of items; only for ranges whose context is needed
    struct range_context *items;
    size_t count;
    uint32_t *forward;         // [node]: its forward range + 1; 0: none
    uint8_t *is_engine_thread; // [thread]: only the backward graph runs there
    uint8_t *is_partner;       // [range]: it is the forward of some node
    struct layer_path *layers;
    size_t layer_count, layer_capacity;
    struct op_number *numbers; // row 0 is none
    size_t number_count, number_capacity;
};

// Fills the contexts of the ranges that enclose launches of kernels, allocated in `scratch`.
void range_contexts_build(struct range_contexts *contexts, const struct profile *profile,
                          struct arena *scratch);

static inline const struct range_context *range_context_of(const struct range_contexts *contexts,
                                                           uint32_t range)
{
    return &contexts->items[range == ROW_NONE ? 0 : contexts->of_range[range]];
}

#endif
