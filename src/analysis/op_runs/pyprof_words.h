// SPDX-License-Identifier: Apache-2.0
// How PyProf words what it prints: names of kernels, call stacks, Tensor Core use.
#ifndef ANALYSIS_PYPROF_WORDS_H
#define ANALYSIS_PYPROF_WORDS_H

#include "base/parse/demangle.h"
#include "model/markers/markers.h"
#include "model/profile/profile.h"

// "void at::native::elementwise_kernel<512, 1>(int)" as "elementwise_kernel". Unlike PyProf it takes
// nsys's `<unnamed>::` for the unnamed namespace that it is, and not for the end of the name.
const char *pyprof_kernel_name(const char *full, struct demangler *demangler, struct arena *arena);

// The lines of a call stack that are the program's, outermost first, joined by ','; "" when none is.
const char *pyprof_trace(const char *stack, struct arena *arena);

// Whether the linear layer's kernel only adds a bias, by its short name: an op of its own to PyProf.
bool pyprof_is_bias(const char *kernel);

// Tensor Core use as PyProf printed it: 1, 0, "-" or "na" (NULL: no marker of an op), by a list of
// short names of kernels up to Turing.
const char *pyprof_tensor_core(const struct profile *profile, const struct marker *marker,
                               const char *kernel);

// What is right, by rules/kernels.yaml: 1, 0 of a matrix product or convolution that does not (see
// formula_is_product()), "-" of another kernel, "?" unknown.
const char *tensor_core_word(const struct function *function, bool is_product);

#endif
