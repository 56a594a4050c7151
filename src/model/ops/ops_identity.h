// SPDX-License-Identifier: Apache-2.0
// Which instances are runs of one op.
#ifndef MODEL_OPS_IDENTITY_H
#define MODEL_OPS_IDENTITY_H

#include "model/ops/ops_draft.h"

// Fills ops->count and ops->items (all but their instances) from drafts in order of time; returns the
// op of each draft, in scratch memory.
//
// An op is (name, direction), with DLProf's rule also k: how many times that name occurred before
// in the process since the last `backward` ended. A backward op has the k of its forward op, one that is
// told what is told of it.
uint32_t *ops_identify(const struct op_drafts *drafts, const uint32_t *order, struct ops *ops);

#endif
