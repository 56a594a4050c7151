// SPDX-License-Identifier: Apache-2.0
// The op runs that launched kernels: which op, which pass, which layer, and for a backward its
// forward. Runs are found by the host ranges that enclose the launching call, never by the order of
// execution on the GPU.
//
//      kernel --launch--> API call --range--> range ... enclosed by the op's own range = the run
//      kernel of a replayed CUDA graph --capture--> range ... : a run for each launch of the graph
//      backward node --(process, sequence number)--> forward range = its run, shapes and layer
//
// The op is PyProf's marker {'mod', 'op', 'args'} or, without one, PyTorch's own range `aten::mm`.
// Among nested markers it is the outermost that rules/formulas.yaml knows, not one that merely
// wraps several ops (multi_head_attention_forward, apply, a user function). Among PyTorch's ranges
// it is the innermost that is known and records its sizes, else the outermost. A backward has the
// op of its forward; what the engine accumulates after a node (the sum of a bias) belongs to the
// node.
#ifndef ANALYSIS_OP_RUNS_OP_CALLS_H
#define ANALYSIS_OP_RUNS_OP_CALLS_H

#include "analysis/report/selection.h"

enum phase { PHASE_UNKNOWN, PHASE_FPROP, PHASE_BPROP, PHASE_OPTIM, PHASE_RECOMPUTE, PHASES };
extern const char *const phase_names[PHASES]; // "", "fprop", "bprop", "optim", "recompute"

struct op_call {
    uint32_t range;       // the op's own range; for a backward, the range of its engine or node
    uint32_t op;          // the range whose marker names the op: for a backward, its forward's
    uint32_t marker;      // row of markers with the arguments of `op`; ROW_NONE: no arguments
    uint32_t trace;       // range with the call stack; ROW_NONE
    uint32_t layer;       // row of layers
    uint32_t forward;     // row of op_calls: the forward of this backward; ROW_NONE
    uint32_t sized_range; // for a backward, its PyTorch range with sizes; ROW_NONE: none or several
    enum phase phase;
    bool is_inherited;               // `op` is the range of its forward
    uint32_t first_work, work_count; // its kernels in launch order: rows of op_calls.work
};

struct op_number { // a sequence number of a range, linked to the next enclosing one
    int64_t seq;
    string_id name;  // of the range
    uint32_t outer;  // row of the next enclosing number; 0: none
    bool is_partner; // autograd pairs the forward by this number
};

struct op_launch {     // of one kernel
    uint32_t call;     // row of op_calls; ROW_NONE: the op is unknown
    uint32_t number;   // of the innermost range that has one; 0: none
    uint32_t argument; // the op that PyProf names: row of markers; ROW_NONE
    uint32_t node;     // the node of the backward graph; ROW_NONE
    bool pyprof_bprop; // PyProf calls it a backward
    enum phase phase;
};

enum {
    CALL_RANGE,
    CALL_OP,
    CALL_MARKER,
    CALL_TRACE,
    CALL_LAYER,
    CALL_FORWARD,
    CALL_SIZED_RANGE,
    CALL_FLAGS,
    CALL_FIRST_WORK,
    CALL_FIELDS
};
enum { LAUNCH_CALL, LAUNCH_NUMBER, LAUNCH_ARGUMENT, LAUNCH_NODE, LAUNCH_FLAGS, LAUNCH_FIELDS };
enum { NUMBER_NAME, NUMBER_OUTER, NUMBER_FLAGS, NUMBER_FIELDS };

// Runs number in the millions, so they are stored as packed columns; op_call_at() and the like
// assemble one row.
struct op_calls {
    uint32_t count;
    struct column32 calls[CALL_FIELDS];      // in order of their first launch, thread by thread
    struct column32 work;                    // rows of GPU work, grouped by call
    struct column32 launches[LAUNCH_FIELDS]; // by row of GPU work; filled for kernels
    struct column32 numbers[NUMBER_FIELDS];
    struct column64 number_seq;
    const char **layers; // layer texts, outermost first, joined by ':'; [0] is NULL
};

// Finds the runs of all kernels of a profile. The result is stored in the memo of the selection.
const struct op_calls *op_calls_find(const struct profile *profile,
                                     const struct selection *selection, struct arena *arena);

struct op_call op_call_at(const struct op_calls *calls, uint32_t call);
struct op_launch op_launch_at(const struct op_calls *calls, uint32_t work);
struct op_number op_number_at(const struct op_calls *calls, uint32_t number);

// Returns the number by which autograd knows a kernel's op, or SEQ_NONE. op_launch_other_seqs()
// writes the other numbers of enclosing ranges, ascending; "" for none.
int64_t op_launch_seq(const struct profile *profile, const struct op_calls *calls, uint32_t work);
enum { OP_NUMBERS_SIZE = 200 };
void op_launch_other_seqs(const struct profile *profile, const struct op_calls *calls,
                          uint32_t work, char text[OP_NUMBERS_SIZE]);

// Returns why the op of a kernel is unknown, or NULL if it is known.
const char *op_launch_unknown_reason(const struct profile *profile, const struct op_calls *calls,
                                     uint32_t work);

#endif
