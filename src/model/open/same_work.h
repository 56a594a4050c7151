// SPDX-License-Identifier: Apache-2.0
// Whether two files that different tools wrote hold the same GPU work, so that it would count twice.
//
// A capture of nsys and a trace of PyTorch may be of one process, on two clocks, and each of a part of
// the run. Ranks of a job run the same kernels in the same order as well, and so does each step; but no
// two runs of anything take as long to the nanosecond. So stretches of kernels of the one are looked for
// in the other, by name and launch shape, and by the distances between their starts.
#ifndef MODEL_SAME_WORK_H
#define MODEL_SAME_WORK_H

#include "model/profile/profile.h"

// Parts of one source each, classified. Memory is scratch's.
bool is_same_work(const struct profile *a, const struct profile *b, struct arena *scratch);

#endif
