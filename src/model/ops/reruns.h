// SPDX-License-Identifier: Apache-2.0
// What is run again in a node of the backward graph: the forward of a checkpoint that is not reentrant.
//
//     MulBackward0, seq = 100              where the first value that was not kept is asked for
//         aten::linear, seq = 105     |
//             aten::addmm, seq = 106  |    run again, with numbers of its own, up to the value
//         aten::mul, seq = 107        |
//         aten::mul                        the node's own work
//
// A numbered op in a node may also be the node's own, in a backward that makes a graph (a double
// backward, create_graph=True). Autograd tells them apart: a backward that makes no graph numbers nothing,
// one that makes a graph numbers all. So it is a run again if the op that the node is the backward of
// is among what is numbered, and
//   - what the node does itself comes behind it without a number, or
//   - the op has a marker of Python's around it: in a node of PyTorch's nothing but the hook that runs
//     the checkpoint calls Python's ops. (Markers see nothing of what such a node does itself.)
// Whether the numbers are asked for by a node later tells less: numbers are counted by each thread, so that
// those of the engine's are also those of other ops.
#ifndef MODEL_RERUNS_H
#define MODEL_RERUNS_H

#include "model/profile/profile.h"

// By range: 1 for all that lies in what is run again, 0 for others; the array lives in `arena`.
// NULL: nothing is.
uint8_t *reruns_find(const struct profile *profile, struct arena *arena);

#endif
