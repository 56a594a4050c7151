// SPDX-License-Identifier: Apache-2.0
//
// A job of several machines: of one export with a process per GPU a file for each of them, as each would
// have been captured alone.
#ifndef DLPROF_GEN_RANKS_H
#define DLPROF_GEN_RANKS_H

#include <stdint.h>

// Beside PATH, "run.sqlite", come run.rank0.sqlite, run.rank1.sqlite, ..., as of `hosts` machines with
// as many ranks each. Captures begin at other moments; wall clocks are up to 50 ms apart, and
// oscillators a few millionths. Prints a line of each rank: `clock`, rank, ns that its wall clock is
// ahead of rank 0's.
void ranks_split(const char *path, const int *pids, int rank_count, int hosts, uint64_t seed);

#endif
