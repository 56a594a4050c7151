// SPDX-License-Identifier: Apache-2.0
// Work of one run of an op: FLOPs and bytes by the rows of rules/formulas.yaml, from the shapes in
// its marker and the names of its kernels.
//
// analysis/op_runs/op_calls.h opens one evaluator (struct formula_evaluator) per profile and
// evaluates each run with it. The work of a run is counted once and assigned to its main kernels:
// helper kernels (split-K reductions, layouts, offsets) have none, and if several algorithms were
// tried, only the last one has. If the rules do not recognise a main kernel, it is the longest one;
// kernels that clear, copy or sort are only considered if there are no others. A backward has
// several parts, dgrad and wgrad, which are assigned to different kernels.
//
// A negative figure is unknown, never 0; 0 means that the op has no FLOPs or bytes by definition.
#ifndef MODEL_RULES_FORMULA_H
#define MODEL_RULES_FORMULA_H

#include "model/markers/markers.h"
#include "model/profile/profile.h"

#define FORMULA_UNKNOWN (-1.0)

struct formula_query {
    const char *module, *op; // "torch.nn.functional", "linear"; for ATen "", "aten::linear"
    // Marker with the arguments of the op, or for a backward of its forward op; NULL: unknown.
    const struct marker *marker;
    // Marker of the op that the backward runs: its tensors have the sizes of the results; NULL.
    const struct marker *backward;
    bool is_backward;
    // For a backward: the part of its forward's row that it belongs to, from 1; 0: unknown.
    uint32_t forward_part;
    const uint32_t *functions; // rows of functions: the kernels of the run in launch order
    uint32_t kernel_count;
    // Typical duration of each kernel in runs of this op, a function of (op, pass, kernels) only;
    // NULL: unknown, all are taken as equal.
    const double *durations;
    const char *dtype;   // data type of the forward, used when the marker has none: "bf16"; NULL
    uint32_t rank_count; // of a collective; 0: unknown
};

struct formula_share {   // one kernel's part of the run
    double flops, bytes; // 0: a helper kernel; below 0: unknown
    const char *params;  // parameters in PyProf's notation
    const char *op;      // PyProf's name of the op of this kernel, "bias"; NULL: the op itself
    uint32_t part;       // part of the row, from 1; 0: no part
    bool is_main;
    bool is_unsure; // several parts are possible: only the figures on which they agree are known
};

struct formula_result {
    double flops, bytes; // of the whole run; below 0: unknown
    // FLOPs executed by an attention whose mask may be causal; otherwise `flops`.
    double causal_flops;
    double model_flops; // `causal_flops` without what a backward recomputes
    // The first kernel that has FLOPs; 0 when none is known.
    uint32_t main_kernel;
    bool is_autotuned;   // several algorithms were tried: only the last one counts
    bool is_of_model;    // products, convolutions, attention: counts towards the FLOPs of a model
    bool is_convolution; // an op that Winograd or FFT computes with fewer operations
    // The data type, or a figure marked so in the row, is not recorded in the file.
    bool is_guess;
    const char *dtype; // "fp32", "bf16", as PyProf writes them; "": unknown
    const char *rule;  // name of the row of rules/formulas.yaml; NULL: no row matches the op
    const struct formula_row *row;      // that row, valid while the rules stay the same; NULL
    const char *params;                 // of the main kernel
    uint64_t kernels;                   // hash of the kernels, in order
    const struct formula_share *shares; // one per kernel
};

struct formula_evaluator;

// Creates an evaluator. The kernel roles are determined once per function and equal questions are
// evaluated once. All memory is in `arena`. The rules in use must not change while the evaluator is
// used.
struct formula_evaluator *formula_evaluator_new(const struct profile *profile, struct arena *arena);
struct formula_rules;
struct formula_evaluator *formula_evaluator_new_with(const struct formula_rules *rules,
                                                     const struct profile *profile,
                                                     struct arena *arena);

// The result is valid as long as the evaluator. It is the cached one when an equal question was
// asked before.
const struct formula_result *formula_eval_run(struct formula_evaluator *desk,
                                              const struct formula_query *question);

// True if a row matches an op of this name, whatever its arguments. Among nested ranges the
// innermost one with a matching row is the op.
bool formula_has_row(const struct formula_evaluator *desk, const char *module, const char *op);
// True if `op`, directly inside `outer`, only does that op's work, which is then the op; `outer`
// NULL: inside any.
bool formula_serves(const struct formula_evaluator *desk, const char *op, const char *outer);

// True if the kernel's name says that it is a matrix product or a convolution, and not a helper of
// one.
bool formula_is_product(struct formula_evaluator *desk, uint32_t function);
// The same for products, convolutions and attention, from which the FLOPs of a model are counted.
bool formula_is_of_model(struct formula_evaluator *desk, uint32_t function);

#endif
