// SPDX-License-Identifier: Apache-2.0
// DLProf's definitions of a kernel, of Tensor Core use and of the end of an iteration.
#ifndef ANALYSIS_REPORT_DLPROF_RULES_H
#define ANALYSIS_REPORT_DLPROF_RULES_H

#include "model/profile/profile.h"
#include "model/steps/split.h"

// A graph without node events counts as one kernel.
static inline bool function_is_kernel(const struct function *function)
{
    return function->kind == WORK_KERNEL || function->kind == WORK_GRAPH;
}
bool work_is_kernel(const struct profile *profile, uint32_t work);
bool work_uses_tc(const struct profile *profile, uint32_t work); // by the kernel's short name

// If iterations abut, one ends 1 ns before the next begins.
int64_t iteration_stop(const struct split *split, uint32_t iteration);
int64_t iteration_length(const struct split *split, uint32_t iteration); // ns

#endif
