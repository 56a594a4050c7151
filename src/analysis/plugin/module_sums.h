// SPDX-License-Identifier: Apache-2.0
// Costs of module calls, as added up by the PyTorch Profiler's plugin: by enclosing modules, name
// and number.
//
//      host self       length minus the operators and modules directly inside
//      device total    GPU work launched inside
//      device self     the part launched by the module itself and by operators directly inside
#ifndef ANALYSIS_PLUGIN_MODULE_SUMS_H
#define ANALYSIS_PLUGIN_MODULE_SUMS_H

#include "analysis/report/operators.h"
#include "analysis/report/selection.h"

struct module_sum {
    uint32_t range; // the first call
    uint32_t outer; // the enclosing module: an earlier row; ROW_NONE
    unsigned depth;
    bool has_inner;
    int64_t calls;
    int64_t operators; // operators directly inside
    int64_t device_self_ns, device_total_ns, host_self_ns, host_total_ns;
};

struct module_sums {
    size_t count;
    struct module_sum *items; // in pre-order; siblings in the order of their first call
};

// Returns the number by which Python identifies a module, or UNKNOWN.
int64_t module_number(const struct profile *profile, uint32_t range);

// Memory is the arena's.
struct module_sums module_sums_of(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena);

#endif
