// SPDX-License-Identifier: Apache-2.0
// Projection of host ranges onto the GPU, by nsys's rule.
//
// GPU work belongs to a range when its whole API call lies inside the range, on the same thread
// (both ends included); the time of the work itself plays no part, nor does adoption. A range is
// projected to the time from the first start to the last end of its work.
#ifndef ANALYSIS_PROJECTION_H
#define ANALYSIS_PROJECTION_H

#include "analysis/report/selection.h"

// The calls of one thread that launched work, as an implicit segment tree: leaf i is call i in
// order of start, node n covers nodes 2n and 2n + 1.
//
//                     1
//            2                 3
//        4       5         6       7       leaves: size .. 2 * size - 1
struct projector {
    uint32_t count, size;                    // calls; leaves, a power of two (0: no calls)
    int64_t *call_start;                     // by call
    int64_t *call_end, *gpu_start, *gpu_end; // by node: last end, first start, last end
    uint32_t *ops;                           // by node: calls (nsys's GPU operations)
};

struct projection {
    int64_t start, end; // on the GPU
    uint32_t ops;       // 0: nothing was launched in the range
};

// For each thread a projector over the work that the selection's device, process and name let
// through; its iterations and places are a matter of ranges and are not looked at.
struct projector *projectors_new(const struct profile *profile, const struct selection *selection,
                                 struct arena *arena);

struct projection projector_find(const struct projector *projector, int64_t start, int64_t end);

#endif
