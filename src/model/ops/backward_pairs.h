// SPDX-License-Identifier: Apache-2.0
// Which forward range a node of the backward graph belongs to, by (process, sequence number).
#ifndef MODEL_BACKWARD_PAIRS_H
#define MODEL_BACKWARD_PAIRS_H

#include "model/profile/profile.h"

struct marker;

// For each range the forward range whose backward it is + 1, 0: none; the array lives in `arena`.
// NULL when the profile has no such pairs. The forward range is the latest earlier one with the
// node's number in its process; with `by_name`, among the latest few the first whose name fits the
// node's (AddmmBackward0 and aten::addmm). What is run again in a node (model/reruns.h) is no forward: no
// node is its backward, though one may have its number from another thread. Number 0 and "no number" are never matched: they stand
// for many things.
uint32_t *backward_pairs(const struct profile *profile, bool by_name, struct arena *arena);

// The same in two steps, for who finds them beside something else: whether there can be any, and then
// filling pairs[ranges.count], all 0 before.
bool backward_pairs_are_told(const struct profile *profile);
void backward_pairs_find(const struct profile *profile, bool by_name, uint32_t *pairs,
                         struct arena *scratch);

// Lets the engine's range have the pair of the node in it: what runs after the node, such as the
// sum of a bias, is the node's too.
void backward_pair_engines(const struct profile *profile, uint32_t *pairs);

// The same, and all that lies in a range that has one and has none of its own.
void backward_pair_below(const struct profile *profile, uint32_t *pairs);

// Whether a node's name is made of a forward range's: `AddmmBackward0` of `addmm`,
// `NativeLayerNormBackward0` of `native_layer_norm`, `GeluBackwardBackward0` of `gelu_backward`.
bool backward_name_fits(const struct profile *profile, const struct marker *node,
                        const struct marker *forward);

#endif
