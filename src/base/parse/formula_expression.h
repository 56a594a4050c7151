// SPDX-License-Identifier: Apache-2.0
// Small expressions over the arguments of a call, as the rules about FLOPs and bytes write them:
//
//     2 * x[0] * elements(w) / max(1, groups)
//     if(is(reduction, 'none'), 2, 1) * bytes(x)
//     first(stride[1], 1)
//
// Numbers, names, + - * / %, comparisons, and or not, functions (the table in formula_functions.c).
// A name is a number or an argument of the call; x[i] is a dim of a tensor or a number of a tuple (-1
// the last), a bare x the number itself. What is not known is NaN and makes unknown what rests on it,
// but for known(), first() and what does not matter: `0 and x`. So is what divides by 0 or is not finite.
//
// Read once into steps of a stack machine, worked out often; neither recurses, and both are bounded.
#ifndef BASE_FORMULA_EXPRESSION_H
#define BASE_FORMULA_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum {
    FORMULA_STEPS = 512, // of one expression
    FORMULA_DEPTH = 32,  // values, and open brackets and operators, at once
    FORMULA_RANK = 16,   // dims and numbers of an argument that are looked at
};

struct formula_value { // an argument
    bool is_there;
    bool is_tensor;
    bool is_scalar;        // one number, which stands for each of a tuple
    uint32_t count;        // dims of a tensor; numbers of a tuple; 1 of a number
    const double *numbers; // [count]
    double item_bytes;     // of a tensor's element; NaN: that of the scope
    const char *text;      // as it is written; NULL: none
};

struct formula_scope { // what names stand for
    const double *numbers;
    const struct formula_value *values;
    const struct formula_value *all; // all arguments as they come: `all`
    size_t all_count;
    double item_bytes; // of what tells none itself; NaN: not known
};

struct formula_names { // of a scope, in its order
    const char *const *numbers;
    size_t number_count;
    const char *const *values;
    size_t value_count;
};

struct formula_expression;

// NULL and an error of kind ERROR_USAGE, "character 7: why".
const struct formula_expression *formula_parse(struct arena *arena, const char *text,
                                               const struct formula_names *names,
                                               struct error *error);

// Finite, or NaN: not known.
double formula_evaluate(const struct formula_expression *expression,
                        const struct formula_scope *scope);

#endif
