// SPDX-License-Identifier: Apache-2.0
// What calls of operators cost, as the PyTorch Profiler's plugin adds it up: by name, by name and sizes
// of the inputs, or by name and call stack.
//
//     host self     length less what lies in it: operators, modules, places, and its own CUDA calls
//     device self   GPU work that its own calls launched, each for as long as it ran
//     totals        with all that lies in it
//
// The host's figures are of the ranges that are selected, the device's of the work. Calls that lie in a
// call of the same operator count in its totals as well, as in the plugin.
#ifndef ANALYSIS_OPERATOR_SUMS_H
#define ANALYSIS_OPERATOR_SUMS_H

#include "analysis/report/operators.h"
#include "analysis/report/selection.h"

struct operator_sum {
    uint32_t label; // of the first call
    int64_t calls;
    int64_t device_self_ns, device_total_ns, host_self_ns, host_total_ns;
    int64_t tensor_self_ns, tensor_total_ns;   // of the device's, in kernels that use Tensor Cores
    int64_t unknown_self_ns, unknown_total_ns; // ... of which it is not known
    enum tristate eligible;                    // for Tensor Cores, itself or an operator in it
};

struct operator_sums {
    size_t count;
    struct operator_sum *items; // by device self, then host self, both falling
};

// Memory is the arena's.
struct operator_sums operator_sums_of(const struct profile *profile,
                                      const struct selection *selection, enum operator_key key,
                                      struct arena *arena);

#endif
