// SPDX-License-Identifier: Apache-2.0
// Which forward range a node of the backward graph is the backward of: by process and sequence
// number, then by name.
//
// model/backward_pairs.h answers the same for the tree, for all ranges and by what is right there.
// Here number 0 counts, too (the first op of a program has it), and the number before is looked at
// where what has the number is another node's: PyTorch 1.9 counted some pairs apart by one.
#ifndef ANALYSIS_FORWARD_RUNS_H
#define ANALYSIS_FORWARD_RUNS_H

#include "model/profile/profile.h"

// Fills forward[node] = range + 1 of each of `nodes` (ranges with a number), 0: none. Of the ranges
// that may be one, the latest before the node whose name fits; else the latest, but of number 0.
void forward_runs_find(const struct profile *profile, const uint32_t *nodes, size_t count,
                       bool (*is_forward)(void *context, uint32_t range), void *context,
                       uint32_t *forward, struct arena *scratch);

#endif
