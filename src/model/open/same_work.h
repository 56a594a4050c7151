// SPDX-License-Identifier: Apache-2.0
// Detects files by different tools that contain the same GPU work, which would count twice.
//
// A capture of nsys and a trace of PyTorch may be of one process, on two clocks, and each of a part
// of the run. Ranks of a job run the same kernels in the same order as well, and so does each step,
// but no two runs have the same durations in ns. So stretches of kernels of one file are searched
// in the other, by name, launch shape and the distances between their starts.
#ifndef MODEL_OPEN_SAME_WORK_H
#define MODEL_OPEN_SAME_WORK_H

#include "model/profile/profile.h"

// Both must have one source and be classified. All memory is in `scratch`.
bool is_same_work(const struct profile *a, const struct profile *b, struct arena *scratch);

#endif
