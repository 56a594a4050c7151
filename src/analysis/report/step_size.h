// SPDX-License-Identifier: Apache-2.0
// What a person says of a step, where the file cannot tell it: how many FLOPs the model needs for it and
// how many items go through it, both of one GPU.
//
//     6*1.3e9*12288     FLOPs, worked out from numbers (base/formula_expression.h)
//     tokens:4*3072     items, and what they are called
#ifndef ANALYSIS_STEP_SIZE_H
#define ANALYSIS_STEP_SIZE_H

#include <stdbool.h>

#include "base/error.h"

enum { STEP_UNIT_SIZE = 24 };

struct step_size {
    double flops, items;       // of a step and GPU; 0: not said
    char unit[STEP_UNIT_SIZE]; // "tokens"; "": not said
};

// Reads the text into its part of `size`; "" and "off": it is no longer said. False, and nothing is
// changed: it is no number above 0, or the unit is no short word.
bool step_size_flops(struct step_size *size, const char *text, struct error *error);
bool step_size_items(struct step_size *size, const char *text, struct error *error);
bool step_size_equal(const struct step_size *a, const struct step_size *b);

#endif
