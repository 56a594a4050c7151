// SPDX-License-Identifier: Apache-2.0
// Predicates on the names of types, ops and kernels.
#ifndef ANALYSIS_REPORT_NAMES_H
#define ANALYSIS_REPORT_NAMES_H

#include "model/profile/profile.h"

bool text_has_nocase(const char *text, const char *word);
// case-sensitive; the list ends with NULL
bool text_has_any(const char *text, const char *const *words);

// Returns true for a 16-bit floating-point type as markers write it: "half", "bf16".
bool type_is_16_bit(const char *type);
// Returns true for a type of 16 or 8 bits, as mixed precision uses.
bool type_is_reduced(const char *type);

// Returns whether a kernel computes a matrix product in FP32 without Tensor Cores: 1 by its name
// alone, 2 if it does so provided that its op could use Tensor Cores, 0 otherwise.
int function_fp32_product(const struct profile *profile, const struct function *function);

#endif
