// SPDX-License-Identifier: Apache-2.0
// Costs of operator calls, as added up by the PyTorch Profiler's plugin: by name, by name and input
// sizes, or by name and call stack.
//
//      host self       length minus the operators, modules, places and CUDA calls directly inside
//      device self     GPU work that its own calls launched, each for its full duration
//      totals          including everything inside
//
// Host figures cover the selected ranges, device figures the selected work. Recursive calls of an
// operator count in its totals more than once, as in the plugin.
#ifndef ANALYSIS_PLUGIN_OPERATOR_SUMS_H
#define ANALYSIS_PLUGIN_OPERATOR_SUMS_H

#include "analysis/report/operators.h"
#include "analysis/report/selection.h"

struct operator_sum {
    uint32_t label; // of the first call
    int64_t calls;
    int64_t device_self_ns, device_total_ns, host_self_ns, host_total_ns;
    // The part of the device figures in kernels that use Tensor Cores.
    int64_t tensor_self_ns, tensor_total_ns;
    int64_t unknown_self_ns, unknown_total_ns; // the part in kernels for which that is unknown
    enum tristate eligible;                    // for Tensor Cores: the operator or one inside it
};

struct operator_sums {
    size_t count;
    struct operator_sum *items; // by device self, then host self, both descending
};

// Memory is the arena's.
struct operator_sums operator_sums_of(const struct profile *profile,
                                      const struct selection *selection, enum operator_key key,
                                      struct arena *arena);

#endif
