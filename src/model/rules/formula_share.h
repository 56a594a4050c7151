// SPDX-License-Identifier: Apache-2.0
// The evaluator's state, and the assignment of a run's kernels to the parts of a row. Used by
// formula.c only.
#ifndef MODEL_RULES_FORMULA_SHARE_H
#define MODEL_RULES_FORMULA_SHARE_H

#include "model/rules/formula_params.h"

struct evaluated_question; // slot of the hash table of evaluated questions

struct formula_evaluator {
    const struct profile *profile;
    struct arena *arena;
    const struct formula_rules *rules;
    uint32_t *roles; // per function: a bit for each role, and FORMULA_HAS_ROLES
    const struct data_type **types;
    size_t known_count, slot_count;
    struct evaluated_question *slots; // by hash; answer NULL: empty
};

#define FORMULA_HAS_ROLES (1U << FORMULA_ROLES)

// formula_roles() returns a bit for each role of the rules that the kernel's name has.
uint32_t formula_roles(struct formula_evaluator *desk, uint32_t function);
bool formula_is_helper(struct formula_evaluator *desk, uint32_t function);

enum { FORMULA_NO_PART = -1 };

struct formula_assignment {
    struct formula_evaluator *desk;
    const struct formula_query *question;
    const struct formula_part *parts;
    size_t part_count;
    int *part_of;                     // part of each kernel, or FORMULA_NO_PART
    uint32_t assigned[FORMULA_PARTS]; // number of kernels of each part
    uint32_t unsure; // bits of the parts that a kernel without a distinctive name may belong to
    // For convolution kernels whose names do not say which gradient they compute: kernels before
    // `input_to` compute the gradient of the input, kernels in [weights_from, weights_to) the
    // gradient of the weights.
    uint32_t input_to, weights_from, weights_to;
    bool is_autotuned;
};

// Assigns the kernels to the parts. `part_of` must be FORMULA_NO_PART for all kernels; helper
// kernels keep it.
void formula_assign_kernels(struct formula_assignment *assignment, const struct formula_case *c);

#endif
