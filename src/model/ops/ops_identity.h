// SPDX-License-Identifier: Apache-2.0
// Determines which instances are runs of one op.
#ifndef MODEL_OPS_OPS_IDENTITY_H
#define MODEL_OPS_OPS_IDENTITY_H

#include "model/ops/ops_draft.h"

// Fills ops->count and ops->items (except their instances) from drafts in time order. Returns the
// op of each draft, in scratch memory.
//
// An op is identified by (name, direction) and with DLProf's rule also by k (ops_number.h), so that
// it is one op over all steps. A backward op has the k of its forward op, a recorded one the
// recorded k.
uint32_t *ops_identify(const struct op_drafts *drafts, const uint32_t *order, struct ops *ops);

#endif
