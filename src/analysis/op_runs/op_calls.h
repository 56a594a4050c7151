// SPDX-License-Identifier: Apache-2.0
// Runs of ops that launched kernels: which op, which pass, which layer, and of a backward which
// forward. They are found by the ranges around the launching call, on the host, never by the order in
// which the GPU came to them.
//
//      kernel --launch--> API call --range--> range ... around it the op's own range = the run
//      kernel of a replayed CUDA graph --capture--> range ... : a run for each launch of the graph
//      backward node --(process, sequence number)--> forward range = its run, shapes and layer
//
// The op is PyProf's marker {'mod', 'op', 'args'} or, without one, PyTorch's own range `aten::mm`. Of
// markers within each other it is the outermost that rules/formulas.yaml knows, and not what lies
// around several of these (multi_head_attention_forward, apply, a function of one's own); of
// PyTorch's ranges the innermost that is known and tells its sizes, else the outermost. A backward
// has the op of its forward; what the engine adds up behind a node (the sum of a bias) belongs to the
// node.
#ifndef ANALYSIS_OP_CALLS_H
#define ANALYSIS_OP_CALLS_H

#include "analysis/report/selection.h"

enum phase { PHASE_UNKNOWN, PHASE_FPROP, PHASE_BPROP, PHASE_OPTIM, PHASE_RECOMPUTE, PHASES };
extern const char *const phase_names[PHASES]; // "", "fprop", "bprop", "optim", "recompute"

struct op_call {
    uint32_t range;   // the op's own range; of a backward its engine's or its node's
    uint32_t op;      // the range whose marker names the op: its own, of a backward its forward's
    uint32_t marker;  // row of markers with its arguments, as `op`; ROW_NONE: no arguments
    uint32_t trace;   // range with the call stack; ROW_NONE
    uint32_t layer;   // row of layers
    uint32_t forward; // row of op_calls: whose backward it is; ROW_NONE
    uint32_t
        told; // of a backward the range of PyTorch's in it that tells sizes; ROW_NONE: none, several
    enum phase phase;
    bool is_inherited;               // the op is another range's, that of its forward
    uint32_t first_work, work_count; // its kernels, in order of their launch: op_calls.work
};

struct op_number { // a sequence number of a range, and that of the next one around it
    int64_t seq;
    string_id name;  // of the range
    uint32_t outer;  // 0: none
    bool is_partner; // autograd knows the forward by it
};

struct op_launch {     // of one kernel
    uint32_t call;     // row of op_calls; ROW_NONE: no op is known
    uint32_t number;   // of the innermost range that has one; 0: none
    uint32_t argument; // what PyProf takes for its op: row of markers; ROW_NONE
    uint32_t node;     // the node of the backward graph; ROW_NONE
    bool pyprof_bprop; // what PyProf calls it
    enum phase phase;
};

enum {
    CALL_RANGE,
    CALL_OP,
    CALL_MARKER,
    CALL_TRACE,
    CALL_LAYER,
    CALL_FORWARD,
    CALL_TOLD,
    CALL_FLAGS,
    CALL_FIRST_WORK,
    CALL_FIELDS
};
enum { LAUNCH_CALL, LAUNCH_NUMBER, LAUNCH_ARGUMENT, LAUNCH_NODE, LAUNCH_FLAGS, LAUNCH_FIELDS };
enum { NUMBER_NAME, NUMBER_OUTER, NUMBER_FLAGS, NUMBER_FIELDS };

// There are millions: what they are lies in columns, and op_call_at() and its like put it together.
struct op_calls {
    uint32_t count;
    struct column32 calls[CALL_FIELDS];      // in order of their first launch, thread by thread
    struct column32 work;                    // rows of GPU work by call
    struct column32 launches[LAUNCH_FIELDS]; // by row of GPU work; of kernels
    struct column32 numbers[NUMBER_FIELDS];
    struct column64 number_seq;
    const char **layers; // texts of layers, outermost first, joined by ':'; the first: NULL
};

// Of all kernels of a profile; kept in the memo of the selection.
const struct op_calls *op_calls_find(const struct profile *profile,
                                     const struct selection *selection, struct arena *arena);

struct op_call op_call_at(const struct op_calls *calls, uint32_t call);
struct op_launch op_launch_at(const struct op_calls *calls, uint32_t work);
struct op_number op_number_at(const struct op_calls *calls, uint32_t number);

// The number by which autograd knows a kernel's op, SEQ_NONE: it has none. The other numbers around
// it as text, the least first, "" for none.
int64_t op_launch_seq(const struct profile *profile, const struct op_calls *calls, uint32_t work);
enum { OP_NUMBERS_SIZE = 200 };
void op_launch_other_seqs(const struct profile *profile, const struct op_calls *calls,
                          uint32_t work, char text[OP_NUMBERS_SIZE]);

// Why no op is known of a kernel, NULL: one is.
const char *op_launch_why_not(const struct profile *profile, const struct op_calls *calls,
                              uint32_t work);

#endif
