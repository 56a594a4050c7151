// SPDX-License-Identifier: Apache-2.0
// Sums over the op tree: one struct per node, its subtree included.
#ifndef ANALYSIS_TREE_SUMS_H
#define ANALYSIS_TREE_SUMS_H

#include "analysis/breakdown/breakdown.h"

struct tree_sum {                  // of the selected part of a node's subtree; times in ns
    int64_t self_ns;               // exclusive GPU time of the node itself
    int64_t exclusive_ns;          // ... and of everything below: the sum of the children and self
    int64_t sum_ns;                // durations, overlap counted twice
    int64_t backward_ns;           // exclusive time of backward work tied to forward ops below
    int64_t category_ns[GPU_IDLE]; // exclusive time by category of breakdown_gpu: their sum
    int64_t eligible_ns; // exclusive time of compute kernels of ops that could use Tensor Cores
    int64_t eligible_tc_ns;
    int64_t cpu_ns;     // length of the node's own ranges; where it has none, of its children's
    int64_t api_ns;     // inside API calls of the same thread within its ranges, as a union
    int64_t idle_ns;    // gaps between the GPU work of one range, accumulated; may be UNKNOWN
    int64_t calls;      // its own ranges
    int64_t work_count; // GPU work below
    int64_t below;      // ranges and GPU work in the subtree: 0 means nothing to show
};

// One entry per node of selection_tree(). selection->node is not looked at: sums are of the
// whole tree, so that shares keep their denominator.
struct tree_sum *tree_sums(const struct profile *profile, const struct selection *selection,
                           struct arena *arena);

// The innermost node that holds most (four fifths) of `self_ns`, one figure per node, which are
// summed up in place. ROW_NONE: nothing is there.
uint32_t tree_place(const struct op_tree *tree, int64_t *self_ns);

#endif
