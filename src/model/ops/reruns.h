// SPDX-License-Identifier: Apache-2.0
// Finds ranges that are recomputed in a node of the backward graph: the forward of a non-reentrant
// checkpoint.
//
//     MulBackward0, seq = 100              the first node that needs a value that was not stored
//         aten::linear, seq = 105     |
//             aten::addmm, seq = 106  |    recomputed, with new numbers, until the value exists
//         aten::mul, seq = 107        |
//         aten::mul                        the node's own work
//
// A numbered op in a node is not always recomputed. If the backward itself builds a graph (a double
// backward, create_graph=True), the node's own work is numbered, too. A backward without a graph
// numbers none of its own work. So the numbered ops of a node are recomputed if one of them is the
// op whose backward the node is, and
//    - an op without a number follows them, which is the node's own work, or
//    - that op is inside a Python marker: in a node of PyTorch only the hook that runs the
//      checkpoint calls Python ops. (Such traces contain no ranges of the node's own work.)
// That a later node has one of the numbers is no proof: each thread counts from its own start, so
// ops of other threads have the same numbers.
#ifndef MODEL_OPS_RERUNS_H
#define MODEL_OPS_RERUNS_H

#include "model/profile/profile.h"

// Returns per range 1 for all contents of a recomputed forward, 0 for others, in `arena`; NULL when
// nothing is recomputed.
uint8_t *reruns_find(const struct profile *profile, struct arena *arena);

#endif
