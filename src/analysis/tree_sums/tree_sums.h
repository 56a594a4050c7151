// SPDX-License-Identifier: Apache-2.0
// Sums over the op tree: one struct per node, including its subtree.
#ifndef ANALYSIS_TREE_SUMS_TREE_SUMS_H
#define ANALYSIS_TREE_SUMS_TREE_SUMS_H

#include "analysis/breakdown/breakdown.h"

struct tree_sum {         // of the selected part of a node's subtree; times in ns
    int64_t self_ns;      // exclusive GPU time of the node itself
    int64_t exclusive_ns; // exclusive GPU time of the subtree: self_ns plus the children's
    int64_t sum_ns;       // sum of durations; overlapping work counts several times
    // exclusive time of backward work that is paired with forward ops in the subtree
    int64_t backward_ns;
    int64_t category_ns[GPU_IDLE]; // parts of exclusive_ns by category of breakdown_gpu
    int64_t eligible_ns; // exclusive time of compute kernels of ops that could use Tensor Cores
    int64_t eligible_tc_ns;
    int64_t cpu_ns;     // length of the node's own ranges or, without any, of its children's
    int64_t api_ns;     // union of the API calls of the same thread within its ranges
    int64_t idle_ns;    // sum of gaps between the GPU work of each range; may be UNKNOWN
    int64_t calls;      // number of its own ranges
    int64_t work_count; // pieces of GPU work in the subtree
    int64_t below;      // ranges plus pieces of GPU work in the subtree; 0: the node is not shown
};

// Returns one entry per node of selection_tree(). selection->node is ignored: sums cover the whole
// tree, so that shares of it can be computed.
struct tree_sum *tree_sums(const struct profile *profile, const struct selection *selection,
                           struct arena *arena);

// Returns the innermost node whose subtree has at least four fifths of the total of `self_ns`, an
// array by node. Adds up the subtrees in place. ROW_NONE: all figures are 0.
uint32_t tree_dominant_node(const struct op_tree *tree, int64_t *self_ns);

#endif
