// SPDX-License-Identifier: Apache-2.0
// Finds ranges that are recomputed in a node of the backward graph: the forward of a non-reentrant
// checkpoint.
//
//     MulBackward0, seq = 100              where the first value that was not kept is needed
//         aten::linear, seq = 105     |
//             aten::addmm, seq = 106  |    recomputed, with new numbers, up to the value
//         aten::mul, seq = 107        |
//         aten::mul                        the node's own work
//
// A numbered op in a node may also be the node's own, in a backward that builds a graph (a double
// backward, create_graph=True). Autograd's numbers distinguish them: a backward that builds no
// graph numbers nothing, one that builds a graph numbers everything. An op is recomputed if the op
// whose backward the node is occurs among the numbered ones, and
//    - the node's own work follows it without a number, or
//    - a Python marker is around the op: in a node of PyTorch only the hook that runs the
//      checkpoint calls Python ops. (Markers do not see the own work of such a node.)
// Whether a later node uses the numbers proves less: each thread counts its own numbers, so the
// numbers of the engine's thread are also those of other ops.
#ifndef MODEL_OPS_RERUNS_H
#define MODEL_OPS_RERUNS_H

#include "model/profile/profile.h"

// Returns per range 1 for all contents of a recomputed forward, 0 for others, in `arena`; NULL when
// nothing is recomputed.
uint8_t *reruns_find(const struct profile *profile, struct arena *arena);

#endif
