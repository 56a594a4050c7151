// SPDX-License-Identifier: Apache-2.0
// Number of parts that sums over a selection are divided by: steps, and GPUs or processes per step.
#ifndef ANALYSIS_REPORT_SELECTION_PARTS_H
#define ANALYSIS_REPORT_SELECTION_PARTS_H

#include "analysis/report/value.h"

// Returns the number of GPUs that ran work and are selected directly or by their process; at least
// 1.
uint32_t selection_device_count(const struct profile *profile, const struct selection *selection);

// Returns the number of selected GPUs that have a step. Processes need not have equally many steps,
// and a GPU without work in the steps has none.
uint32_t selection_step_gpus(const struct profile *profile, const struct selection *selection,
                             uint32_t step);

struct sum_parts selection_parts(const struct profile *profile, const struct selection *selection);

#endif
