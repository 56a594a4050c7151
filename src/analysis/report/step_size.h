// SPDX-License-Identifier: Apache-2.0
// Size of a step as the user states it, because the file cannot give it: the FLOPs that the model
// needs and the number of items per step, both for one GPU.
//
//     6*1.3e9*12288     FLOPs, computed from numbers (base/parse/formula_expression.h)
//     tokens:4*3072     items, and their unit
#ifndef ANALYSIS_REPORT_STEP_SIZE_H
#define ANALYSIS_REPORT_STEP_SIZE_H

#include <stdbool.h>

#include "base/error.h"

enum { STEP_UNIT_SIZE = 24 };

struct step_size {
    double flops, items;       // per step and GPU; 0: not stated
    char unit[STEP_UNIT_SIZE]; // "tokens"; "": not stated
};

// Parse `text` into their part of `size`; "" and "off" clear it. Return false and change nothing if
// the number is not above 0 or the unit is not a short word.
bool step_size_flops(struct step_size *size, const char *text, struct error *error);
bool step_size_items(struct step_size *size, const char *text, struct error *error);
bool step_size_equal(const struct step_size *a, const struct step_size *b);

#endif
