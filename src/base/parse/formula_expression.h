// SPDX-License-Identifier: Apache-2.0
// Expressions over the arguments of a call, as used by the rules for FLOPs and bytes:
//
//     2 * x[0] * elements(w) / max(1, groups)
//     if(is(reduction, 'none'), 2, 1) * bytes(x)
//     first(stride[1], 1)
//
// Supported are numbers, names, + - * / %, comparisons, and/or/not, and the functions listed in
// formula_functions.c. A name is a number or an argument of the call; x[i] is a dimension of a
// tensor or a number of a tuple (-1 is the last); a bare x is the number itself. An unknown value
// is NaN and makes every result that depends on it NaN. Exceptions are known(), first() and
// operands that do not matter, as in `0 and x`. Division by 0 and results that are not finite are
// unknown, too.
//
// An expression is compiled once into steps of a stack machine and evaluated often. Neither
// recurses, and both are limited.
#ifndef BASE_PARSE_FORMULA_EXPRESSION_H
#define BASE_PARSE_FORMULA_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum {
    FORMULA_STEPS = 512, // of one expression
    FORMULA_DEPTH = 32,  // values, and open brackets and operators, at a time
    FORMULA_RANK = 16,   // dimensions and numbers of an argument that are considered
};

// An argument of the call.
struct formula_value {
    bool is_there;
    bool is_tensor;
    bool is_scalar;        // a single number, which stands for each number of a tuple
    uint32_t count;        // dimensions of a tensor, numbers of a tuple, or 1 for a number
    const double *numbers; // [count]
    double item_bytes;     // element size of a tensor; NaN: that of the scope
    const char *text;      // as written; NULL: none
};

// The values that names refer to.
struct formula_scope {
    const double *numbers;
    const struct formula_value *values;
    const struct formula_value *all; // all arguments in order, for `all`
    size_t all_count;
    double item_bytes; // element size of arguments without their own; NaN: unknown
};

// The names of a scope, in its order.
struct formula_names {
    const char *const *numbers;
    size_t number_count;
    const char *const *values;
    size_t value_count;
};

struct formula_expression;

// Compiles an expression. Returns NULL and an ERROR_USAGE "character 7: why" on failure.
const struct formula_expression *formula_parse(struct arena *arena, const char *text,
                                               const struct formula_names *names,
                                               struct error *error);

// Returns the value; it is finite, or NaN if unknown.
double formula_evaluate(const struct formula_expression *expression,
                        const struct formula_scope *scope);

#endif
