// SPDX-License-Identifier: Apache-2.0
// The evaluation of one run of an op (formula.c), and its parameters in PyProf's notation.
#ifndef MODEL_RULES_FORMULA_PARAMS_H
#define MODEL_RULES_FORMULA_PARAMS_H

#include "model/profile/data_types.h"
#include "model/rules/formula.h"
#include "model/rules/rules_formulas.h"

struct formula_case {
    const struct profile *profile;
    struct arena *arena;
    const struct formula_query *question;
    uint32_t value_count;
    // Number of values of the backward op, which follow the first `value_count`.
    uint32_t backward_count;
    // Arguments of both markers of the question [value_count + backward_count].
    const struct marker_argument *arguments;
    struct formula_value *values;  // one per argument, in the order of the marker; also scope.all
    const struct formula_row *row; // the row that is tried; NULL: none
    int *bound;                    // for each argument of the row its value, -1: none
    struct formula_scope scope;
    const struct data_type *type; // NULL: unknown
    bool is_typed;                // the marker has the type
    bool is_guess;
};

// Fills values and scope.all from the question's marker.
void formula_case_read(struct formula_case *c);

// Returns "M=128,N=256,K=512,fp32,". With `part` NULL: what PyProf prints for an op that it does
// not know; "na=na," for one without arguments.
const char *formula_params(const struct formula_case *c, const struct formula_part *part);
// Returns the common part of two such texts: "M=3,N=5," and "M=3,N=7," give "M=3,N=na,".
const char *formula_params_common(struct arena *arena, const char *a, const char *b);

#endif
