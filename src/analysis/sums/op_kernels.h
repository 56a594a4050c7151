// SPDX-License-Identifier: Apache-2.0
// DLProf's kernel rows: one per (op, short kernel name) in DLProf's order: ops by name and id, then
// short names by bytes. Only kernels (an opaque graph counts as one), no copies.
#ifndef ANALYSIS_SUMS_OP_KERNELS_H
#define ANALYSIS_SUMS_OP_KERNELS_H

#include "analysis/sums/op_metrics.h"

struct op_kernel {
    uint32_t op;
    string_id name;    // short name
    uint32_t function; // of the last launch, whose long name DLProf prints for all
    bool uses_tc;
    int64_t calls;
    struct time_metric gpu, api;
};

struct op_kernels {
    struct op_kernel *items;
    uint32_t count;
};

struct op_kernels op_kernels_build(const struct profile *profile, const struct selection *selection,
                                   struct arena *arena);

// Selected kernels in order of (op name, op id, short name, launch), and the row in op_kernels of
// each.
struct op_launches {
    uint32_t *work, *kernel;
    uint32_t count;
};
struct op_launches op_launches_build(const struct profile *profile,
                                     const struct selection *selection, struct op_kernels *kernels,
                                     struct arena *arena);

#endif
