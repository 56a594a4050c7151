// SPDX-License-Identifier: Apache-2.0
// What the texts of types, ops and kernels say.
#ifndef ANALYSIS_REPORT_NAMES_H
#define ANALYSIS_REPORT_NAMES_H

#include "model/profile/profile.h"

bool text_has_nocase(const char *text, const char *word);
bool text_has_any(const char *text, const char *const *words); // case counts; NULL ends the words

// A floating-point type of 16 bits, as markers write it: "half", "bf16".
bool type_is_16_bit(const char *type);
// One of 16 or 8 bits: what mixed precision computes in.
bool type_is_reduced(const char *type);

// Whether a kernel computes a matrix product in FP32 without Tensor Cores: 1 by its name alone, 2 when
// its op could use them, 0 otherwise.
int function_fp32_product(const struct profile *profile, const struct function *function);

#endif
