// SPDX-License-Identifier: Apache-2.0
// What the expressions of formula_expression.h can call, and their operators: two tables. To add one: a
// function and a row.
#ifndef BASE_FORMULA_FUNCTIONS_H
#define BASE_FORMULA_FUNCTIONS_H

#include "base/parse/formula_expression.h"

// What stands on the machine's stack: a number, an argument or a text.
struct formula_slot {
    double number;
    const struct formula_value *value; // NULL: all of them
    const char *text;
};

// Of `count` slots; NaN: not known.
typedef double formula_apply(const struct formula_scope *scope, const struct formula_slot *slots,
                             size_t count);

struct formula_function {
    const char *name;
    const char *takes; // n: a number, a: an argument, t: a text; *: the last once more and more
    formula_apply *apply;
};
extern const struct formula_function formula_functions[]; // until one without a name
extern const struct formula_function formula_index;       // x[i]
extern const struct formula_function formula_number;      // a bare x

struct formula_operator {
    const char *sign;
    int rank; // the higher, the more strongly it binds
    formula_apply *apply;
};
// Between two numbers, until one without a sign; what begins like another one stands before it.
extern const struct formula_operator formula_operators[];
extern const struct formula_operator formula_not, formula_negate; // in front of one

#endif
