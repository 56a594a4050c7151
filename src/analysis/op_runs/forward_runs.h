// SPDX-License-Identifier: Apache-2.0
// Finds, for a node of the backward graph, the forward range that it differentiates: by process and
// sequence number, then by name.
//
// model/ops/backward_pairs.h does the same for the op tree, over all ranges and with exact pairs
// only. Here number 0 counts as well (the first op of a program has it). If every range with the
// node's number belongs to another node, the number before it is tried, because PyTorch 1.9 counted
// some pairs off by one.
#ifndef ANALYSIS_OP_RUNS_FORWARD_RUNS_H
#define ANALYSIS_OP_RUNS_FORWARD_RUNS_H

#include "model/profile/profile.h"

// Fills forward[node] = range + 1 for each of `nodes` (ranges with a sequence number); 0 is none.
// Among the ranges for which is_forward() is true, the latest before the node whose name fits wins;
// otherwise the latest, except for number 0.
void forward_runs_find(const struct profile *profile, const uint32_t *nodes, size_t count,
                       bool (*is_forward)(void *context, uint32_t range), void *context,
                       uint32_t *forward, struct arena *scratch);

#endif
