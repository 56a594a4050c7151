// SPDX-License-Identifier: Apache-2.0
// What calls of modules cost, as the PyTorch Profiler's plugin adds it up: by place in the modules around,
// name and number.
//
//     host self     length less the operators and modules in it
//     device total  GPU work launched in it; self: by operators directly in it, and by itself
#ifndef ANALYSIS_MODULE_SUMS_H
#define ANALYSIS_MODULE_SUMS_H

#include "analysis/report/operators.h"
#include "analysis/report/selection.h"

struct module_sum {
    uint32_t range; // the first call
    uint32_t outer; // the module around it, a row before this one; ROW_NONE
    unsigned depth;
    bool has_inner;
    int64_t calls;
    int64_t operators; // that lie directly in it
    int64_t device_self_ns, device_total_ns, host_self_ns, host_total_ns;
};

struct module_sums {
    size_t count;
    struct module_sum
        *items; // in pre-order; those of one module in the order in which they ran first
};

// The number that Python knows a module by; UNKNOWN: none is told.
int64_t module_number(const struct profile *profile, uint32_t range);

// Memory is the arena's.
struct module_sums module_sums_of(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena);

#endif
