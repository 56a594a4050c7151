// SPDX-License-Identifier: Apache-2.0
// A run of an op as formula.c works it out, and PyProf's text of what it takes.
#ifndef MODEL_FORMULA_PARAMS_H
#define MODEL_FORMULA_PARAMS_H

#include "model/profile/data_types.h"
#include "model/rules/formula.h"
#include "model/rules/rules_formulas.h"

struct formula_case {
    const struct profile *profile;
    struct arena *arena;
    const struct formula_question *question;
    uint32_t value_count;
    uint32_t backward_count; // behind them those of what the backward runs
    const struct marker_argument
        *arguments;                // of the question's markers [value_count + backward_count]
    struct formula_value *values;  // of all arguments, as they come; also scope.all
    const struct formula_row *row; // that is tried; NULL: none
    int *bound;                    // of each argument of the row: which value, -1: none
    struct formula_scope scope;
    const struct data_type *type; // NULL: nothing has one
    bool is_typed;                // the marker tells it
    bool is_guess;
};

// Fills values and scope.all from the question's marker.
void formula_case_read(struct formula_case *c);

// "M=128,N=256,K=512,fp32,"; of no part (NULL) what PyProf prints of an op that it does not know;
// "na=na," of one without arguments.
const char *formula_params(const struct formula_case *c, const struct formula_part *part);
// What two such texts agree on: "M=3,N=5," and "M=3,N=7," make "M=3,N=na,".
const char *formula_params_agreed(struct arena *arena, const char *a, const char *b);

#endif
