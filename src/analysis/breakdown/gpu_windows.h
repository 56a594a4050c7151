// SPDX-License-Identifier: Apache-2.0
// The selected time of a GPU by its own clock, as breakdown_gpu has it: for sums that must agree
// with that.
#ifndef ANALYSIS_GPU_WINDOWS_H
#define ANALYSIS_GPU_WINDOWS_H

#include "analysis/breakdown/breakdown_scheme.h"

// Whether a GPU is selected and ran anything of the process in scope.
bool gpu_counts(const struct profile *profile, const struct selection *selection, uint32_t device);

// Whether all work of a GPU lies outside of the steps that there are: then there is no window in which
// it could be busy or idle, but the extent of that work.
bool gpu_is_outside(const struct selection *selection, uint32_t device);
// "no GPU work in the steps; 1.76 us outside of them": of all GPUs selected. NULL: some is.
const char *gpu_outside_text(const struct profile *profile, const struct selection *selection,
                             bool ascii, struct arena *arena);

// Calls add() for the window of each selected iteration, in order of the iterations; where all are
// chosen, for one window from the first work to the last, whose iteration is ROW_NONE.
void gpu_windows(const struct profile *profile, const struct selection *selection, uint32_t device,
                 void (*add)(void *context, uint32_t iteration, struct window window),
                 void *context);

#endif
