// SPDX-License-Identifier: Apache-2.0
// Selected time of a GPU on its own clock, as breakdown_gpu uses it, for sums that must agree with
// it.
#ifndef ANALYSIS_BREAKDOWN_GPU_WINDOWS_H
#define ANALYSIS_BREAKDOWN_GPU_WINDOWS_H

#include "analysis/breakdown/breakdown_scheme.h"

// Returns true if a GPU is selected and ran work of a selected process.
bool gpu_counts(const struct profile *profile, const struct selection *selection, uint32_t device);

// Returns true if all work of a GPU is outside of the steps. Then it is neither busy nor idle in
// any step; of all time its window is the extent of the work.
bool gpu_work_is_outside_steps(const struct selection *selection, uint32_t device);
// Returns "no GPU work in the steps; 1.76 us outside of them" if that holds for all selected GPUs,
// else NULL.
const char *gpu_outside_steps_text(const struct profile *profile, const struct selection *selection,
                                   bool ascii, struct arena *arena);

// Calls add() for the window of each selected iteration in order. If all are selected, calls it
// once for the window from the first work to the last, with iteration ROW_NONE.
void gpu_windows(const struct profile *profile, const struct selection *selection, uint32_t device,
                 void (*add)(void *context, uint32_t iteration, struct window window),
                 void *context);

#endif
