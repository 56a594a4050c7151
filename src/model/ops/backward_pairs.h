// SPDX-License-Identifier: Apache-2.0
// Pairs nodes of the backward graph with their forward ranges, by (process, sequence number).
#ifndef MODEL_OPS_BACKWARD_PAIRS_H
#define MODEL_OPS_BACKWARD_PAIRS_H

#include "model/profile/profile.h"

struct marker;

// Returns for each range the forward range whose backward it is + 1, 0: none. The array is
// allocated in `arena`; NULL when the profile has no such pairs. The forward range is the latest
// earlier one with the node's number in its process. With `by_name` it is the latest of the last
// few whose name fits the node's (AddmmBackward0 and aten::addmm), if there is one. A recomputed
// range (model/ops/reruns.h) is no forward: no node is its backward, though a node may have its
// number from another thread. Number 0 and "no number" are never matched, since unrelated ranges
// share them.
uint32_t *backward_pairs(const struct profile *profile, bool by_name, struct arena *arena);

// The same in two steps, for callers that compute the pairs in parallel with other work: whether
// there can be any pairs, and filling pairs[ranges.count], which must be all 0.
bool backward_pairs_are_possible(const struct profile *profile);
void backward_pairs_find(const struct profile *profile, bool by_name, uint32_t *pairs,
                         struct arena *scratch);

// Gives each engine range the pair of the node in it: work that follows the node, such as the sum
// of a bias, belongs to the node too.
void backward_pair_engines(const struct profile *profile, uint32_t *pairs);

// The same; then every range without a pair gets the pair of its parent.
void backward_pair_descendants(const struct profile *profile, uint32_t *pairs);

// Returns whether a node's name is derived from a forward range's: `AddmmBackward0` from `addmm`,
// `NativeLayerNormBackward0` from `native_layer_norm`, `GeluBackwardBackward0` from
// `gelu_backward`.
bool backward_name_fits(const struct profile *profile, const struct marker *node,
                        const struct marker *forward);

#endif
