// SPDX-License-Identifier: Apache-2.0
// What one run of an op computes and moves: FLOPs and bytes by the rows of rules/formulas.yaml, from
// the shapes in its marker and the names of its kernels.
//
// Who knows the runs of ops (analysis/op_calls.h) opens a desk for a profile and asks it of each run.
// The figures are those of the whole run, once: kernels that only help (split-K reductions, layouts,
// offsets) have none, and of algorithms that were tried only the last counts. Where the rules do not say
// which kernel does the work, it is the one that takes longest, but what clears, copies and sorts beside
// others. A backward has several parts, dgrad and wgrad, which fall to the kernels that are there.
//
// Unknown is below 0 and never 0; 0 is what costs nothing by definition.
#ifndef MODEL_FORMULA_H
#define MODEL_FORMULA_H

#include "model/markers/markers.h"
#include "model/profile/profile.h"

#define FORMULA_UNKNOWN (-1.0)

struct formula_question {
    const char *module, *op;     // "torch.nn.functional", "linear"; of ATen "", "aten::linear"
    const struct marker *marker; // its arguments, of a backward those of its forward; NULL: unknown
    const struct marker
        *backward; // of what its backward runs, which has the sizes of its results; NULL
    bool is_backward;
    // Of a backward: of which part of its forward's row it is, from 1; 0: not known.
    uint32_t forward_part;
    const uint32_t *functions; // rows of functions: the kernels of the run in order of their launch
    uint32_t kernel_count;
    // How long each of them takes in runs of this op, the same whenever the op, the pass and the kernels
    // are the same; NULL: not known, all alike.
    const double *durations;
    const char *dtype;   // that of the forward, where the marker tells none: "bf16"; NULL
    uint32_t rank_count; // of a collective; 0: not known
};

struct formula_share {   // of one kernel of the run
    double flops, bytes; // 0: it only helps; below 0: unknown
    const char *params;  // PyProf's text
    const char *op;      // what PyProf calls the op of this kernel, "bias"; NULL: the op itself
    uint32_t part;       // which of the row's parts, from 1; 0: of none
    bool is_main;
    bool is_unsure; // nothing tells of which of several parts it is: only what they share is known
};

struct formula_answer {
    double flops, bytes; // of the whole run; below 0: unknown
    double causal_flops; // of an attention whose mask may be causal: what is run then; else `flops`
    double model_flops;  // of these what the model asks for: nothing that a backward works out anew
    uint32_t
        main_kernel;   // which of them has the FLOPs (of several, the first); 0 when none is known
    bool is_autotuned; // algorithms were tried: only the last of them counts
    bool is_of_model;  // products, convolutions, attention: what a model's FLOPs are of
    bool is_convolution; // of them those that Winograd and FFT do with fewer operations
    bool is_guess;       // the data type, or what the row says so of, is not told by the file
    const char *dtype;   // "fp32", "bf16", as PyProf writes them; "": nothing has one
    const char *rule;    // name of the row of rules/formulas.yaml; NULL: no row knows the op
    const struct formula_row *row;      // that row, as long as the rules stay the same; NULL
    const char *params;                 // of the main kernel
    uint64_t kernels;                   // a hash of which they are, in their order
    const struct formula_share *shares; // of each kernel
};

struct formula_desk;

// What kernels' names tell is found once per function; what is alike is answered once. All memory is
// in `arena`. The rules in use must stay the same as long as it is asked.
struct formula_desk *formula_open(const struct profile *profile, struct arena *arena);
struct formula_rules;
struct formula_desk *formula_open_by(const struct formula_rules *rules,
                                     const struct profile *profile, struct arena *arena);

// The answer is good as long as the desk.
const struct formula_answer *formula_ask(struct formula_desk *desk,
                                         const struct formula_question *question);

// Whether some row knows an op of this name, whatever its arguments: of ranges within each other the
// innermost that is known is the op.
bool formula_knows(const struct formula_desk *desk, const char *module, const char *op);

// Whether a kernel's name says that it is a product of matrices or a convolution, and not that it helps one.
bool formula_is_product(struct formula_desk *desk, uint32_t function);
// The same of a product, a convolution or attention: what the FLOPs of a model are counted of.
bool formula_is_of_model(struct formula_desk *desk, uint32_t function);

#endif
