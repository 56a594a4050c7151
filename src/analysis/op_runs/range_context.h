// SPDX-License-Identifier: Apache-2.0
// What the ranges around a launch say together: which op, of which pass, in which layer, under which
// numbers of autograd. One row for each range that is asked for, directly around a launch or a forward
// of what is, made from what the range around it says, so that a launch asks one row and never walks.
//
// For op_calls.c alone.
#ifndef ANALYSIS_RANGE_CONTEXT_H
#define ANALYSIS_RANGE_CONTEXT_H

#include "analysis/op_runs/op_calls.h"

enum context_flag {
    CONTEXT_PYTHON = 1,    // a marker of Python's is around
    CONTEXT_BACKWARD = 2,  // a node of the backward graph, its engine or an op of the backward is
    CONTEXT_RECOMPUTE = 4, // the backward of a checkpoint is, and no node in it; or it is run again
    CONTEXT_OPTIMIZER = 8, // a step of an optimizer is
    CONTEXT_PYPROF = 16,   // PyProf would say backward
    CONTEXT_NODES = 32,    // the layer is that of the node which runs this again
};

struct range_context { // ranges; ROW_NONE: none is around
    uint32_t op;       // PyProf's marker of an op that has a formula, the outermost of several
    uint32_t other;    // the outermost of those that have none and are no shells
    uint32_t outer;    // the outermost of PyProf's markers, which is the op to PyProf
    uint32_t shell;    // the innermost of those that are only shells
    uint32_t aten;     // outermost of the ops that PyTorch names itself
    uint32_t sized;    // innermost of them that has a formula, and its sizes
    uint32_t told;     // outermost of these
    uint32_t engine;   // of the backward graph
    uint32_t node;     // in it, or the one that ran before what the engine adds up itself
    uint32_t trace;    // innermost call stack
    uint32_t layer;    // row of layers
    uint32_t number;   // row of numbers, innermost first; 0: none
    uint8_t flags;     // enum context_flag
};

struct layer_path {
    uint32_t outer;
    uint32_t depth; // of row 0, which is no layer: 0
    string_id name;
};

struct range_contexts {
    uint32_t *of_range; // of those that are asked for: row of items
    struct range_context *items;
    size_t count;
    uint32_t *forward;          // of a node the forward range whose backward it is + 1, 0: none
    uint8_t *thread_is_engines; // by thread: nothing but the backward graph runs there
    uint8_t *is_partner;        // by range: some node is its backward
    struct layer_path *layers;
    size_t layer_count, layer_capacity;
    struct op_number *numbers; // row 0 is none
    size_t number_count, number_capacity;
};

// Of the ranges around kernels.
void range_contexts_make(struct range_contexts *contexts, const struct profile *profile,
                         struct arena *scratch);

static inline const struct range_context *range_context_of(const struct range_contexts *contexts,
                                                           uint32_t range)
{
    return &contexts->items[range == ROW_NONE ? 0 : contexts->of_range[range]];
}

#endif
