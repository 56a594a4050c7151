// SPDX-License-Identifier: Apache-2.0
// PyProf's wording of kernel names, call stacks and Tensor Core use.
#ifndef ANALYSIS_OP_RUNS_PYPROF_WORDS_H
#define ANALYSIS_OP_RUNS_PYPROF_WORDS_H

#include "base/parse/demangle.h"
#include "model/markers/markers.h"
#include "model/profile/profile.h"

// Returns "elementwise_kernel" for "void at::native::elementwise_kernel<512, 1>(int)". Unlike
// PyProf it treats nsys's `<unnamed>::` as a namespace, not as the end of the name.
const char *pyprof_kernel_name(const char *full, struct demangler *demangler, struct arena *arena);

// Returns the lines of a call stack that belong to the user's program, outermost first, joined by
// ','; "" if there are none.
const char *pyprof_trace(const char *stack, struct arena *arena);

// True if the kernel with this short name only adds the bias of a linear layer, which PyProf counts
// as an op of its own.
bool pyprof_is_bias(const char *kernel);

// Returns Tensor Core use as PyProf prints it: "1", "0", "-", or "na" without an op marker. It goes
// by a list of short kernel names up to Turing.
const char *pyprof_tensor_core(const struct profile *profile, const struct marker *marker,
                               const char *kernel);

// Returns Tensor Core use by rules/kernels.yaml: "1"; "0" for a matrix product or convolution
// without it (see formula_is_product()); "-" for other kernels; "?" if unknown.
const char *tensor_core_word(const struct function *function, bool is_product);

#endif
