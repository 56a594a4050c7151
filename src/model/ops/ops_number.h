// SPDX-License-Identifier: Apache-2.0
// DLProf's k: the number of an op among those of its name within a step.
#ifndef MODEL_OPS_OPS_NUMBER_H
#define MODEL_OPS_OPS_NUMBER_H

#include "model/ops/ops_draft.h"

// Returns k per draft, in scratch memory: the number of earlier drafts of its name and direction in
// the same step of its process. A step begins where a numbered step begins (step_marks.h) and where
// a `backward` or the key op of the user (profile.key_op) has ended. A name that runs more than
// LOOP_RUNS times in one step, of which DLProf left no example, runs in a loop that nothing marks:
// all its k are 0. Drafts that are recorded, or that have a forward or a captured draft, are left
// out.
//
// Sets *bounds to the number of beginnings of steps in the process that has most of them.
enum { LOOP_RUNS = 1000 };
uint32_t *ops_number(const struct op_drafts *drafts, const uint32_t *order, size_t *bounds);

#endif
