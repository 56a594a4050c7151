// SPDX-License-Identifier: Apache-2.0
//
// Traces of the PyTorch Profiler; they are JSON and independent of the scenarios.
#ifndef DLPROF_GEN_KINETO_H
#define DLPROF_GEN_KINETO_H

#include <stdbool.h>
#include <stdint.h>

#define KINETO_SCENARIO "kineto"

// Writes `steps` steps, or steps until there are `kernels` kernels (0: no such limit).
void kineto_write(const char *path, int steps, int64_t kernels, uint64_t seed, bool force);

#endif
