// SPDX-License-Identifier: Apache-2.0
// Rules for the FLOPs and bytes of ops (rules/formulas.yaml), which formula.c evaluates. rules.c
// reads the files and passes the trees to this module; the rows of the user's file precede the
// built-in ones.
#ifndef MODEL_RULES_RULES_FORMULAS_H
#define MODEL_RULES_RULES_FORMULAS_H

#include "base/parse/formula_expression.h"
#include "base/parse/yaml.h"
#include "base/text/pattern.h"
#include "model/rules/rules.h"

enum {
    FORMULA_ROLES = 31,   // one bit of a uint32_t each
    FORMULA_NAMES = 24,   // per row: limit of its arguments, and of its named numbers
    FORMULA_KEYWORDS = 4, // per argument
    FORMULA_PARTS = 8,    // per phase
    ROLE_ANY = -1,        // any kernel that is no helper
};

struct formula_role { // a role of kernels, matched by full name; a kernel may have several
    const char *name; // "gemm"; "helper" marks kernels that only help others
    struct pattern *match;
};

// Pieces of a text with placeholders: "M={M},{type},".
enum piece_kind {
    PIECE_TEXT,
    PIECE_NUMBER,
    PIECE_TYPE,    // {type}, {type x}: fp32
    PIECE_SHAPE,   // {shape x}: [32,10]fp32
    PIECE_SHAPES,  // {shapes}: of all tensors and positional numbers
    PIECE_TENSORS, // {tensors}: of all tensors
    PIECE_TUPLE,   // {tuple x}: (32,10)
    PIECE_LEADING, // {leading x}: all dimensions but the last: 32, (8,128)
    PIECE_WORD,    // {word x}: the value as written
    PIECE_MADE,    // {made}: [3,5] of zeros(3, 5)
    PIECE_OTHER,   // {other}: T=[(3,5)],['float32']
    PIECE_PART,    // {part layer recur}: the word for `forward_part`, or na
};

struct formula_piece {
    enum piece_kind kind;
    const char *text;
    const struct formula_expression *number;
    int argument; // index in the row's arguments; -1: none
};

struct formula_part {     // what one kernel computes
    int role, other_role; // role of the kernel; `other_role` is used when no kernel has the first
    const struct formula_expression *flops, *bytes, *causal_flops, *model_flops, *split;
    // The texts of the expressions; NULL: absent.
    const char *flops_text, *bytes_text, *causal_text, *model_text, *split_text;
    size_t piece_count;
    struct formula_piece *params;
    const char *op;    // PyProf's name of the op of this kernel; NULL: the op's own name
    bool is_side_work; // side work, such as adding a bias or a copy
};

struct formula_argument {
    const char *name;
    const char *keywords[FORMULA_KEYWORDS]; // alternative names, NULL-terminated when fewer
    // Data type if the marker has none; NULL: the data type of the op.
    const char *type;
};

enum formula_phase { PHASE_FORWARD, PHASE_BACKWARD, FORMULA_PHASES };

struct formula_row {
    const char *name;
    const char *source; // origin of the formula and what it counts
    size_t op_count, module_count;
    const char **ops, **modules; // no modules: any module
    // Ops, without "aten::", that call this one to do their work: directly inside one, that is the
    // op, because this one's arguments no longer say what is moved.
    size_t within_count;
    const char **within;
    // Arguments of the op, followed by the arguments of the op that computes its backward. The
    // gradients among the latter have the sizes of the op's results.
    size_t argument_count, backward_count, number_count;
    struct formula_argument *arguments;
    const struct formula_expression **numbers; // each may use the earlier ones
    const char **number_names, **number_texts;
    const char *when_text;                 // NULL: none
    const struct formula_expression *when; // condition for the row; NULL: always true
    bool is_guess;
    int type; // index of the argument whose type is the op's; -1: the first one with a type
    size_t part_count[FORMULA_PHASES];
    struct formula_part *parts[FORMULA_PHASES];
    struct formula_part rest; // only its params: for kernels of a backward without a part
};

struct formula_op { // index entry, sorted by op name
    const char *op;
    uint32_t row;
};

struct formula_rules {
    size_t role_count, row_count, op_count;
    struct formula_role *roles;
    struct formula_row *rows;
    struct formula_op *ops; // sorted by name; rows of one name keep their order
    // Bits of the roles with these names; 0: no such role.
    uint32_t helper, causal, not_causal;
    uint32_t aside; // kernels that clear, copy or sort for others
    // Helpers that are the main kernel of some ops (unfold, fold).
    uint32_t columns;
    // Roles whose kernels may be trials of algorithms (autotuning); only the last kernel counts.
    uint32_t tried;
    uint32_t product;            // gemm and conv
    uint32_t conv, dgrad, wgrad; // convolutions; gradients of their input and of their weights
    // Conv, dgrad and wgrad, whose algorithms may need fewer operations than the definition.
    uint32_t convolution;
    uint32_t closing; // helpers that follow the kernel they help
    // Products, convolutions, their gradients, attention, RNNs: a model's FLOPs.
    uint32_t model;
};

// Numbers that every row can use: `s`: bytes of an element of the op's type; `typed`: whether the
// marker has types; `backward`: whether the run is one; `kernels`: their number; `ranks`: of a
// collective; `causal_kernel`: whether the kernels' names say causal; `forward_part`: for a
// backward, the part of its forward that it belongs to, from 1; `unknown`: NaN.
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

// Reads `own` (may be NULL) and then `built_in`. Returns false with "file:line:column: ...". The
// caller must pass *rules to formula_rules_free() in every case.
bool formula_rules_read(struct formula_rules **rules, struct arena *arena,
                        const struct yaml_node *own, const struct yaml_node *built_in,
                        struct error *error);
void formula_rules_free(struct formula_rules *rules);

// Text of a row for help and manual. formula_row_text() joins the parts of a phase,
// "2*M*N*K + M*N"; "" when the backward is as the forward. formula_row_names() returns the
// definitions, "M = w[0], K = w[1]".
const char *formula_row_text(const struct formula_row *row, enum formula_phase phase, bool of_bytes,
                             struct arena *arena);
const char *formula_row_names(const struct formula_row *row, struct arena *arena);
// Returns the full text: "2*M*N*K FLOPs, s*(M*N+M*K+N*K) bytes, where M = w[0]. PyProf, ...".
const char *formula_row_doc(const struct formula_row *row, struct arena *arena);

// Finds the rows of an op, in order: [first, first + count) of `ops`. Returns first.
size_t formula_rules_find(const struct formula_rules *rules, const char *op, size_t *count);

#endif
