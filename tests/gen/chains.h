// SPDX-License-Identifier: Apache-2.0
//
// Call chains of CUDA calls, as nsys's backtraces of Python and native frames give them.
#ifndef DLPROF_GEN_CHAINS_H
#define DLPROF_GEN_CHAINS_H

#include "sim.h"

// The chain of calls made inside of a range by hand; 0: its line is not known.
int chain_of(const char *range);
// Whether a call of this kind has one, by --cudabacktrace=sync,memory.
bool chain_is_taken(ApiId api);
void chains_write(World *world);

#endif
