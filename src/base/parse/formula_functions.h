// SPDX-License-Identifier: Apache-2.0
// The functions and operators of the expressions in formula_expression.h, as two tables. To add
// one, write a function and add a row.
#ifndef BASE_PARSE_FORMULA_FUNCTIONS_H
#define BASE_PARSE_FORMULA_FUNCTIONS_H

#include "base/parse/formula_expression.h"

// A slot of the evaluation stack: a number, an argument or a text.
struct formula_slot {
    double number;
    const struct formula_value *value; // NULL: all arguments
    const char *text;
};

// Computes a value from `count` slots; NaN if unknown.
typedef double formula_apply(const struct formula_scope *scope, const struct formula_slot *slots,
                             size_t count);

struct formula_function {
    const char *name;
    const char *takes; // kinds of operands. n: number, a: argument, t: text, *: the last repeats
    formula_apply *apply;
};
extern const struct formula_function formula_functions[]; // ends with a row without a name
extern const struct formula_function formula_index;       // x[i]
extern const struct formula_function formula_number;      // the number of a bare argument x

struct formula_operator {
    const char *sign;
    int rank; // operators of higher rank bind more strongly
    formula_apply *apply;
};
// Binary operators; ends with a row without a sign. An operator precedes its prefixes.
extern const struct formula_operator formula_operators[];
extern const struct formula_operator formula_not, formula_negate; // prefix operators

#endif
