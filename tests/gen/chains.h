// SPDX-License-Identifier: Apache-2.0
//
// Call chains of CUDA calls, as nsys's backtraces of Python and native frames give them.
#ifndef DLPROF_GEN_CHAINS_H
#define DLPROF_GEN_CHAINS_H

#include "sim.h"

// Returns the call chain of calls made in a hand-written range; 0: the range has none.
int chain_of(const char *range);
// True if calls of this kind have a chain, as with --cudabacktrace=sync,memory.
bool chain_is_taken(ApiId api);
void chains_write(World *world);

#endif
