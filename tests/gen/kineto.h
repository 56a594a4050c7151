// SPDX-License-Identifier: Apache-2.0
//
// Traces of the PyTorch Profiler, which are no rows of an export and know no scenarios.
#ifndef DLPROF_GEN_KINETO_H
#define DLPROF_GEN_KINETO_H

#include <stdbool.h>
#include <stdint.h>

#define KINETO_SCENARIO "kineto"

// So many steps, or until there are so many kernels (0: by the steps).
void kineto_write(const char *path, int steps, int64_t kernels, uint64_t seed, bool force);

#endif
