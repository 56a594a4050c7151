// SPDX-License-Identifier: Apache-2.0
// The combined meaning of the ranges around a launch: which op, of which pass, in which layer, with
// which sequence numbers of autograd. There is one row for each range directly around a launch and
// for each forward of such a range. A row is derived from the row of the enclosing range, so a
// launch reads one row and never walks up.
//
// Only op_calls.c uses this.
#ifndef ANALYSIS_OP_RUNS_RANGE_CONTEXT_H
#define ANALYSIS_OP_RUNS_RANGE_CONTEXT_H

#include "analysis/op_runs/op_calls.h"

enum context_flag {
    CONTEXT_PYTHON = 1, // a Python marker is around
    // a node of the backward graph, its engine or an op of the backward is around
    CONTEXT_BACKWARD = 2,
    // the backward of a checkpoint is around, with no node in it; or the range is a rerun
    CONTEXT_RECOMPUTE = 4,
    CONTEXT_OPTIMIZER = 8, // an optimizer step is around
    CONTEXT_PYPROF = 16,   // PyProf would call it a backward
    CONTEXT_NODES = 32,    // the layer is that of the node that reruns this
};

struct range_context {    // rows of ranges; ROW_NONE: none is around
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
    uint32_t *of_range; // [range]: row of items, for ranges whose context is needed
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

// Fills the contexts of the ranges around all kernels. Memory is taken from `scratch`.
void range_contexts_build(struct range_contexts *contexts, const struct profile *profile,
                          struct arena *scratch);

static inline const struct range_context *range_context_of(const struct range_contexts *contexts,
                                                           uint32_t range)
{
    return &contexts->items[range == ROW_NONE ? 0 : contexts->of_range[range]];
}

#endif
