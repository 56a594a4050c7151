// SPDX-License-Identifier: Apache-2.0
// A hand-made profile whose figures can all be computed on paper: three iterations of 1,000 ns, two
// GPUs (and a third without work), three ops, one process, one thread.
//
//   iteration        0                        1                  2
//   linear   [100 ........ 300)      [1100 .... 1300)     [2100 ..... 2400)
//   relu                   [300 400)     [1300 1400)                 [2400 2500)
//   (cudaFree)                  [900 950)
//   GPU 0        gemm [400 500)       gemm [1400 1500)    gemm [2400 2500)
//                bias  [450 550)      bias [1500 1550)    bias        [2600 2650)
//   GPU 1        copy [500 600)       relu [1600 1650)
//                relu [600 650)
#ifndef TESTS_SMALL_PROFILE_H
#define TESTS_SMALL_PROFILE_H

#include "analysis/report/selection.h"

struct profile *small_profile(struct arena *arena);
struct split *small_split(const struct profile *profile, struct arena *arena);

// A profile without rows, and its single iteration.
struct profile *empty_profile(struct arena *arena);
struct split *empty_split(struct arena *arena);

#endif
