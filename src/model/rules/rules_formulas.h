// SPDX-License-Identifier: Apache-2.0
// What ops compute and move (rules/formulas.yaml), as formula.c works it out. rules.c reads the file
// and hands its tree here; the rows of a user's own file come first and the built-in ones behind them.
#ifndef MODEL_RULES_FORMULAS_H
#define MODEL_RULES_FORMULAS_H

#include "base/parse/formula_expression.h"
#include "base/parse/yaml.h"
#include "base/pattern.h"
#include "model/rules/rules.h"

enum {
    FORMULA_ROLES = 31,   // one bit of a number each
    FORMULA_NAMES = 24,   // of a row: arguments, and numbers of its own
    FORMULA_KEYWORDS = 4, // of an argument
    FORMULA_PARTS = 8,    // of a phase
    ROLE_ANY = -1,        // whatever does more than help
};

struct formula_role { // what a kernel is, by its full name; a name may have several
    const char *name; // "gemm"; "helper" is that of kernels which only help
    struct pattern *match;
};

// A text with places: "M={M},{type},".
enum piece_kind {
    PIECE_TEXT,
    PIECE_NUMBER,
    PIECE_TYPE,    // {type}, {type x}: fp32
    PIECE_SHAPE,   // {shape x}: [32,10]fp32
    PIECE_SHAPES,  // {shapes}: of all tensors and numbers by position
    PIECE_TENSORS, // {tensors}: of all tensors
    PIECE_TUPLE,   // {tuple x}: (32,10)
    PIECE_LEADING, // {leading x}: all dims but the last: 32, (8,128)
    PIECE_WORD,    // {word x}: the value as it is written
    PIECE_MADE,    // {made}: [3,5] of zeros(3, 5)
    PIECE_OTHER,   // {other}: T=[(3,5)],['float32']
    PIECE_PART,    // {part layer recur}: the word for `forward_part`, na
};

struct formula_piece {
    enum piece_kind kind;
    const char *text;
    const struct formula_expression *number;
    int argument; // of the row; -1: none
};

struct formula_part {     // what falls to one kernel
    int role, other_role; // of the kernel; the other one where none has the first
    const struct formula_expression *flops, *bytes, *causal_flops, *model_flops, *split;
    // As written; NULL: not there.
    const char *flops_text, *bytes_text, *causal_text, *model_text, *split_text;
    size_t piece_count;
    struct formula_piece *params;
    const char *op; // what PyProf calls it there; NULL: as ever
    bool is_beside; // not the op's own work: a bias, a copy
};

struct formula_argument {
    const char *name;
    const char *keywords[FORMULA_KEYWORDS]; // other names of it; NULL: no more
    const char *type;                       // where the marker tells none; NULL: that of the op
};

enum formula_phase { PHASE_FORWARD, PHASE_BACKWARD, FORMULA_PHASES };

struct formula_row {
    const char *name;
    const char *source; // where the formula comes from, what it counts
    size_t op_count, module_count;
    const char **ops, **modules; // no modules: of any
    // Arguments of the op, and behind them those of what its backward runs: its gradients have the
    // sizes of its results.
    size_t argument_count, backward_count, number_count;
    struct formula_argument *arguments;
    const struct formula_expression **numbers; // each may use those before it
    const char **number_names, **number_texts;
    const char *when_text;                 // NULL: none
    const struct formula_expression *when; // NULL: always
    bool is_guess;
    int type; // row of arguments whose type is the op's; -1: the first that tells one
    size_t part_count[FORMULA_PHASES];
    struct formula_part *parts[FORMULA_PHASES];
    struct formula_part rest; // its params are those of kernels of a backward that have no part
};

struct formula_op { // by name
    const char *op;
    uint32_t row;
};

struct formula_rules {
    size_t role_count, row_count, op_count;
    struct formula_role *roles;
    struct formula_row *rows;
    struct formula_op *ops;              // sorted by name, rows of one name in their order
    uint32_t helper, causal, not_causal; // bits of the roles of these names, 0: there is none
    uint32_t aside;                      // what clears, copies or sorts for the others
    uint32_t columns;                    // what helps others, and does the work of ops of its own
    uint32_t tried;                      // of these kinds algorithms are tried, the last is used
    uint32_t product;                    // those of gemm and conv
    uint32_t conv, dgrad, wgrad; // convolutions; the gradients of their input and of their weights
    uint32_t convolution; // all of their kinds: fewer operations may do than they are defined by
    uint32_t closing;     // helpers that come behind what they help
    uint32_t model;       // these, their backwards, attention and RNNs: what a model's FLOPs are of
};

// The numbers that every row has besides its own: `s` bytes of an element of the op's type, `typed`
// whether the marker tells types, `backward`, `kernels`, `ranks` of a collective, `causal_kernel`
// (whether the names of kernels say so), `forward_part` of which part of its forward a backward is, from 1,
// and `unknown`.
enum {
    NUMBER_SIZE,
    NUMBER_TYPED,
    NUMBER_BACKWARD,
    NUMBER_KERNELS,
    NUMBER_RANKS,
    NUMBER_CAUSAL,
    NUMBER_FORWARD_PART,
    NUMBER_UNKNOWN,
    FORMULA_BUILT_IN
};

// Reads the trees one behind the other: `own` may be NULL. Whatever comes of it, *rules is what
// formula_rules_free() is due. False with "file:line:column: ...".
bool formula_rules_read(struct formula_rules **rules, struct arena *arena,
                        const struct yaml_node *own, const struct yaml_node *built_in,
                        struct error *error);
void formula_rules_free(struct formula_rules *rules);

// What help and manual print of a row: "2*M*N*K + M*N" of the parts of a phase, "" of one that is as
// forward; and what its names stand for, "M = w[0], K = w[1]".
const char *formula_row_text(const struct formula_row *row, enum formula_phase phase, bool of_bytes,
                             struct arena *arena);
const char *formula_row_names(const struct formula_row *row, struct arena *arena);
// All of it in words: "2*M*N*K FLOPs, s*(M*N+M*K+N*K) bytes, where M = w[0]. PyProf, ...".
const char *formula_row_doc(const struct formula_row *row, struct arena *arena);

// Rows of an op, in order: [first, first + count) of `ops`.
size_t formula_rules_find(const struct formula_rules *rules, const char *op, size_t *count);

#endif
