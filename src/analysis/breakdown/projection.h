// SPDX-License-Identifier: Apache-2.0
// Projection of host ranges onto the GPU, by nsys's rule.
//
// GPU work belongs to a range if its whole API call is inside the range (both ends included) on the
// same thread. It does not matter when the work runs, nor whether ranges of other threads were
// adopted (model/ops/adoption.c). A range is projected to the time from the first start to the last
// end of its work.
#ifndef ANALYSIS_BREAKDOWN_PROJECTION_H
#define ANALYSIS_BREAKDOWN_PROJECTION_H

#include "analysis/report/selection.h"

// The calls of one thread that launched work, as an implicit segment tree: leaf i is call i in
// order of start, node n covers nodes 2n and 2n + 1.
//
//                    1
//           2                  3
//       4       5          6       7      leaves: size .. 2 * size - 1
struct projector {
    uint32_t count, size; // number of calls; number of leaves, a power of two (0: no calls)
    int64_t *call_start;  // by call
    int64_t *call_end, *gpu_start, *gpu_end; // by node: last end, first start, last end
    uint32_t *ops;                           // by node: number of calls (nsys's GPU operations)
};

struct projection {
    int64_t start, end; // on the GPU
    uint32_t ops;       // 0: no work was launched in the range
};

// Returns a projector per thread over the work that the device, process and name of the selection
// allow. Its iterations and places apply to ranges and are ignored here.
struct projector *projectors_new(const struct profile *profile, const struct selection *selection,
                                 struct arena *arena);

struct projection projector_find(const struct projector *projector, int64_t start, int64_t end);

#endif
